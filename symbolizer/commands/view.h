#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profil/model/merge.h"
#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/table.h"

/// File: which parts of a profile a report shows, and with what it is compared.

namespace csink::tool {

struct View {
  bool flat = false;           ///< Ignore callers, even if the spools have them
  bool stacks = false;         ///< Also show the call paths with most samples
  bool per_thread = false;     ///< Also a table of threads
  std::string phase;           ///< Only samples after this mark; empty: all
  std::string baseline;        ///< Spool, folder of spools or JSON report; empty: none
  double fail_if_slower = -1;  ///< Percent; negative: no check
  report::FormatNeeds needs;   ///< Of the output format
  bool inlines = false;        ///< Resolve inlined functions
  report::By by = report::By::kFunctions;
  std::string sort;                 ///< Sort column; empty: the first event
  std::vector<std::string> events;  ///< Only these columns; empty: all
  bool sort_all = false;  ///< Sort all tables, not only the main table: for formats with all rows
  bool quiet = false;     ///< No progress line
};

/// Exit status if the CPU time exceeds the baseline's by more than View::fail_if_slower percent.
inline constexpr int kExitSlower = 3;

MergeOptions MergeOptionsOf(const View& view);

/// Reads an earlier run. nullopt: it cannot be read, and an error was printed.
std::optional<report::Baseline> LoadBaseline(const std::string& file,
                                             const report::Resolver& resolve);

/// Whether the profile has samples to show. Prints a message if it has none, or none after the
/// requested mark. `what` names the profile in the message.
bool HasSamples(const Profile& profile, const View& view, const std::string& what);

/// What is wrong with the requested columns; empty: nothing.
std::string WrongColumns(const Profile& profile, const View& view);

/// Resolves all names and compares with the baseline. Requested columns that do not exist are
/// ignored.
report::Report MakeReport(Profile profile, const View& view,
                          const std::optional<report::Baseline>& baseline,
                          const report::Resolver& resolve);

/// kExitSlower, with a message, if the CPU time grew by more than `percent`; kExitNothing if the
/// earlier CPU time is unknown; else 0.
int JudgeSpeed(const report::Comparison& comparison, double percent);
/// The same for a report's baseline, if the view requests it.
int JudgeSpeed(const report::Report& report, const View& view);

}  // namespace csink::tool
