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
  std::size_t annotate = 0;  ///< So many functions are annotated behind the report.
  AnnotateChoices annotate_choices;
  std::vector<std::string> targets;  ///< Files, folders, pids; none: list what there is.
  bool configuration = false;        ///< Print how the spools were made instead.
  bool at_exit = false;              ///< Called by the agent: one spool with its lineage.
  bool keep = false;                 ///< at_exit: do not remove the spools.
  bool as_named = false;             ///< at_exit: nothing is added to the file's name.
  std::uint64_t min_samples = 0;     ///< at_exit: below, say nothing.
};

/// `csink report`. Returns the exit status.
int RunReport(const ReportOptions& options, const report::Resolver& resolve);

/// The spools that arguments mean (files, folders, pids), sorted, each once. Those that mean none
/// are complained of and counted in `failed`.
std::vector<std::string> SpoolsOfAll(const std::vector<std::string>& targets, std::size_t& failed);

/// Samples of the event that has most of them.
std::uint64_t MostSamples(const Profile& profile);

/// The samples that the clock would have had in threads that were not sampled: a program that has
/// only those is worth a report, too.
std::uint64_t MissedSamples(const Profile& profile);
/// Fewer are no reason to say more than that there are no samples.
inline constexpr std::uint64_t kManyMissed = 20;

/// `csink report` without arguments: one line a spool; removes those of dead
/// processes that are older than a week. Returns the exit status.
int ListSpools();

}  // namespace csink::tool
