#include <fstream>
#include <vector>

#include "compat/papi/debug.h"
#include "compat/papi/event_set.h"
#include "compat/papi/library.h"
#include "core/catalogue/native_catalogue.h"

/// File: arming the overflows of a set. An event overflows for the program's handler (`threshold`)
/// or for a profile by the handler (`profiled_every`); both become OverflowArmings. The set has one
/// mode for all of them: hardware, forced software, or reported by the library that keeps the
/// counters.

namespace csink::papi {
namespace {

/// Bits of the vector that the handler gets. PAPI's type is long long; bit i is counter i.
constexpr std::size_t kVectorBits = 64;

/// A value that no single counter shows, so that no counter can interrupt for it.
bool IsDerived(const SetEvent& event) noexcept {
  return event.definition && !event.definition->formula.IsFirstNative();
}

/// Whether the event's own modifiers or its nature let it count in kernel mode. The number is the
/// catalogue's: other components have no counter that could overflow.
bool CountsInKernel(std::uint32_t number) noexcept {
  const NativeEncoding& encoding = NativeCatalogue::Get().Encoding(number);
  return encoding.kernel_only || (encoding.kernel_given && encoding.attr.exclude_kernel == 0);
}

/// task-clock or cpu-clock.
bool IsKernelClock(const perf_event_attr& attr) {
  return attr.type == PERF_TYPE_SOFTWARE && attr.config <= PERF_COUNT_SW_TASK_CLOCK;
}

bool IsKernelClock(const Component& component, std::uint32_t event) {
  return component.name() == "perf_event" &&
         IsKernelClock(NativeCatalogue::Get().Encoding(event).attr);
}

/// kernel.perf_event_max_sample_rate: interrupts a second and CPU before the kernel throttles an
/// event. The kernel lowers the value itself, so it is read each time. Its default where it cannot
/// be read.
std::uint64_t MostInterruptsPerSecond() {
  std::uint64_t limit = 0;
  std::ifstream("/proc/sys/kernel/perf_event_max_sample_rate") >> limit;
  constexpr std::uint64_t kDefault = 100'000;
  return limit != 0 ? limit : kDefault;
}

}  // namespace

void LearnClockOfFormulas() {
  if (ClockOfFormulas().cycles_per_second != 0) return;
  const PAPI_hw_info_t* hardware = PAPI_get_hardware_info();
  if (hardware) SetClockOfFormulas(hardware->cpu_max_mhz * 1e6);
}

int EventSet::PrepareOverflow() {
  // Nothing is armed (any more): requests are opened as plain counters again. Rings belong to the
  // sampler and stay.
  if (overflowing_ == 0 && handled_ == 0) {
    if (overflow_.prepared()) {
      overflow_.Release();
      for (CounterRequest& request : requests_) {
        if (request.sampling.delivery != SamplingRequest::Delivery::kRing) request.sampling = {};
      }
    }
    return PAPI_OK;
  }
  const bool kernel = (options_.domain & PAPI_DOM_KERNEL) != 0;
  Component& component = *TheLibrary().components.At(component_);
  const bool reported = component.reports_overflows();
  std::vector<OverflowArming> armings;
  for (const SetEvent& event : events_) {
    if (event.threshold == 0 && event.profiled_every == 0) continue;
    // A preset of one native event overflows by that counter; with forced software the value of the
    // whole formula is compared instead (arming.value).
    const std::uint16_t counter = event.counters[0];
    if (counter >= kVectorBits) {
      return Complain(PAPI_ECOUNT, "only the first 64 counters of a set can overflow");
    }
    OverflowArming& arming = armings.emplace_back();
    arming.counter = counter;
    arming.vector = std::uint64_t{1} << counter;
    arming.threshold =
        event.threshold != 0 ? static_cast<std::uint64_t>(event.threshold) : event.profiled_every;
    if (reported) {
      const Result<void> possible =
          component.SetUpReportedOverflow(requests_[counter].event, arming);
      if (!possible) return Complain(possible.error());
      continue;
    }
    arming.kernel_mode = kernel || CountsInKernel(requests_[counter].event);
    arming.clock = IsKernelClock(component, requests_[counter].event);
    if (IsDerived(event)) {
      arming.value = ValueOfEvent;
      arming.formula = &event;
    }
  }
  // Prepare rewrites the sampling of all requests, also of those that a ring samples.
  const std::vector<CounterRequest> before = requests_;
  const bool by_software = overflowing_ != 0 && forced_software_;
  OverflowMode mode = by_software ? OverflowMode::kForcedSoftware : OverflowMode::kHardware;
  if (reported) mode = OverflowMode::kReported;
  const Result<void> prepared =
      overflow_.Prepare(requests_, armings, mode, CallOverflowHandler, this);
  if (!prepared) return Complain(prepared.error());
  for (std::size_t i = 0; i < requests_.size(); ++i) {  // the rings are the sampler's
    if (before[i].sampling.delivery == SamplingRequest::Delivery::kRing) {
      requests_[i].sampling = before[i].sampling;
    }
  }
  return PAPI_OK;
}

/// A clock of the kernel comes every `threshold` ns of CPU time, so its rate is known. The rate of
/// a hardware event is not known before, so such an event always needs the handler. The kernel's
/// other software events are never throttled: each of their overflows has its own sample.
bool NeedsHandledSampling(const EventSet& set, std::size_t position, std::uint64_t threshold) {
  if (!set.options_.CountsCaller() || set.options_.inherit == PAPI_INHERIT_ALL) return false;
  if (position >= kVectorBits || set.options_.multiplexed) return false;
  if ((set.options_.domain & PAPI_DOM_KERNEL) != 0) return false;
  if (set.overflowing_ != 0 && set.forced_software_) return false;
  if (TheLibrary().components.At(set.component_)->name() != "perf_event") return false;
  const std::uint32_t number = set.requests_[position].event;
  if (CountsInKernel(number)) return false;
  const NativeEncoding& encoding = NativeCatalogue::Get().Encoding(number);
  if (!encoding.software) return true;
  if (!IsKernelClock(encoding.attr)) return false;
  // Half of the limit: the kernel may lower it at any time.
  constexpr std::uint64_t kPerSecond = 1'000'000'000;
  return kPerSecond / threshold > MostInterruptsPerSecond() / 2;
}

void EventSet::DescribeOverflow(csink_papi_overflow_info_t& out) const noexcept {
  const OverflowTotals totals = overflow_.totals();
  out.flags = forced_software_ ? PAPI_OVERFLOW_FORCE_SW : PAPI_OVERFLOW_HARDWARE;
  if (overflowing_ == 0) out.flags = 0;
  out.calls = overflowing_ != 0 ? static_cast<long long>(totals.calls) : 0;
  out.missed = totals.calls != 0 ? missed_.load(std::memory_order_relaxed) : 0;
  out.missed_by_all = overflowing_ != 0 ? static_cast<long long>(totals.missed) : 0;
}

int EventSet::SetThreshold(int code, int threshold, bool forced_software,
                           PAPI_overflow_handler_t handler) {
  const int index = IndexOf(code);
  if (index < 0) return Complain(PAPI_ENOEVNT, "the event is not in the set");
  SetEvent& event = events_[static_cast<std::size_t>(index)];
  if (threshold == 0 && event.threshold == 0) {
    return Complain(PAPI_EINVAL,
                    "overflow is not set for this event; the threshold must be above 0");
  }
  // All checks come before the first change.
  if (threshold != 0) {
    if (handler == nullptr) return Complain(PAPI_EINVAL, "overflow needs a handler");
    // Whether other events of the set are armed: the set has one mode.
    const bool others = overflowing_ - (event.threshold != 0) > 0;
    if (others && forced_software != forced_software_) {
      return Complain(PAPI_ECNFLCT,
                      "hardware and forced software overflow exclude each other in one set");
    }
    if (!forced_software && IsDerived(event)) {
      return Complain(
          PAPI_EINVAL,
          "a derived event supports PAPI_OVERFLOW_FORCE_SW only, because it has no counter");
    }
    const bool by_ring =
        requests_[event.counters[0]].sampling.delivery == SamplingRequest::Delivery::kRing;
    bool profiled = !forced_software && by_ring;
    for (const SetEvent& other : events_) {
      profiled = profiled || (other.profiled_every != 0 && other.counters[0] == event.counters[0]);
    }
    if (profiled) return Complain(PAPI_ECNFLCT, "the event is profiled already");
    if (forced_software && handled_ != 0) {
      return Complain(PAPI_ECNFLCT,
                      "hardware profiling and forced software overflow exclude each other in one "
                      "set");
    }
  }
  const int former_threshold = event.threshold;
  const bool former_mode = forced_software_;
  const PAPI_overflow_handler_t former_handler = handler_;
  overflowing_ += (threshold != 0) - (former_threshold != 0);
  event.threshold = threshold;
  if (threshold != 0) {
    forced_software_ = forced_software;
    handler_ = handler;
  }
  const int result = Reopen();
  if (result == PAPI_OK) return PAPI_OK;
  overflowing_ += (former_threshold != 0) - (threshold != 0);
  event.threshold = former_threshold;
  forced_software_ = former_mode;
  handler_ = former_handler;
  PrepareOverflow();
  return result;
}

}  // namespace csink::papi
