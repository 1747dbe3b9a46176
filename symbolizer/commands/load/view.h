#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profil/reading/merge/merge.h"
#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/table.h"

/// File: which parts of a profile a report shows, and with what it is compared.

namespace csink::tool {

/// What a report shows.
struct View {
  /// Ignore callers, even if the spools have them.
  bool flat = false;
  /// Also show the call paths with most samples (text).
  bool stacks = false;
  /// Also a table of threads (text); the profile keeps threads apart.
  bool per_thread = false;
  /// Also what each thread did over time (text).
  bool time_line = false;
  /// Only samples after this mark. If empty, all samples.
  std::string phase;
  std::string baseline;  ///< Spool, folder of spools or JSON report; empty: none
  /// Largest increase of the CPU time in percent that is allowed. Nothing is checked if negative.
  double fail_if_slower = -1;
  report::FormatNeeds needs;  ///< Of the output format
  /// Resolve inlined functions, which reads more of the debug information.
  bool inlines = false;
  /// What rows are. Lines and inlined functions need more of the debug information.
  report::By by = report::By::kFunctions;
  /// Sort column. If empty, the first event.
  std::string sort;
  /// Only these columns. If empty, all columns.
  std::vector<std::string> events;
  /// Sort all tables, not only the main table: for formats with all rows.
  bool sort_all = false;
  bool quiet = false;  ///< No progress line
  /// If hot lines are in headers of libraries, resolve once more with inlined functions, to show
  /// the program's own lines (FormatNeeds::own_lines).
  bool own_lines = false;
};

/// What a profile must keep apart for the view.
MergeOptions MergeOptionsOf(const View& view);

/// Reads the earlier run of --baseline. Prints an error and returns nullopt if it cannot be read.
std::optional<report::Baseline> LoadBaseline(const std::string& file,
                                             const report::Resolver& resolve);

/// Whether the profile has samples to show. Prints a message if it has none, or none after the
/// requested mark. `what` names the profile in the message.
bool HasSamples(const Profile& profile, const View& view, const std::string& what);

/// What is wrong with the requested columns, as text for the user. Empty if nothing is wrong.
std::string WrongColumns(const Profile& profile, const View& view);

/// Resolves all names and compares with the baseline. Requested columns that do not exist are
/// ignored; WrongColumns finds them before. Shows progress on stderr.
report::Report MakeReport(Profile profile, const View& view,
                          const std::optional<report::Baseline>& baseline,
                          const report::Resolver& resolve);

/// Compares the CPU times of a comparison. Returns kExitSlower, with a message, if it is proven
/// (Comparison::slowdown) that the time grew by more than `percent`; kExitNothing, with a message,
/// if a CPU time is unknown; else 0, with a warning "unclear" if the time grew by more than that
/// and this is not proven.
int JudgeSpeed(const report::Comparison& comparison, double percent);
/// The same for a report's baseline, if the view requests it.
int JudgeSpeed(const report::Report& report, const View& view);

}  // namespace csink::tool
