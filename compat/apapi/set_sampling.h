#pragma once

#include <atomic>
#include <vector>

#include "compat/apapi/event_set.h"
#include "profil/interval/interval_sampler.h"

namespace csink::apapi {

/// The measurements of one timer: an event set's, or only a callback's.
/// Owns:    the buffer that PAPI_read fills, so that a read which hangs may outlive the event set.
class SetSampling final : public Sampled {
 public:
  /// `set` may be nullptr, `measure` too.
  SetSampling(EventSetObject* set, void (*measure)(void**, int), void** measure_arg);

  bool Read() noexcept override;
  void Take(bool good, bool last) noexcept override;

  /// Whether a measurement was a lower bound. Threads: any.
  bool lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

 private:
  EventSetObject* const set_;
  void (*const measure_)(void**, int);
  void** const measure_arg_;
  const int handle_;
  std::vector<long long> raw_;
  long long now_ns_ = 0;
  int error_ = PAPI_OK;
  bool warned_ = false;
  std::atomic<bool> lost_{false};
};

}  // namespace csink::apapi
