#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compat/papi/highlevel/private_set.h"

namespace csink::papi {

/// Who started a thread's counters; whoever else asks for them is refused.
enum class CountersUse : std::uint8_t { kNone, kCounters, kFlips, kFlops, kIpc, kEpc };

/// The counters that PAPI_start_counters and the rates start on one thread: one event set. It is
/// made at the first use and keeps its events, so that starting the same ones again opens nothing.
///
/// Owns:    the event set; it goes with the thread or the library.
/// Threads: its own alone. Signals: not safe.
class ThreadCounters {
 public:
  /// Times and counts of a rate.
  struct Rates {
    std::uint64_t first_real_ns, first_virt_ns;
    std::uint64_t last_real_ns, last_virt_ns;
    long long totals[3];
  };

  /// The calling thread's, whose set is alive. The library has started. PAPI_ENOMEM, PAPI_EMISC.
  static int Get(ThreadCounters** counters) noexcept;
  /// The calling thread's if they count, else nullptr.
  static ThreadCounters* Running() noexcept;

  bool running() const noexcept {
    return use_ != CountersUse::kNone && set_.alive() && set_->running();
  }
  CountersUse use() const noexcept { return use_; }
  std::size_t size() const noexcept { return set_->events().size(); }
  EventSet& set() noexcept { return *set_; }
  /// Whether the set has exactly these events, in this order.
  bool Holds(std::span<const int> events) const noexcept;

  /// Counts `events` from zero. Fails with what adding and starting fail with; then the set is
  /// empty or stopped.
  int Start(std::span<const int> events, CountersUse use);
  /// The values since Start, or since the last Take; they count on from zero, nothing is lost.
  int Take(long long* values) noexcept;
  /// `values` may be null.
  int Stop(long long* values) noexcept;

  Rates rates = {};

 private:
  int Fill(std::span<const int> events);

  PrivateSet set_;
  CountersUse use_ = CountersUse::kNone;
};

}  // namespace csink::papi
