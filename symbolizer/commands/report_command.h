#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/commands/annotate_command.h"
#include "symbolizer/commands/load_profile.h"
#include "symbolizer/commands/output.h"
#include "symbolizer/commands/view.h"
#include "symbolizer/report/tables/report.h"

namespace csink::tool {

inline constexpr int kExitNothing = 1;  ///< Nothing to report, or not readable.
inline constexpr int kExitUsage = 2;

struct ReportOptions {
  OutputOptions output;
  View view;
  std::size_t annotate = 0;  ///< Number of functions that are annotated below the report.
  AnnotateChoices annotate_choices;
  std::vector<std::string> targets;  ///< Files, folders, pids; none: list the spools.
  bool configuration = false;        ///< Print the configuration of the spools instead.
  /// Called by the agent: one spool with its lineage (images of the same process).
  bool at_exit = false;
  bool keep = false;              ///< at_exit: do not remove the spools.
  bool as_named = false;          ///< at_exit: use the file name unchanged.
  std::uint64_t min_samples = 0;  ///< at_exit: with fewer samples, print nothing.
};

/// `csink report`. Returns the exit status.
int RunReport(const ReportOptions& options, const report::Resolver& resolve);

/// The spools that arguments refer to (files, folders, pids), sorted, each once. Arguments without
/// a spool are reported on stderr and counted in `failed`.
std::vector<std::string> SpoolsOfAll(const std::vector<std::string>& targets, std::size_t& failed);

/// The number of samples of the event that has most.
std::uint64_t MostSamples(const Profile& profile);

/// The number of samples that a clock event would have had in threads that were not sampled. A
/// program with only such threads deserves a report, too.
std::uint64_t MissedSamples(const Profile& profile);
/// With fewer missed samples, the report only says that there are no samples.
inline constexpr std::uint64_t kManyMissed = 20;

/// `csink report` without arguments: prints one line for each spool, and removes spools of dead
/// processes that are older than a week. Returns the exit status.
int ListSpools();

}  // namespace csink::tool
