#pragma once

#include <string>
#include <vector>

#include "core/util/result.h"
#include "symbolizer/report/tables/comparison.h"
#include "symbolizer/report/tables/report.h"

/// File: the part of a run's report that comparisons need. compare.h compares.

namespace csink::report {

struct Baseline {
  struct Event {
    std::string name;
    double effective_samples = 0;
    double weight = 0;  ///< Number of events; ns for a clock
    bool is_clock = false;
  };
  /// A function; or a line, as "file:line in function" with the base name of the file, so that
  /// builds in different folders match; or a module (without a function).
  struct Function {
    std::string function;
    std::string module;
    std::vector<double> shares;  ///< One for each event
  };
  struct Build {
    std::string module;
    std::string build_id;  ///< Hexadecimal; empty: none
  };
  std::string command;
  std::vector<std::string>
      programs;  ///< Base names of the processes' executables, the main one first
  double cpu_seconds = 0;
  std::string verdict;  ///< The grade, in one word; empty: unknown
  std::vector<Event> events;
  std::vector<Function> functions;
  std::vector<Function> lines;
  std::vector<Function> modules;
  /// Portions of functions that are in inlined copies; may be empty
  std::vector<Function> inlined;
  std::vector<Build> builds;
};

/// Never fails.
Baseline BaselineOf(const Report& report);

/// Parses a JSON report (docs/json.md). The text is not trusted. Errors: kCorrupt (not JSON, or not
/// a report of csink), kUnsupported (another version).
Result<Baseline> ParseBaseline(const std::string& json);

}  // namespace csink::report
