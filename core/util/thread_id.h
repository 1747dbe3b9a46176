#pragma once

#include <sys/syscall.h>
#include <sys/types.h>

#include "core/util/raw_syscall.h"

namespace csink {

/// The kernel's number of the calling thread; a system call each time. Signals: safe.
inline pid_t AskTid() noexcept { return static_cast<pid_t>(RawSyscall(SYS_gettid)); }

}  // namespace csink
