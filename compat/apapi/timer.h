#pragma once

#include <memory>
#include <type_traits>

#include "compat/apapi/event_set.h"
#include "compat/apapi/include/apapi_csink.h"
#include "compat/apapi/interval/interval_sampler.h"

namespace csink::apapi {

class SetSampling;

/// The structure that clients see. A base class of its own, because TimerObject has members that
/// are not standard layout, and a pointer to the first member of such a class cannot be converted
/// back.
struct VisibleTimer {
  apapi_timer open = {};
};
static_assert(std::is_standard_layout_v<VisibleTimer>, "it is what clients see");

/// The object behind an apapi_timer.
/// Owns:    its sampler and the thread in it; not the event set.
/// Threads: as in apapi.h: one thread at a time; callbacks run in the sampler's thread.
struct TimerObject : VisibleTimer {
  std::shared_ptr<const SetSampling> sampling;  ///< Set from Start to the next reset
  std::unique_ptr<IntervalSampler> sampler;     ///< Set as long as `sampling`
  bool counting = false;                        ///< PAPI_start was called, PAPI_stop was not
  bool abandoned = false;                       ///< The thread hangs in a read; nothing joins it

  /// The interval in ns, at most 146 years.
  std::uint64_t interval_ns() const noexcept;
  /// Stores the parameters and clears the statistics of the set. False: not a valid interval;
  /// unchanged.
  bool Configure(time_t sec, long nsec, void (*measure)(void**, int), void** measure_arg,
                 apapi_eventset* set);
  /// Calls PAPI_start. PAPI_OK; -1 with a message: PAPI_start failed, or an earlier read of the set
  /// hangs.
  int InitStart();
  /// Starts the thread. PAPI_OK; -1 with a message: no thread could be made; the state stays READY.
  int Start();
  /// Waits for the thread's end, then calls PAPI_stop. If the thread hangs in a read
  /// (IntervalSampler::Wait), it is abandoned: PAPI_OK and a message. -1: the caller is the timer's
  /// own thread.
  int Join();
  /// Calls PAPI_stop if PAPI_start was called and the thread does not hang in a read. Errors are
  /// ignored: the last values have been taken.
  void StopCounting();
};

inline TimerObject* ObjectOf(apapi_timer* timer) noexcept {
  return static_cast<TimerObject*>(reinterpret_cast<VisibleTimer*>(timer));
}
inline const TimerObject* ObjectOf(const apapi_timer* timer) noexcept {
  return static_cast<const TimerObject*>(reinterpret_cast<const VisibleTimer*>(timer));
}

}  // namespace csink::apapi
