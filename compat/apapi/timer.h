#pragma once

#include <memory>
#include <type_traits>

#include "compat/apapi/event_set.h"
#include "compat/apapi/include/apapi_csink.h"
#include "profil/interval/interval_sampler.h"

namespace csink::apapi {

class SetSampling;

/// What clients see of a timer.
struct TimerFace {
  apapi_timer open = {};
};
static_assert(std::is_standard_layout_v<TimerFace>, "it is what clients see");

/// What an apapi_timer is inside.
/// Owns:    its sampler; not the event set.
struct TimerObject : TimerFace {
  std::shared_ptr<const SetSampling> sampling;  ///< From start to the next reset
  std::unique_ptr<IntervalSampler> sampler;     ///< Likewise
  bool counting = false;                        ///< PAPI_start was called, PAPI_stop was not
  bool abandoned = false;

  std::uint64_t interval_ns() const noexcept;
  /// Takes parameters over; statistics begin anew. False: a bad interval.
  bool Configure(time_t sec, long nsec, void (*measure)(void**, int), void** measure_arg,
                 apapi_eventset* set);
  int InitStart();
  int Start();
  /// Waits for the thread's end, then PAPI_stop.
  int Join();
  void StopCounting();
};

inline TimerObject* ObjectOf(apapi_timer* timer) noexcept {
  return static_cast<TimerObject*>(reinterpret_cast<TimerFace*>(timer));
}
inline const TimerObject* ObjectOf(const apapi_timer* timer) noexcept {
  return static_cast<const TimerObject*>(reinterpret_cast<const TimerFace*>(timer));
}

}  // namespace csink::apapi
