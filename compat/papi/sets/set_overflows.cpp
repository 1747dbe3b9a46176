#include "compat/papi/sets/set_overflows.h"

#include <fstream>
#include <span>
#include <vector>

#include "compat/papi/boundary/debug.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/sets/event_set.h"
#include "core/counting/catalogue/native_catalogue.h"

/// File: what a set asks of core's SetOverflow. All checks of PAPI_overflow are here; EventSet
/// makes the change and takes it back where the counters cannot be opened so.

namespace csink::papi {
namespace {

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

int SetOverflows::Prepare(SetEvents& events, int component_index, const SetOptions& options,
                          void* owner) {
  // Nothing is armed (any more): requests are opened as plain counters again. Rings belong to the
  // sampler and stay.
  if (!armed.any()) {
    if (core.prepared()) {
      core.Release();
      for (CounterRequest& request : events.requests()) {
        if (request.sampling.delivery != SamplingRequest::Delivery::kRing) request.sampling = {};
      }
    }
    return PAPI_OK;
  }
  const bool kernel = (options.domain & PAPI_DOM_KERNEL) != 0;
  Component& component = *Components().At(component_index);
  const bool reported = component.reports_overflows();
  std::vector<OverflowArming> armings;
  for (const SetEvent& event : events.all()) {
    if (event.threshold == 0 && event.profiled_every == 0) continue;
    // A preset of one native event overflows by that counter; with forced software the value of the
    // whole formula is compared instead (arming.value).
    const std::uint16_t counter = event.counters[0];
    if (counter >= kVectorBits) {
      return Complain(PAPI_ECOUNT, "only the first 64 counters of a set can overflow");
    }
    const std::uint32_t native = events.requests()[counter].event;
    OverflowArming& arming = armings.emplace_back();
    arming.counter = counter;
    arming.vector = std::uint64_t{1} << counter;
    arming.threshold =
        event.threshold != 0 ? static_cast<std::uint64_t>(event.threshold) : event.profiled_every;
    if (reported) {
      const Result<void> possible = component.SetUpReportedOverflow(native, arming);
      if (!possible) return Complain(possible.error());
      continue;
    }
    arming.kernel_mode = kernel || CountsInKernel(native);
    arming.clock = IsKernelClock(component, native);
    if (event.derived()) {
      arming.value = ValueOfEvent;
      arming.formula = &event;
    }
  }
  // Prepare rewrites the sampling of all requests, also of those that a ring samples.
  const std::span<CounterRequest> requests = events.requests();
  const std::vector<CounterRequest> before(requests.begin(), requests.end());
  OverflowMode mode = armed.by_software() ? OverflowMode::kForcedSoftware : OverflowMode::kHardware;
  if (reported) mode = OverflowMode::kReported;
  const Result<void> prepared = core.Prepare(requests, armings, mode, CallOverflowHandler, owner);
  if (!prepared) return Complain(prepared.error());
  for (std::size_t i = 0; i < requests.size(); ++i) {  // the rings are the sampler's
    if (before[i].sampling.delivery == SamplingRequest::Delivery::kRing) {
      requests[i].sampling = before[i].sampling;
    }
  }
  return PAPI_OK;
}

int SetOverflows::Check(const SetEvents& events, const SetEvent& event, int threshold,
                        bool forced_software, PAPI_overflow_handler_t handler) const {
  if (threshold == 0 && event.threshold == 0) {
    return Complain(PAPI_EINVAL,
                    "overflow is not set for this event; the threshold must be above 0");
  }
  if (threshold == 0) return PAPI_OK;
  if (handler == nullptr) return Complain(PAPI_EINVAL, "overflow needs a handler");
  // Whether other events of the set are armed: the set has one mode.
  const bool others = armed.thresholds - (event.threshold != 0) > 0;
  if (others && forced_software != armed.forced_software) {
    return Complain(PAPI_ECNFLCT,
                    "hardware and forced software overflow exclude each other in one set");
  }
  if (!forced_software && event.derived()) {
    return Complain(
        PAPI_EINVAL,
        "a derived event supports PAPI_OVERFLOW_FORCE_SW only, because it has no counter");
  }
  const bool by_ring =
      events.requests()[event.counters[0]].sampling.delivery == SamplingRequest::Delivery::kRing;
  bool profiled = !forced_software && by_ring;
  for (const SetEvent& other : events.all()) {
    profiled = profiled || (other.profiled_every != 0 && other.counters[0] == event.counters[0]);
  }
  if (profiled) return Complain(PAPI_ECNFLCT, "the event is profiled already");
  if (forced_software && armed.handled != 0) {
    return Complain(PAPI_ECNFLCT,
                    "hardware profiling and forced software overflow exclude each other in one "
                    "set");
  }
  return PAPI_OK;
}

void SetOverflows::Describe(csink_papi_overflow_info_t& out) const noexcept {
  const OverflowTotals totals = core.totals();
  out.flags = armed.forced_software ? PAPI_OVERFLOW_FORCE_SW : PAPI_OVERFLOW_HARDWARE;
  if (armed.thresholds == 0) out.flags = 0;
  out.calls = armed.thresholds != 0 ? static_cast<long long>(totals.calls) : 0;
  out.missed = totals.calls != 0 ? missed_.load(std::memory_order_relaxed) : 0;
  out.missed_by_all = armed.thresholds != 0 ? static_cast<long long>(totals.missed) : 0;
}

/// A clock of the kernel comes every `threshold` ns of CPU time, so its rate is known. The rate of
/// a hardware event is not known before, so such an event always needs the handler. The kernel's
/// other software events are never throttled: each of their overflows has its own sample.
bool MayBeThrottled(std::uint32_t event, std::uint64_t threshold) {
  if (CountsInKernel(event)) return false;
  const NativeEncoding& encoding = NativeCatalogue::Get().Encoding(event);
  if (!encoding.software) return true;
  if (!IsKernelClock(encoding.attr)) return false;
  // Half of the limit: the kernel may lower it at any time.
  constexpr std::uint64_t kPerSecond = 1'000'000'000;
  return kPerSecond / threshold > MostInterruptsPerSecond() / 2;
}

}  // namespace csink::papi
