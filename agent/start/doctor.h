#pragma once

#include "agent/settings/config.h"
#include "core/perf/kernel.h"

namespace csink::agent {

/// CSINK_DOCTOR: prints to stderr (stdout belongs to the program) what this machine allows, what
/// would be used, and for everything that could be better the setting that would improve it. With
/// CSINK_DOCTOR=events it lists the events that can be sampled, with json it prints one line of
/// JSON (DoctorOutput). Tries real events in the calling thread; leaves nothing open. Threads:
/// main, at the start. Signals: not safe.
void RunDoctor(const Config& config, Kernel& kernel) noexcept;

}  // namespace csink::agent
