#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: what stands out in a run, in at most five sentences before the tables. Each sentence says
/// what was measured and where. Those of the critical path say also what faster code would save,
/// with bounds; the others do not, and none says why something is so.

namespace csink::report {

enum class FindingKind {
  kCriticalPath,     ///< A function has much of the critical path: what it saves
  kOffPath,          ///< A function has much CPU time, but a faster one saves nothing
  kCriticalUnsaved,  ///< A function has much of the critical path; savings are not predicted
  kFunction,         ///< A function has much of the CPU time
  kKernel,           ///< The CPU time was mostly in the kernel, and not sampled there
  kLock,             ///< Threads waited for a lock
  kWait,             ///< The main thread, or one it waits for, was blocked in one place
  kIdle,             ///< No thread ran for half of the time or more; waits were not recorded
  kNoProcessor,      ///< Threads waited for a processor
  kImbalance,        ///< Threads of an OpenMP region waited in its barrier
  kRanks,            ///< One rank of an MPI job has more to do than the others
  kProfiler,         ///< The profiler itself used much CPU time
  kTooShort,         ///< Too few samples to name a function
};

/// One sentence, with where to look.
struct Finding {
  FindingKind kind = FindingKind::kTooShort;
  /// For people. It may contain names of threads and locks and is not safe for a terminal.
  std::string text;
  /// At most so much of the run's wall time went into what the sentence describes. Findings are
  /// ordered by it.
  double seconds = 0;
  std::string function;    ///< Where to look first; empty: no function
  std::string file;        ///< Empty: not known
  std::uint32_t line = 0;  ///< 0: not known
};

inline constexpr std::size_t kMostFindings = 5;
/// Columns of a function's name or a line in a sentence
inline constexpr std::size_t kFindingNameColumns = 60;

/// The thresholds. A share that was sampled is compared by the lower bound of its 95 % interval.
struct FindingLimits {
  static constexpr double kFunction = 0.25;    ///< Of the weight of the first event
  static constexpr double kKernel = 0.5;       ///< Of the CPU time
  static constexpr double kOfWall = 0.1;       ///< Of the wall time: locks, waits
  static constexpr double kIdle = 0.5;         ///< Of the wall time
  static constexpr double kNoProcessor = 0.1;  ///< Of the time in which threads wanted to run
  static constexpr double kBarrier = 0.1;      ///< Of a region's time
  static constexpr double kRanks = 0.1;        ///< Above the mean of the ranks
  static constexpr double kProfiler = 0.05;    ///< Of the program's CPU time
  static constexpr double kPath = 0.1;         ///< Of the run, on the critical path
  static constexpr double kInferred = 0.05;    ///< Of the path: it is said
  static constexpr double kOffPath = 0.1;      ///< Of the CPU time
  static constexpr double kNothing = 0.005;    ///< Of the run: less is saved by code off the path
  static constexpr double kSeconds = 0.05;     ///< Less time is in no finding
  static constexpr std::uint64_t kSamples = 30;
};

/// The findings by Finding::seconds, the largest first; at most kMostFindings. Empty if nothing
/// reaches its threshold. Names are printable, and shortened to `name_columns`. Threads: any.
std::vector<Finding> FindingsOf(const Report& report,
                                std::size_t name_columns = kFindingNameColumns);

/// A word for programs: "function", "lock", "no-processor", ... (docs/json.md).
const char* WordFor(FindingKind kind);

}  // namespace csink::report
