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
  /// Times (ns) and counts of a rate since its first and its last call. real: RealNs; virt:
  /// ThreadNs.
  struct Rates {
    std::uint64_t first_real_ns, first_virt_ns;
    std::uint64_t last_real_ns, last_virt_ns;
    long long totals[3];
  };

  /// The counters of the calling thread, with a usable set. The library must be started.
  /// PAPI_ENOMEM; PAPI_EMISC: called in a handler that interrupted the library.
  static int Get(ThreadCounters** counters) noexcept;
  /// The counters of the calling thread if they are counting, else nullptr. No lock, nothing is
  /// made.
  static ThreadCounters* Running() noexcept;

  /// False also after PAPI_shutdown or where the program stopped the set by its handle.
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
  /// `values` has size() elements, in the order of the events. Unchanged on an error, except
  /// PAPI_ECLOST.
  int Take(long long* values) noexcept;
  /// Stops the counters. `values` may be nullptr. The events stay in the set, so that the next
  /// start of the same events opens nothing.
  int Stop(long long* values) noexcept;

  Rates rates = {};

 private:
  /// Replaces the set's events. Errors: as EventSet::Add; the set is then empty.
  int Fill(std::span<const int> events);

  PrivateSet set_;
  CountersUse use_ = CountersUse::kNone;
};

}  // namespace csink::papi
