#pragma once

#include <cstdint>
#include <vector>

#include "profil/critical/path.h"

/// File: how much of the path, of the CPU time and of the time that several threads share each
/// place has.

namespace csink::critical {

/// Samples of one place. A sample counts by its innermost place, those in `total` and `path_total`
/// by every place of its chain, once.
struct PlaceSamples {
  std::uint64_t cpu = 0;    ///< All samples
  std::uint64_t total = 0;  ///< All samples in it and in what it called
  double path = 0;          ///< Samples on the path
  double path_total = 0;    ///< On the path, in it and in what it called
  /// Samples on the path, and 1 / processors of those of any thread while the path waited for a
  /// processor
  double path_plus = 0;
  double latency = 0;  ///< Each sample divided by the number of threads that ran at its time
};

/// Time of the path, in ns. The first five add up to the run.
struct PathTimes {
  std::int64_t work = 0;       ///< On a processor
  std::int64_t preempted = 0;  ///< Ready to run, but not on a processor
  std::int64_t woken = 0;      ///< Woken or created, but not running yet
  std::int64_t sleep = 0;
  /// Waits without a known waker, and what is before them if it ends there
  std::int64_t unknown = 0;
  /// Of all this: behind a waker that no hook recorded, as Segment::inferred_ns
  std::int64_t inferred = 0;
};

struct Shares {
  std::vector<PlaceSamples> places;  ///< By id of the place
  PathTimes times;
  std::uint64_t samples = 0;  ///< Of all threads
  double latency = 0;         ///< Sum over the places
};

Shares SharesOf(const CriticalLog& log, const std::vector<Segment>& path);

/// Time in which more threads were ready to run than there are processors. A wait counts as ready
/// from its waker on.
std::int64_t CrowdedNs(const CriticalLog& log, const Waits& waits);

}  // namespace csink::critical
