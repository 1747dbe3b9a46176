#include "symbolizer/commands/show/report_command.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/util/parse.h"
#include "profil/reading/model/saturating.h"
#include "profil/reading/reader/reader.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/load/keep_modules.h"
#include "symbolizer/commands/load/sample_counts.h"
#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/commands/load/targets.h"
#include "symbolizer/commands/push/push_profile.h"
#include "symbolizer/commands/show/config_command.h"
#include "symbolizer/commands/show/list_command.h"
#include "symbolizer/commands/show/page_output.h"
#include "symbolizer/commands/show/raw_command.h"

/// File: `csink report`. SpoolsOf turns arguments into files, LoadProfile reads them, MakeReport
/// names and compares, WriteReport writes. The report at exit is a variant with other rules
/// (docs/design/commands.md).

namespace csink::tool {
namespace {

/// The paths as arguments of a command.
std::string Listed(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += " " + path;
  return text;
}

/// Sends the profile of an ended program where CSINK_PUSH says. Returns false if the spools must be
/// kept, because not everything was taken. A snapshot is not sent: the report at the end contains
/// its samples again.
bool PushAtExit(const Profile& profile, const std::vector<std::string>& paths,
                const std::string& spool, const report::Resolver& resolve) {
  const auto target = TargetOfSetting("");
  if (!target) return true;
  for (const ProcessRow& process : profile.processes) {
    if (process.spool_path == spool && process.state == ProcessState::kLive) return true;
  }
  auto pusher = Pusher::Make(*target);
  if (!pusher) {
    Warn("the profile is kept: csink push URL" + Listed(paths));
    return false;
  }
  return PushSpools(*pusher, paths, Listed(paths), resolve);
}

/// Whether the spool is of an earlier image of the process. Another one with the same number, host
/// and start, in another container, runs or ended otherwise than by exec.
bool IsEarlierImage(const std::string& path) {
  const auto header = spool::ReadSpoolHeader(path);
  if (!header) return true;
  return header->state == spool::State::kComplete ? header->end == spool::End::kExec
                                                  : !IsMappedAnywhere(path);
}

/// Writes the report that a program's agent asked for, and removes the spools. Any failure keeps
/// the spools, because they are then the only copy.
int ReportAtExit(const ReportOptions& options, const report::Resolver& resolve) {
  std::vector<std::string> paths = OtherImages(options.targets[0]);
  std::erase_if(paths, [](const std::string& path) { return !IsEarlierImage(path); });
  paths.push_back(options.targets[0]);
  std::size_t failed = 0;
  Profile profile = LoadProfile(paths, failed, MergeOptionsOf(options.view));
  if (profile.processes.empty()) return kExitNothing;
  bool written = true;
  bool pushed = true;
  const std::uint64_t least = std::max<std::uint64_t>(1, options.min_samples);
  // A program without a sample is reported only if samples were missed, or its waits are known.
  if (MostSamples(profile) >= least || MissedSamples(profile) >= least ||
      LooksAtWaits(profile) >= least) {
    // If the baseline cannot be read, the report is written without the comparison.
    std::optional<report::Baseline> baseline;
    if (!options.view.baseline.empty()) baseline = LoadBaseline(options.view.baseline, resolve);
    // The program's end waits for this report.
    View view = options.view;
    view.own_lines = false;
    const report::Report report = MakeReport(std::move(profile), view, baseline, resolve);
    written = WriteReportWithSources(report, options.output, resolve);
    pushed = PushAtExit(report.profile, paths, options.targets[0], resolve);
  }
  if (!written) return kExitNothing;
  if (options.keep || failed > 0 || !pushed) return 0;
  for (const std::string& path : paths) RemoveFile(path);
  return 0;
}

}  // namespace

int RunReport(const ReportOptions& options, const report::Resolver& resolve) {
  if (options.keep_modules) {
    for (const std::string& spool : options.targets) KeepModulesOf(spool);
    return 0;
  }
  if (options.at_exit) return ReportAtExit(options, resolve);
  if (options.clean && !options.targets.empty()) {
    Complain("--clean takes no files: it cleans the usual folders");
    return kExitUsage;
  }
  if (options.targets.empty()) return options.clean ? CleanSpools(SpoolRoots()) : ListSpools();
  if (options.annotate > 0 && options.output.format != ReportFormat::kText &&
      options.output.format != ReportFormat::kJson) {
    Complain("--annotate is only possible in text and JSON reports");
    return kExitUsage;
  }
  std::size_t failed = 0;
  const std::vector<std::string> paths = SpoolsOfAll(options.targets, failed);
  if (options.configuration) return PrintConfigurations(paths);
  if (options.raw) return PrintRaw(paths);
  Profile profile = LoadProfile(paths, failed, MergeOptionsOf(options.view));
  if (profile.processes.empty() || !HasSamples(profile, options.view, paths[0])) {
    return kExitNothing;
  }
  if (const std::string wrong = WrongColumns(profile, options.view); !wrong.empty()) {
    Complain(wrong);
    return kExitUsage;
  }
  // A missing baseline does not prevent the report; the exit status shows it.
  std::optional<report::Baseline> baseline;
  if (!options.view.baseline.empty()) {
    baseline = LoadBaseline(options.view.baseline, resolve);
    if (!baseline) ++failed;
  }
  View view = options.view;
  // Annotations need the address of each sample and the functions that were inlined there.
  if (options.annotate > 0) view.needs.addresses = view.inlines = true;
  const report::Report report = MakeReport(std::move(profile), view, baseline, resolve);
  const bool written = options.annotate > 0
                           ? WriteAnnotatedReport(report, options.annotate,
                                                  options.annotate_choices, options.output, resolve)
                           : WriteReportWithSources(report, options.output, resolve);
  return written && failed == 0 ? JudgeSpeed(report, options.view) : kExitNothing;
}

}  // namespace csink::tool
