#pragma once

#include <errno.h>

#include <string_view>

namespace csink {

/// EBUSY of perf_event_open(2), for all messages: "another event already has exclusive access to
/// the PMU". That event may be the kernel's own: the NMI watchdog holds a counter of each CPU
/// (kernel.nmi_watchdog, Documentation/admin-guide/lockup-watchdogs.rst).
inline constexpr char kCountersBusy[] =
    "another program or the NMI watchdog has exclusive use of the counters (EBUSY)";

/// The meaning of `error`, a positive errno of perf_event_open(2) or of a file operation, as a few
/// words ("invalid argument") that can follow a colon in a message. The texts are those that fit
/// perf events: ENOENT is "no such event", E2BIG an attribute with fields that this kernel does not
/// know. An errno without a text gives "for a reason that csink does not know"; callers that show
/// the number must add it themselves.
/// Returns: a static string, never empty.
/// Why not strerror: it may translate and allocate, and lean code has neither locale nor heap.
/// Threads: any. Signals: safe.
inline std::string_view ErrnoWords(int error) noexcept {
  switch (error) {
    // perf_event_open(2): attr is larger than the kernel's, and its further fields are not 0.
    case E2BIG:
      return "an attribute that this kernel does not know";
    case EACCES:
      return "permission denied";
    // As group_fd, or as a descriptor that the program has closed.
    case EBADF:
      return "not a descriptor of an event";
    case EBUSY:
      return kCountersBusy;
    case EFAULT:
      return "an address that cannot be read";
    case EINTR:
      return "interrupted by a signal";
    case EINVAL:
      return "invalid argument";
    case EMFILE:
      return "too many open files";
    case ENFILE:
      return "the system's limit of open files is reached";
    case ENODEV:
    case ENXIO:
      return "no such device";
    case ENOENT:
      return "no such event";
    case ENOMEM:
      return "not enough memory";
    case ENOSPC:
      return "no space left";
    case ENOSYS:
      return "the kernel does not have this system call";
    case EOPNOTSUPP:
      return "not supported by the PMU";
    case EOVERFLOW:
      return "a value that is too large";
    case EPERM:
      return "not permitted";
    case ESRCH:
      return "no such thread";
    default:
      return "unknown error";
  }
}

}  // namespace csink
