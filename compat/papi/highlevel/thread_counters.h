#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compat/papi/highlevel/private_set.h"

namespace csink::papi {

/// The function that started a thread's counters. Other functions are refused until it stops them.
enum class CountersUse : std::uint8_t { kNone, kCounters, kFlips, kFlops, kIpc, kEpc };

/// The counters that PAPI_start_counters and the rate calls start on one thread: one event set. It
/// is made on first use and keeps its events, so that starting the same events again opens nothing.
/// Owns:    the event set, which is destroyed with the thread or by PAPI_shutdown.
/// Threads: its own thread alone. Signals: not safe.
class ThreadCounters {
 public:
  /// Times (ns) and counts of a rate since its first and its last call.
  struct Rates {
    std::uint64_t first_real_ns, first_virt_ns;
    std::uint64_t last_real_ns, last_virt_ns;
    long long totals[3];
  };

  /// The counters of the calling thread, with a usable set. The library must be started.
  /// PAPI_ENOMEM; PAPI_EMISC: called in a handler that interrupted the library.
  static int Get(ThreadCounters** counters) noexcept;
  /// The counters of the calling thread if they are counting, else nullptr.
  static ThreadCounters* Running() noexcept;

  bool running() const noexcept {
    return use_ != CountersUse::kNone && set_.alive() && set_->running();
  }
  CountersUse use() const noexcept { return use_; }
  std::size_t size() const noexcept { return set_->events().size(); }
  EventSet& set() noexcept { return *set_; }
  /// Whether the set has exactly these events, in this order.
  bool Holds(std::span<const int> events) const noexcept;

  /// Counts `events` from zero. Errors: as EventSet::Add and EventSet::Start; the set is then empty
  /// or stopped.
  int Start(std::span<const int> events, CountersUse use);
  /// Reads the values since Start or the last Take, and counts on from zero without losing counts.
  int Take(long long* values) noexcept;
  /// Stops the counters. `values` may be nullptr.
  int Stop(long long* values) noexcept;

  Rates rates = {};

 private:
  int Fill(std::span<const int> events);

  PrivateSet set_;
  CountersUse use_ = CountersUse::kNone;
};

}  // namespace csink::papi
