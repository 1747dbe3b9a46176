#include "core/counter_sets/open_refusal.h"

#include <errno.h>

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
    return "this event happens in the kernel only, and counting there needs CAP_PERFMON, or "
           "perf_event_paranoid 1 or less";
  }
  if (options.domain.kernel || (event.kernel_given && !event.attr.exclude_kernel)) {
    return "counting in the kernel needs CAP_PERFMON, or perf_event_paranoid 1 or less";
  }
  if (options.target.kind == Kind::kThread) {
    return "that thread may not be counted: it is another user's, or perf_event_open is refused";
  }
  return "perf_event_open is refused here (perf_event_paranoid, seccomp)";
}

}  // namespace

Error ExplainRefusal(int error, const CountableEvent& event, const CountingOptions& options,
                     const SamplingRequest& sampling) {
  const bool sigtrap = sampling.delivery == SamplingRequest::Delivery::kSigtrap;
  switch (error) {
    case EACCES:
    case EPERM:
      return {Errc::kPermission, error, ExplainPermission(event, options)};
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return {Errc::kNoEvent, error, "this machine cannot count the event"};
    case ESRCH:
      return {Errc::kInvalid, error, "there is no such thread"};
    case EMFILE:
      return {Errc::kLimit, error, "no file descriptor is left (ulimit -n)"};
    case ENFILE:
      return {Errc::kLimit, error, "the machine has no open file left (fs.file-max)"};
    case ENOMEM:
      return {Errc::kLimit, error, "no memory is left for a counter"};
    case EBUSY:
      return {Errc::kConflict, error, "the counter is in use by somebody else"};
    case ENOSYS:
      return {Errc::kUnsupported, error, "this kernel has no perf_event_open"};
    case EOPNOTSUPP:
      return {Errc::kUnsupported, error, "the event cannot be counted (or sampled) like this"};
    case EINVAL:
    case E2BIG:
      // attr.sigtrap exists since Linux 5.13; older kernels answer E2BIG or EINVAL.
      if (sigtrap) return {Errc::kUnsupported, error, "this kernel has no synchronous SIGTRAP"};
      if (options.target.kind == CountingTarget::Kind::kCpu) {
        return {Errc::kInvalid, error, "there is no such processor, or it does not have the event"};
      }
      return {Errc::kInvalid, error, "the kernel does not take the event with these options"};
    default:
      return {ErrcFromErrno(error), error, "perf_event_open failed"};
  }
}

Error ExplainDeadCounters() {
  return {Errc::kConflict, 0,
          "the processor has fewer counters that count than it says (in a virtual machine): the "
          "events do not fit on them together"};
}

Error ExplainConflict() {
  return {Errc::kConflict, 0, "the events do not fit on the processor's counters together"};
}

}  // namespace csink
