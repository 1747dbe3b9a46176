#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profil/model/merge.h"
#include "symbolizer/report/baseline.h"
#include "symbolizer/report/report.h"

/// File: which parts of a profile a report shows, and what it is compared with.

namespace csink::tool {

struct View {
  bool flat = false;           ///< Without callers, though the spools have them
  bool stacks = false;         ///< Also the hottest call paths
  bool per_thread = false;     ///< Also a table of threads
  std::string phase;           ///< Samples of this mark alone; empty: all
  std::string baseline;        ///< Spool, folder of spools or JSON report; empty: none
  double fail_if_slower = -1;  ///< Percent; below 0: no such check
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

/// Names everything and compares.
report::Report MakeReport(Profile profile, const View& view,
                          const std::optional<report::Baseline>& baseline,
                          const report::Resolver& resolve);

/// kExitSlower when the comparison says so, with a line that says by how much; else 0.
int JudgeSpeed(const report::Report& report, const View& view);

}  // namespace csink::tool
