#pragma once

#include "core/perf/kernel.h"
#include "core/util/result.h"

namespace csink::agent {

/// True when this machine counts cycles; else why not (kNoEvent: no PMU).
bool HasCycles(Kernel& kernel, Error* why) noexcept;

/// False when a seccomp filter that was there before us answers perf_event_open
/// with death. Asked by a child that dies in our place; costs two system calls
/// where no filter is.
bool PerfIsSurvivable() noexcept;

/// AT_SECURE: setuid, setgid or with capabilities. The agent stays inert there.
bool IsSecureExecution() noexcept;

}  // namespace csink::agent
