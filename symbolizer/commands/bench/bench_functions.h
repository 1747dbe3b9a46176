#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "symbolizer/commands/bench/bench_rounds.h"
#include "symbolizer/report/data/comparison.h"
#include "symbolizer/report/tables/report.h"

/// File: profiled runs of the two commands of `csink bench`, after the measured rounds: profiling
/// costs time, so no run is both measured and profiled.

namespace csink::tool {

/// What the profiled runs gave.
struct ComparedFunctions {
  /// A is the later side (`now`), B the earlier one.
  std::optional<report::Comparison> comparison;
  /// Why there is none, in one line. Empty: there is one.
  std::string problem;
};

/// Profiles each command in `runs` more rounds and compares their functions. The programs and their
/// descendants are sampled by libagent.so as under `csink run`; CSINK_ variables of this process
/// hold. The spools are removed. A round that fails ends the comparison.
/// Threads: the process must have one (RunChild).
ComparedFunctions CompareFunctions(Rounds& rounds, std::size_t runs,
                                   const report::Resolver& resolve);

}  // namespace csink::tool
