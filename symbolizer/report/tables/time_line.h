#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: the time line of a report: what threads did, and where samples were, in slices of one
/// common time. Processes have rows of different begins and widths; here all are spread over the
/// same slices.

namespace csink::report {

/// A thread in one slice, in seconds. Not whole: a slice may lie across slices of the spool.
struct TimeCell {
  double run = 0;      ///< On a processor
  double wait = 0;     ///< Runnable, but waiting for a processor
  double blocked = 0;  ///< The rest of the time that is known
  double samples = 0;

  double Known() const { return run + wait + blocked; }
};

/// One thread over time.
struct TimeRow {
  const ThreadRow* thread = nullptr;  ///< Points into Report::profile
  std::uint32_t pid = 0;
  std::size_t thread_index = 0;  ///< Into Profile::threads
  bool wait_known = true;        ///< False: waiting counts as blocked
  /// The sum of all threads without a row: may run on several processors, and only `run` and
  /// `samples` are known.
  bool is_rest = false;
  TimeCell total;
  std::vector<TimeCell> cells;  ///< TimeLine::slices of them
};

/// Samples of a function in one process over time: those of its places that are among the hottest
/// ones of the process.
struct FunctionTime {
  std::uint32_t pid = 0;
  std::size_t process = 0;        ///< Index into Profile::processes
  std::uint32_t function_id = 0;  ///< FunctionRow::id
  std::string function;
  std::string module;
  double total = 0;  ///< Sum of samples
  std::vector<double> samples;
};

/// When a mark was first set.
struct TimeMark {
  std::size_t phase = 0;  ///< Index into Profile::phases
  double seconds = 0;     ///< Since the begin
};

/// Seconds are since the first start of a process (of the same machine, where there are several).
struct TimeLine {
  double seconds = 0;  ///< Length; 0: no spool has a time line
  double slice_seconds = 0;
  std::size_t slices = 0;
  std::vector<TimeRow> threads;         ///< By process, then main thread, then most run time
  std::vector<FunctionTime> functions;  ///< Most samples first
  std::vector<TimeMark> marks;          ///< By time; empty with processes of several machines
};

/// kData: slices are as wide as the widest one of the spools, or a multiple of it. kExact:
/// `slices` of them, whatever the spools have; a slice of a spool is then spread evenly.
enum class SliceFit { kData, kExact };

/// The time line with at most `slices` slices (> 0). Threads: any.
TimeLine MakeTimeLine(const Report& report, std::size_t slices, SliceFit fit);

}  // namespace csink::report
