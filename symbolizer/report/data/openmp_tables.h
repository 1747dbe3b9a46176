#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// File: parallel regions of OpenMP as data of a report: what the threads of each region did, by
/// samples and by looks at blocked threads. docs/openmp.md describes the meaning.

namespace csink::report {

/// Time of threads, and its share of a whole that the owner names.
struct OpenMpCell {
  double seconds = 0;
  double share = 0;  ///< 0..1
  double low = 0;    ///< 95 % interval of the share; low == high: exact
  double high = 0;
};

/// A parallel region, or the tasks of one place. Shares are those of the time that its threads
/// spent in it.
struct OpenMpRegion {
  std::string function;  ///< The outlined function: "main._omp_fn.0"
  std::string in;        ///< The function that has the region in its source; empty: not known
  std::string module;    ///< As FunctionRow::module
  std::string file;      ///< Of the region's first line; empty: unknown
  std::uint32_t line = 0;
  bool is_task = false;
  std::uint64_t threads = 0;  ///< With samples in it; 0: not known (merged files)
  double seconds = 0;         ///< Of all its threads
  OpenMpCell work;            ///< Its own code and what it called
  OpenMpCell barrier;
  OpenMpCell lock;
  OpenMpCell runtime;  ///< Other code of the runtime
  /// The part of barrier.seconds that was sampled in no region, and divided among the regions by
  /// the time that the thread lacks in them.
  double divided_seconds = 0;
  double mean_work_seconds = 0;  ///< Of a thread
  double most_work_seconds = 0;  ///< Of the thread with most
  double Imbalance() const {     ///< 0: all threads work equally long
    return mean_work_seconds > 0 ? most_work_seconds / mean_work_seconds - 1 : 0;
  }
};

/// The regions, and the time of their threads outside of regions. Shares of the last four are those
/// of `seconds`.
struct OpenMpTables {
  std::vector<std::string> runtimes;  ///< Names of the runtime libraries, sorted
  double seconds = 0;                 ///< Of all threads that were in a region or in the runtime
  std::uint64_t threads = 0;          ///< Their number; 0: not known
  std::vector<OpenMpRegion> regions;  ///< Most time first
  OpenMpCell idle;                    ///< The runtime's threads waited for the next region
  OpenMpCell barrier;                 ///< Last barrier of a region that is not known
  OpenMpCell barrier_or_idle;         ///< Not known which
  OpenMpCell outside;                 ///< Everything else outside of regions
  bool has_callers = false;           ///< Samples have call chains
  bool has_waits = false;             ///< Blocked time is part of the times
};

/// "solve.c:120", or the function's name where the line is not known.
std::string RegionName(const OpenMpRegion& region);

}  // namespace csink::report
