#pragma once

#include <string>
#include <vector>

#include "core/util/result.h"
#include "symbolizer/report/tables/comparison.h"
#include "symbolizer/report/tables/report.h"

/// File: what is kept of a run to compare others with. compare.h compares.

namespace csink::report {

struct Baseline {
  struct Event {
    std::string name;
    double effective_samples = 0;
    double weight = 0;  ///< Events; ns for a clock
    bool is_clock = false;
  };
  /// A function; a line, as "file:line in function" with the file's base name, so that builds in
  /// other folders meet; or a module, without a function.
  struct Function {
    std::string function;
    std::string module;
    std::vector<double> shares;  ///< One an event
  };
  struct Build {
    std::string module;
    std::string build_id;  ///< Hexadecimal; empty: none
  };
  std::string command;
  std::vector<std::string>
      programs;  ///< Base names of the processes' executables, the main one first
  double cpu_seconds = 0;
  std::string verdict;  ///< Its grade, in a word; empty: not known
  std::vector<Event> events;
  std::vector<Function> functions;
  std::vector<Function> lines;
  std::vector<Function> modules;
  std::vector<Function> inlined;  ///< Parts of functions that are inlined copies; may be empty
  std::vector<Build> builds;
};

Baseline BaselineOf(const Report& report);

/// From a JSON report (docs/json.md). The text may be anything.
/// Errors: kCorrupt (no JSON, or not a report of ours), kUnsupported (another version).
Result<Baseline> ParseBaseline(const std::string& json);

}  // namespace csink::report
