#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/report/formats/parts/run_clock.h"
#include "symbolizer/report/formats/parts/sample_owner.h"
#include "symbolizer/report/tables/report.h"

/// File: the samples of a report one by one, each with a time, for formats whose readers count
/// records or draw them over time. A profile is a histogram: it has the times of samples only where
/// they were recorded (CSINK_CRITICAL).

namespace csink::report {

/// More records than this are not written: a reader holds all of them in memory, and one of text
/// with its stack is a kilobyte.
inline constexpr std::size_t kMostListed = 100'000;

/// One record.
struct ListedSample {
  std::uint64_t time_ns = 0;  ///< Since the begin of the run (RunClock)
  std::uint64_t weight = 0;   ///< In events; ns for a clock
  std::uint32_t place = 0;    ///< Index into Profile::places
  std::uint32_t owner = 0;    ///< Index into the owners
  std::uint32_t event = 0;    ///< Index into Profile::events
};

/// How samples without a recorded time are spread over the life of their thread: with equal
/// distances, or by the CPU time in each part of the time line. Readers that take the time between
/// two records for the cost of the first one need equal distances.
enum class Spread { kEven, kRunning };

struct SampleList {
  std::vector<ListedSample> records;  ///< By time
  std::uint64_t samples = 0;          ///< That they stand for; more than records: several a record
  std::uint64_t timed = 0;            ///< Records with a recorded time

  /// One line about what the records are and where their times come from.
  std::string Describe() const;
};

/// The samples of `events`. The weights of all records of a place add up to the weight of the
/// place, and their numbers are as its samples, if there are at most `most`; beyond, each place has
/// a record at least. `rank_of_place`: records without a recorded time are in the order of the
/// marks, then in this order; empty: that of places.
SampleList ListSamples(const Report& report, const RunClock& clock,
                       const std::vector<SampleOwner>& owners,
                       const std::vector<std::size_t>& events,
                       const std::vector<std::uint32_t>& rank_of_place, Spread spread,
                       std::size_t most = kMostListed);

}  // namespace csink::report
