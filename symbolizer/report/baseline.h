#pragma once

#include <string>
#include <vector>

#include "core/util/result.h"
#include "symbolizer/report/comparison.h"
#include "symbolizer/report/report.h"

namespace csink::report {

/// What is kept of an earlier run to compare another with.
struct Baseline {
  struct Event {
    std::string name;
    double effective_samples = 0;
  };
  struct Function {
    std::string function;
    std::string module;
    std::vector<double> shares;  ///< One an event
  };
  std::string command;
  double cpu_seconds = 0;
  std::vector<Event> events;
  std::vector<Function> functions;
};

Baseline BaselineOf(const Report& report);

/// From a JSON report (docs/json.md). The text may be anything.
/// Errors: kCorrupt (no JSON, or not a report of ours), kUnsupported (another version).
Result<Baseline> ParseBaseline(const std::string& json);

/// Compares the first event that both have. Functions meet by their name and their module's base
/// name up to ".so": versions of a library are one. `name`: what the user called the baseline.
///
/// A change is significant when a two-proportion test says so at 5 % for all functions together
/// (Bonferroni's correction: the more functions, the surer each has to be), and both runs would
/// expect at least five samples in it; see profil/statistics.h.
Comparison Compare(const Report& report, const Baseline& baseline, const std::string& name);

}  // namespace csink::report
