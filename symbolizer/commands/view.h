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

/// File: which parts of a profile a report shows, and what it is compared with.

namespace csink::tool {

struct View {
  bool flat = false;           ///< Without callers, though the spools have them
  bool stacks = false;         ///< Also the hottest call paths
  bool per_thread = false;     ///< Also a table of threads
  std::string phase;           ///< Samples of this mark alone; empty: all
  std::string baseline;        ///< Spool, folder of spools or JSON report; empty: none
  double fail_if_slower = -1;  ///< Percent; below 0: no such check
  report::FormatNeeds needs;   ///< Of the format that it is written in
  bool inlines = false;        ///< Look up what was inlined
  report::By by = report::By::kFunctions;
  std::string sort;                 ///< Of the rows; empty: by the first event
  std::vector<std::string> events;  ///< These columns alone; empty: all
  bool sort_all = false;            ///< Not in the main table alone: for formats with all rows
  bool quiet = false;               ///< No progress
};

/// The CPU time is more than View::fail_if_slower percent above the baseline's.
inline constexpr int kExitSlower = 3;

MergeOptions MergeOptionsOf(const View& view);

/// Reads an earlier run. nullopt when it cannot be read: complained of.
std::optional<report::Baseline> LoadBaseline(const std::string& file,
                                             const report::Resolver& resolve);

/// Whether the profile has something to show: complains when it has no samples, or none of the
/// mark that was asked for. `what` names the profile.
bool HasSamples(const Profile& profile, const View& view, const std::string& what);

/// What is wrong with the columns that were asked for; empty: nothing.
std::string WrongColumns(const Profile& profile, const View& view);

/// Names everything and compares. Columns that there are not are as if not asked for.
report::Report MakeReport(Profile profile, const View& view,
                          const std::optional<report::Baseline>& baseline,
                          const report::Resolver& resolve);

/// kExitSlower when the CPU time grew by more than so many percent, with a line that says by how
/// much; kExitNothing when the earlier time is not known; else 0.
int JudgeSpeed(const report::Comparison& comparison, double percent);
/// The same of a report's baseline, where the view asks for it.
int JudgeSpeed(const report::Report& report, const View& view);

}  // namespace csink::tool
