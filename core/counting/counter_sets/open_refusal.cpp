#include "core/counting/counter_sets/open_refusal.h"

#include <errno.h>

#include "core/util/errno_words.h"

// File: one sentence for each errno. The sentences are static, because they travel in Error::what
// to PAPI's error texts.

namespace csink {
namespace {

// Which right is missing. The most specific cause comes first: what the event or the target always
// needs, then what the options add.
const char* ExplainPermission(const CountableEvent& event, const CountingOptions& options) {
  using Kind = CountingTarget::Kind;
  if (!event.cpus.empty()) {
    return "a socket-wide event needs CAP_PERFMON, or perf_event_paranoid 0 or less";
  }
  if (options.target.kind == Kind::kCpu) {
    return "counting a whole processor needs CAP_PERFMON, or perf_event_paranoid 0 or less";
  }
  if (event.kernel_only && !event.kernel_given) {
    return "this event occurs only in the kernel, and counting kernel mode needs CAP_PERFMON, or "
           "perf_event_paranoid 1 or less";
  }
  if (options.domain.kernel || (event.kernel_given && !event.attr.exclude_kernel)) {
    return "counting kernel mode needs CAP_PERFMON, or perf_event_paranoid 1 or less";
  }
  if (options.target.kind == Kind::kThread) {
    return "no permission to count that thread: it belongs to another user, or perf_event_open is "
           "refused";
  }
  return "perf_event_open is refused (perf_event_paranoid or a seccomp filter)";
}

}  // namespace

Error ExplainRefusal(int error, const CountableEvent& event, const CountingOptions& options,
                     const SamplingRequest& sampling) {
  const bool sigtrap = sampling.delivery == SamplingRequest::Delivery::kSigtrap;
  // One errno of perf_event_open(2) has several causes; the event and the options tell which ones
  // are possible.
  switch (error) {
    case EACCES:
    case EPERM:
      return {Errc::kPermission, error, ExplainPermission(event, options)};
    // ENOENT: the PMU does not have the event, or no PMU has its type. ENODEV: also a CPU that is
    // offline.
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return {Errc::kNoEvent, error, "this machine cannot count the event"};
    case ESRCH:
      return {Errc::kInvalid, error, "there is no such thread"};
    case EMFILE:
      return {Errc::kLimit, error, "the process's limit of open files is reached (ulimit -n)"};
    case ENFILE:
      return {Errc::kLimit, error, "the system's limit of open files is reached (fs.file-max)"};
    case ENOMEM:
      return {Errc::kLimit, error, "not enough memory for a counter"};
    case EBUSY:
      return {Errc::kConflict, error, kCountersBusy};
    case ENOSYS:
      return {Errc::kUnsupported, error, "this kernel has no perf_event_open"};
    case EOPNOTSUPP:
      return {Errc::kUnsupported, error,
              "the PMU does not support counting (or sampling) the event with these options"};
    // E2BIG: attr has fields behind the end of the kernel's struct that are not 0.
    case EINVAL:
    case E2BIG:
      // attr.sigtrap exists since Linux 5.13; older kernels answer E2BIG or EINVAL.
      if (sigtrap) {
        return {Errc::kUnsupported, error, "this kernel does not support synchronous SIGTRAP"};
      }
      if (options.target.kind == CountingTarget::Kind::kCpu) {
        return {Errc::kInvalid, error, "there is no such processor, or it does not have the event"};
      }
      return {Errc::kInvalid, error, "the kernel does not accept the event with these options"};
    default:
      // The number is in Error::sys_errno; the caller shows it.
      return {ErrcFromErrno(error), error, "perf_event_open failed"};
  }
}

Error ExplainDeadCounters() {
  return {Errc::kConflict, 0,
          "fewer counters work than the (virtual) processor reports: the events cannot be counted "
          "together"};
}

Error ExplainConflict() {
  return {Errc::kConflict, 0,
          "the processor does not have enough counters for these events together"};
}

}  // namespace csink
