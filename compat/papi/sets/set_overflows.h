#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "compat/papi/include/csink_papi.h"
#include "compat/papi/include/papi.h"
#include "compat/papi/sets/set_events.h"
#include "compat/papi/sets/set_options.h"
#include "core/counting/overflow/set_overflow.h"

namespace csink::papi {

/// Bits of the vector that an overflow handler gets. PAPI's type is long long; bit i is counter i.
inline constexpr std::size_t kVectorBits = 64;

/// How many events of a set overflow, and how. A copy is the way back of a change that fails.
struct ArmedEvents {
  int thresholds = 0;  ///< Events with SetEvent::threshold
  int handled = 0;     ///< Events with SetEvent::profiled_every
  bool forced_software = false;
  PAPI_overflow_handler_t handler = nullptr;

  bool any() const noexcept { return thresholds != 0 || handled != 0; }
  /// True where a timer compares the counts of the set: PAPI_OVERFLOW_FORCE_SW.
  bool by_software() const noexcept { return thresholds != 0 && forced_software; }
};

/// The overflows of an event set. An event overflows for the program's handler (`threshold`) or for
/// a profile by the handler (`profiled_every`); both become OverflowArmings of core's SetOverflow.
/// The set has one mode for all of them: hardware, forced software, or reported by the library that
/// keeps the counters.
/// Owns:    a SetOverflow, which the caller arms and disarms.
/// Threads: as EventSet. Signals: the const functions and set_missed are safe, except the checks.
class SetOverflows {
 public:
  ArmedEvents armed;

  /// Whether PAPI_overflow may set this threshold for `event`; 0 disarms it. Changes nothing.
  /// PAPI_EINVAL (nothing to disarm, no handler, a derived event by hardware), PAPI_ECNFLCT (the
  /// other kind of overflow is in use, the event is profiled). Errors have a message.
  int Check(const SetEvents& events, const SetEvent& event, int threshold, bool forced_software,
            PAPI_overflow_handler_t handler) const;

  /// Chooses how the armed events overflow and writes that into the sampling of their requests, or
  /// releases the overflows if no event is armed. Rings belong to the sampler and stay. Opens
  /// nothing. `owner`: the EventSet, for CallOverflowHandler. PAPI_ECOUNT: an event beyond the
  /// first 64 counters; others as SetOverflow::Prepare.
  int Prepare(SetEvents& events, int component, const SetOptions& options, void* owner);
  /// Counts out an event that leaves the set.
  void Forget(const SetEvent& event) noexcept {
    if (event.threshold != 0) --armed.thresholds;
    if (event.profiled_every != 0) --armed.handled;
  }
  /// No event overflows any more.
  void Clear() noexcept {
    core.Release();
    armed = {};
  }

  /// Stores OverflowHit::missed for the handler that is about to be called.
  void set_missed(std::uint64_t multiples) noexcept {
    missed_.store(static_cast<long long>(multiples), std::memory_order_relaxed);
  }
  /// Fills everything but `eventset`; the counts are 0 while no event overflows. May be called by
  /// the handler of the set.
  void Describe(csink_papi_overflow_info_t& out) const noexcept;

  SetOverflow core;

 private:
  std::atomic<long long> missed_{0};  ///< OverflowHit::missed of the newest hit
};

/// Whether samples of the counter at `position` could come so often that the kernel throttles the
/// event; see EventSet::NeedsHandledSampling. The set is one of perf_event.
bool MayBeThrottled(std::uint32_t event, std::uint64_t threshold);

}  // namespace csink::papi
