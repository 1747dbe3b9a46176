#pragma once

#include <sys/syscall.h>
#include <sys/types.h>

#include "core/util/raw_syscall.h"

namespace csink {

/// The kernel's id of the calling thread (gettid(2)), > 0. A system call each time: nothing is
/// cached that a fork would have to reset. Callers on a hot path keep the answer. In a child of
/// fork the id is another one.
/// Threads: any. Signals: safe.
inline pid_t AskTid() noexcept { return static_cast<pid_t>(RawSyscall(SYS_gettid)); }

}  // namespace csink
