#pragma once

#include "agent/settings/config.h"
#include "core/perf/kernel.h"

namespace csink::agent {

/// CSINK_DOCTOR=1: prints on stderr (stdout belongs to the program) what this machine allows, what
/// would be sampled, and for each limitation the exact setting that would remove it. Leaves nothing
/// open.
/// Threads: one. Signals: not safe.
void RunDoctor(const Config& config, Kernel& kernel) noexcept;

}  // namespace csink::agent
