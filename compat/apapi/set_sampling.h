#pragma once

#include <atomic>
#include <vector>

#include "compat/apapi/event_set.h"
#include "compat/apapi/interval/interval_sampler.h"

namespace csink::apapi {

/// What one timer does at each interval: reads its event set, if any, and calls the client's
/// callback, if any.
/// Owns:    the buffers of a read. The event set may be freed while a read that hangs
///          still has the buffer.
/// Threads: the timer's thread calls Read and Take.
class SetSampling final : public Sampled {
 public:
  /// `set` and `measure` may be nullptr. Only Take uses `set`; Read uses PAPI's handle, which was
  /// copied.
  SetSampling(EventSetObject* set, void (*measure)(void**, int), void** measure_arg);

  /// Reads the raw values; their time is the middle of the read. False: no event could be read. May
  /// hang; uses nothing of the event set.
  bool Read() noexcept override;
  /// Adds what Read read to the set's statistics and calls the callback. Not called after a read
  /// that was abandoned. The first failed read is reported on stderr, further ones are only
  /// counted; so is the first failure of other events.
  void Take(bool good, bool last) noexcept override;

  /// Whether PAPI_read returned PAPI_ECLOST at least once: values are lower bounds. Threads: any.
  bool lost() const noexcept { return lost_.load(std::memory_order_relaxed); }
  /// Measurements in which some events could not be read, and others could. Threads: any.
  std::uint64_t partial() const noexcept { return partial_.load(std::memory_order_relaxed); }

 private:
  /// Counts events that failed although others were read, and reports those that had not failed
  /// before.
  void NotePartial() noexcept;

  EventSetObject* const set_;
  void (*const measure_)(void**, int);
  void** const measure_arg_;
  const int handle_;            ///< PAPI's event set; PAPI_NULL: none
  std::vector<long long> raw_;  ///< The values of the last read
  std::vector<int> codes_;      ///< Of each event: PAPI_OK or PAPI_ECLOST, or why it has no value
  /// Of each event: csink_papi_counted_shares; empty: its events do not take turns.
  std::vector<double> shares_;
  std::vector<double> lacks_;  ///< Of each event: csink_papi_lacks, at the last read
  std::vector<bool> said_;     ///< The event's failure was reported
  long long now_ns_ = 0;
  int error_ = PAPI_OK;  ///< Result of the last read
  char why_[1024] = "";  ///< PAPI's message for it
  bool warned_ = false;  ///< A failed read was reported
  std::atomic<bool> lost_{false};
  std::atomic<std::uint64_t> partial_{0};
};

}  // namespace csink::apapi
