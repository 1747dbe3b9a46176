#pragma once

#include <errno.h>

#include <string_view>

namespace csink {

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
    case E2BIG:
      return "an attribute that this kernel does not know";
    case EACCES:
      return "permission denied";
    case EBADF:
      return "not a descriptor of an event";
    case EBUSY:
      return "in use by somebody else";
    case EFAULT:
      return "an address that cannot be read";
    case EINTR:
      return "interrupted by a signal";
    case EINVAL:
      return "invalid argument";
    case EMFILE:
      return "too many open files";
    case ENFILE:
      return "no open file left on the machine";
    case ENODEV:
    case ENXIO:
      return "no such device";
    case ENOENT:
      return "no such event";
    case ENOMEM:
      return "no memory left";
    case ENOSPC:
      return "no space left";
    case ENOSYS:
      return "not a system call of this kernel";
    case EOPNOTSUPP:
      return "not supported by the PMU";
    case EOVERFLOW:
      return "a value that is too large";
    case EPERM:
      return "not permitted";
    case ESRCH:
      return "no such thread";
    default:
      return "for a reason that csink does not know";
  }
}

}  // namespace csink
