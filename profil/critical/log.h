#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profil/critical/moments.h"

/// File: a log in the order that the analysis reads it: for each thread its moments, samples and
/// times on a processor, by time.

namespace csink::critical {

inline constexpr std::uint32_t kNone = 0xffffffff;

/// Rows of all threads in one vector, those of a thread together.
template <class Row>
struct ByThread {
  std::vector<Row> rows;
  std::vector<std::size_t> begins;  ///< One more than threads

  std::span<const Row> Of(std::size_t thread) const noexcept {
    return {rows.data() + begins[thread], begins[thread + 1] - begins[thread]};
  }
  std::span<Row> Of(std::size_t thread) noexcept {
    return {rows.data() + begins[thread], begins[thread + 1] - begins[thread]};
  }
};

struct Sample {
  std::int64_t time_ns = 0;
  std::uint32_t chain = 0;
};

/// Time on a processor.
struct OnProcessor {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  bool blocked = false;  ///< The thread left the processor because it blocked
};

struct Thread {
  std::uint32_t process = 0;
  std::uint32_t tid = 0;
  std::uint64_t handle = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;  ///< At least start_ns
};

/// A log without contradictions: every index is valid, every end is at or behind its start.
struct CriticalLog {
  std::vector<Process> processes;
  std::vector<Thread> threads;
  ByThread<Moment>
      moments;  ///< Waits of a thread may overlap: a hooked function that calls another
  ByThread<Sample> samples;
  ByThread<OnProcessor> on;  ///< Disjoint
  std::vector<Chain> chains;
  std::int64_t period_ns = 0;
  std::uint32_t processors = 1;
  std::uint32_t root = kNone;      ///< The first thread of the first process; kNone: no thread
  std::uint64_t dropped = 0;       ///< Records of no thread, of an unknown kind or at no time
  bool has_switches = false;       ///< Of any thread
  std::uint64_t spin_samples = 0;  ///< They are waits and not in `samples`

  std::int64_t RunNs() const noexcept {
    return root == kNone ? 0 : threads[root].end_ns - threads[root].start_ns;
  }
};

/// Accepts any records: unsorted, of clocks that go back, without an end, with switches that do not
/// match. What cannot be used is counted in `dropped`. Time: n log n.
CriticalLog MakeLog(RawLog raw);

/// The part of [begin, end] in which the thread was on a processor. `from` is where to begin to
/// look; it is set to where the next, later, question may begin.
std::int64_t OnProcessorNs(std::span<const OnProcessor> on, std::int64_t begin, std::int64_t end,
                           std::size_t& from) noexcept;

/// The first element of times sorted by time_ns that is at `time` or behind it.
std::size_t FirstAt(std::span<const Sample> samples, std::int64_t time) noexcept;

}  // namespace csink::critical
