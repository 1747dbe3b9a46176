#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "core/util/random.h"
#include "profil/inside/spool/writer.h"

/// File: the remainder of a period. An event's first sample comes after a complete period, and what
/// a thread runs after its last sample is in no sample. On average that is half a period for each
/// thread and processor, a tenth of the time of a thread with five samples. So when a thread's
/// event ends, the remainder is added to one of the event's samples, chosen at random among them:
/// half a period or, for threads that still run, what the thread's CPU time has more than its
/// samples. (The agent's own events have random first periods instead; an inherited event cannot
/// have one.)

namespace csink::attach {

/// The random numbers of one process.
class SpreadNumbers {
 public:
  explicit SpreadNumbers(pid_t pid)
      : state_(0x9e3779b97f4a7c15ull * (static_cast<std::uint64_t>(pid) + 1)) {}

  /// A number from 0 to `below` - 1.
  std::uint64_t Next(std::uint64_t below) { return NextRandom53(state_) % below; }

 private:
  std::uint64_t state_;
};

/// The samples of one thread that get its remainders: one of each event.
class Remainders {
 public:
  /// A sample chosen among those of one event.
  struct Place {
    std::size_t column = 0;
    std::uint64_t samples = 0;  ///< Among which it was chosen
    BucketSegment::Key key = {};
  };

  bool empty() const { return places_.empty(); }
  /// Counts a sample of the event `origin`. Each of the event's samples is the chosen one with the
  /// same probability.
  void Offer(std::uint64_t origin, std::size_t column, const BucketSegment::Key& key,
             SpreadNumbers& numbers);
  /// Returns the chosen samples by event, and forgets them.
  std::map<std::uint64_t, Place> Take() { return std::exchange(places_, {}); }

 private:
  std::map<std::uint64_t, Place> places_;  ///< By event
};

}  // namespace csink::attach
