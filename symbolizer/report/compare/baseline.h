#pragma once

#include <string>
#include <vector>

#include "core/util/result.h"
#include "symbolizer/report/compare/run_details.h"
#include "symbolizer/report/data/comparison.h"
#include "symbolizer/report/tables/report.h"

/// File: the part of a run's report that comparisons need. It is made from a report in memory or
/// read from a JSON report, so that runs of both kinds can be compared. compare.h compares.

namespace csink::report {

/// One run. Shares are 0..1.
struct Baseline {
  struct Event {
    /// As sampled, with modifiers. Runs are compared by events of equal names.
    std::string name;
    double effective_samples = 0;
    /// Number of events; nanoseconds for a clock.
    double weight = 0;
    bool is_clock = false;
  };
  /// A function; or a line, as "file:line in function" with the base name of the file, so that
  /// builds in different folders match; or a module, with an empty function.
  struct Function {
    std::string function;
    std::string module;
    /// One for each of Baseline::events.
    std::vector<double> shares;
  };
  /// The build of one module.
  struct Build {
    std::string module;
    std::string build_id;  ///< Hexadecimal; empty: none
  };
  /// The program and its arguments.
  std::string command;
  /// Base names of the processes' executables, each once, the main one first.
  std::vector<std::string> programs;
  /// User and system time of the run. 0 if it is not known.
  double cpu_seconds = 0;
  /// When the run began, in seconds since 1970. 0 if it is not known.
  double start_time = 0;
  /// The grade, in one word (WordFor). Empty if it is not known.
  std::string verdict;
  /// All events that the run sampled.
  std::vector<Event> events;
  /// The rows of the report's tables of functions, lines and modules.
  std::vector<Function> functions;
  std::vector<Function> lines;
  std::vector<Function> modules;
  /// The parts of functions that are in inlined copies. Empty if the report has no rows of inlined
  /// functions.
  std::vector<Function> inlined;
  /// One for each module with samples.
  std::vector<Build> builds;
  /// What threads waited for. One event, kBlockedTime, whose samples are looks; rows are named
  /// "function: what it waited for". No rows and no weight: it was not recorded.
  struct Waits {
    double effective_looks = 0;
    double blocked_ns = 0;
    std::vector<Function> rows;
  };
  Waits waits;
  RunDetails details;
};

/// The event of runs whose waits are compared.
inline constexpr char kBlockedTime[] = "blocked time";

/// The run with its waits in the place of its functions, for CompareRuns by waits: one event,
/// kBlockedTime. Without recorded waits it has no event.
Baseline WaitsOf(Baseline run);

/// The comparable part of a report. Never fails. Columns that SelectEvents removed are not in it.
Baseline BaselineOf(const Report& report);

/// Parses a JSON report (docs/json.md). The text is not trusted: numbers that are negative or not
/// finite become 0, shares are at most 1, and members of wrong types count as missing.
/// Errors: kCorrupt (not JSON, not a report of csink, or one without events), kUnsupported (another
/// version).
Result<Baseline> ParseBaseline(const std::string& json);

/// Finds executables that have different names on the two sides but are the same program, such as
/// app-old and app-new: the main programs, if neither ran on the other side; then, if each side ran
/// exactly one other program that the other did not, these two as well. Libraries are never
/// matched, because builds keep their names. All names are base names. The main program of a side
/// must be the same in all its runs.
std::vector<ProgramMatch> MatchPrograms(const std::vector<Baseline>& now,
                                        const std::vector<Baseline>& then);

}  // namespace csink::report
