#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/commands/load/load_profile.h"
#include "symbolizer/commands/load/view.h"
#include "symbolizer/commands/show/annotate_command.h"
#include "symbolizer/commands/show/output.h"
#include "symbolizer/report/tables/report.h"

/// File: `csink report`, and what other commands need to find spools.

namespace csink::tool {

struct ReportOptions {
  /// Format, destination and style.
  OutputOptions output;
  /// What is shown, and the baseline.
  View view;
  std::size_t annotate = 0;  ///< Number of functions that are annotated below the report.
  AnnotateChoices annotate_choices;
  /// Files, folders, pids. If empty, the spools are listed.
  std::vector<std::string> targets;
  bool clean = false;          ///< Without targets: remove what ListSpools says is left.
  bool configuration = false;  ///< Print the configuration of the spools instead.
  bool raw = false;            ///< Print the records of the spools instead.
  /// The call by the agent: one spool with its lineage (images of the same process). The interface
  /// is described in docs/design/commands.md.
  bool at_exit = false;
  /// Another call by the agent, at the end of an image in a tree: copies the files of the one spool
  /// that only its process has beside it (keep_modules.h). Nothing is printed.
  bool keep_modules = false;
  /// at_exit: do not remove the spools after the report.
  bool keep = false;
  /// at_exit: use the file name unchanged (a snapshot's FILE).
  bool as_named = false;
  /// at_exit: with fewer samples, print nothing; the spools are removed nevertheless.
  std::uint64_t min_samples = 0;
};

/// Runs `csink report`. Returns the exit status: 0; kExitNothing; kExitUsage; kExitSlower with
/// --fail-if-slower. Of --at-exit: 0, or kExitNothing if the report could not be written to its
/// place.
int RunReport(const ReportOptions& options, const report::Resolver& resolve);

/// `csink report --clean`: removes what killed programs left in the usual folders more than seven
/// days ago: spools that are not complete, empty spools, and what is beside them in the folder of a
/// tree. Never removes a complete spool, a merged file, what was to be kept (CSINK_KEEP, --keep),
/// or anything in another folder than a usual one. Returns the exit status.
int CleanSpools(const std::vector<std::string>& roots);

}  // namespace csink::tool
