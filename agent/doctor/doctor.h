#pragma once

#include "agent/settings/config.h"
#include "core/perf/kernel.h"

namespace csink::agent {

/// CSINK_DOCTOR: prints to stderr (stdout is the program's) what this machine allows, what would be
/// used, and for everything that is less than it could be the exact setting that would improve it.
/// With `json`, as one line of JSON (DoctorOutput). Leaves nothing open. Signals: not safe.
void RunDoctor(const Config& config, Kernel& kernel) noexcept;

}  // namespace csink::agent
