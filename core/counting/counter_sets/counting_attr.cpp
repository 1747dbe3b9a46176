#include "core/counting/counter_sets/counting_attr.h"

// File: the attribute of one event: what the event string has stated stays, the rest follows from
// the set's options, its place in a group and its sampling.

namespace csink {
namespace {

// A period, never a frequency: PAPI's overflows have a threshold in counts.
void SetSampling(perf_event_attr& attr, const SamplingRequest& sampling) {
  using Delivery = SamplingRequest::Delivery;
  attr.freq = 0;
  attr.sample_period = 0;
  if (sampling.delivery == Delivery::kNone) return;
  attr.sample_period = sampling.period;
  attr.sample_type = PERF_SAMPLE_IP;
  if (sampling.data_address) attr.sample_type |= PERF_SAMPLE_ADDR;
  if (sampling.delivery == Delivery::kSigtrap) {
    attr.sigtrap = 1;
    attr.sig_data = sampling.cookie;
    attr.remove_on_exec = 1;  // the kernel refuses sigtrap without it
  } else if (sampling.delivery == Delivery::kSignal) {
    // A signal (O_ASYNC) comes with each wake-up, so each record must wake.
    attr.wakeup_events = 1;
  } else {
    attr.watermark = 1;  // 0 bytes: half of whatever ring is mapped
  }
}

}  // namespace

perf_event_attr MakeCountingAttr(const CountableEvent& event, const CountingOptions& options,
                                 const SamplingRequest& sampling, bool in_group) {
  perf_event_attr attr = event.attr;
  // Kernels that know a shorter attribute accept this size while the fields beyond theirs are 0.
  attr.size = sizeof attr;
  if (!event.user_given) attr.exclude_user = !options.domain.user;
  if (!event.kernel_given) attr.exclude_kernel = !options.domain.kernel && !event.kernel_only;
  if (!event.hypervisor_given) attr.exclude_hv = !options.domain.hypervisor;
  // The times show whether the event was on a counter all the time; without them a multiplexed
  // count looks like a full one.
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attr.inherit = options.target.inherit;
  // A counter of the calling thread must not count the program that an exec starts.
  attr.remove_on_exec =
      options.target.kind == CountingTarget::Kind::kCaller && !options.target.inherit;
  if (in_group) {
    attr.read_format |= PERF_FORMAT_GROUP;
    // A member counts whenever its leader does (perf_event_open(2), "disabled").
    attr.disabled = 0;
    attr.pinned = 0;
  } else {
    attr.disabled = 1;
    // Pinned: the event is on its counter all the time or in an error state. Without, an event that
    // cannot be scheduled would show a low count.
    if (options.multiplex == CountingOptions::Multiplex::kOff) attr.pinned = 1;
  }
  SetSampling(attr, sampling);
  return attr;
}

bool CountsCycles(const perf_event_attr& attr) {
  if (attr.type == PERF_TYPE_HARDWARE) {
    return static_cast<std::uint32_t>(attr.config) == PERF_COUNT_HW_CPU_CYCLES;
  }
#if defined(__aarch64__)
  return attr.config == 0x11;  // CPU_CYCLES, Arm ARM D13.12
#else
  return false;
#endif
}

std::uint32_t PmuOf(const perf_event_attr& attr) {
  if (attr.type == PERF_TYPE_RAW) return PERF_TYPE_RAW;
  if (attr.type != PERF_TYPE_HARDWARE && attr.type != PERF_TYPE_HW_CACHE) return attr.type;
  // The upper half of config is the PMU of a core type on hybrid processors (Linux 5.13), else 0.
  const auto core_type = static_cast<std::uint32_t>(attr.config >> 32);  // PERF_PMU_TYPE_SHIFT
  return core_type != 0 ? core_type : static_cast<std::uint32_t>(PERF_TYPE_RAW);
}

}  // namespace csink
