#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profil/model/merge.h"
#include "symbolizer/report/report.h"
#include "symbolizer/tool/output.h"
#include "symbolizer/tool/view.h"

namespace csink::tool {

inline constexpr int kExitNothing = 1;  ///< Nothing to report, or not readable.
inline constexpr int kExitUsage = 2;

struct ReportOptions {
  OutputOptions output;
  View view;
  std::vector<std::string> targets;  ///< Files, folders, pids; none: list what there is.
  bool configuration = false;        ///< Print how the spools were made instead.
  bool at_exit = false;              ///< Called by the agent: one spool with its lineage.
  bool keep = false;                 ///< at_exit: do not remove the spools.
  std::uint64_t min_samples = 0;     ///< at_exit: below, say nothing.
};

/// `csink report`. Returns the exit status.
int RunReport(const ReportOptions& options, const report::Resolver& resolve);

/// Reads spools, one at a time, and adds them up. Unreadable ones get a line each on stderr and
/// are counted in `failed`.
Profile LoadProfile(const std::vector<std::string>& paths, std::size_t& failed,
                    const MergeOptions& options = {});

/// The spools that arguments mean (files, folders, pids), sorted, each once. Those that mean none
/// are complained of and counted in `failed`.
std::vector<std::string> SpoolsOfAll(const std::vector<std::string>& targets, std::size_t& failed);

/// Samples of the event that has most of them.
std::uint64_t MostSamples(const Profile& profile);

/// `csink report` without arguments: one line a spool; removes those of dead
/// processes that are older than a week. Returns the exit status.
int ListSpools();

}  // namespace csink::tool
