#include "symbolizer/commands/report_command.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/util/parse.h"
#include "profil/model/saturating.h"
#include "profil/reader/reader.h"
#include "symbolizer/commands/config_command.h"
#include "symbolizer/commands/keep_modules.h"
#include "symbolizer/commands/page_output.h"
#include "symbolizer/commands/push_profile.h"
#include "symbolizer/commands/spool_files.h"

/// File: `csink report`. SpoolsOf turns arguments into files, LoadProfile reads them, MakeReport
/// names and compares, WriteReport writes. The report at exit is a variant with other rules
/// (docs/design/commands.md).

namespace csink::tool {
namespace {

/// The spools of a pid with those of its earlier images: the one that the process has mapped, else
/// those that it left behind in the usual folders.
std::vector<std::string> SpoolsOfPid(std::uint32_t pid) {
  if (const auto mapped = MappedSpool(pid)) {
    std::vector<std::string> spools = OtherImages(*mapped);
    spools.push_back(*mapped);
    return spools;
  }
  std::vector<SpoolName> found;
  for (const std::string& root : SpoolRoots()) {
    std::vector<std::string> folders = TreesIn(root);
    folders.push_back(root);
    for (const std::string& folder : folders) {
      for (const std::string& path : SpoolsIn(folder)) {
        const auto name = ParseSpoolName(path);
        if (name && name->pid == pid) found.push_back(*name);
      }
    }
  }
  // Pids are reused: the process that started last is used.
  std::vector<std::string> spools;
  const auto latest = std::max_element(
      found.begin(), found.end(),
      [](const SpoolName& a, const SpoolName& b) { return a.start_ticks < b.start_ticks; });
  for (const SpoolName& name : found) {
    if (name.SameProcess(*latest)) spools.push_back(name.path);
  }
  return spools;
}

/// The spools that one argument refers to. Prints an error if there are none.
std::vector<std::string> SpoolsOf(const std::string& target) {
  struct stat status;
  const bool exists = stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    if (access(target.c_str(), R_OK | X_OK) != 0) {
      Complain(target + ": cannot be read (" + std::strerror(errno) + ")");
      return {};
    }
    const std::vector<std::string> spools = SpoolsBelow(target);
    if (spools.empty() && !OpenSpoolFolder(target)) {
      Complain(target + kNotTrusted);
    } else if (spools.empty()) {
      Complain(target + ": no spool in this folder");
    }
    return spools;
  }
  const auto pid = ParseUnsigned(target);
  // A file that does not exist is reported when it is read.
  if (exists || !pid || *pid > 0x7fffffff) return {target};
  const auto spools = SpoolsOfPid(static_cast<std::uint32_t>(*pid));
  if (spools.empty()) {
    const bool runs = StartTicks(static_cast<std::uint32_t>(*pid)).has_value();
    Complain(runs ? "process " + target +
                        " has no spool: the process has fewer than 10 samples so far, or runs "
                        "without libagent.so"
                  : "no process " + target + " is running, and no spool of this process was found");
  }
  return spools;
}

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

std::uint64_t MissedSamples(const Profile& profile) {
  // About the agent's default period (core/events/event_spec.h).
  constexpr std::uint64_t kUsualPeriodNs = 1'000'000;
  std::uint64_t missed_ns = 0;
  for (const ProcessRow& process : profile.processes) {
    AddTo(missed_ns, process.lost_ns[static_cast<std::size_t>(spool::Loss::kNoRing)]);
    AddTo(missed_ns, process.lost_ns[static_cast<std::size_t>(spool::Loss::kShortThread)]);
    AddTo(missed_ns, process.unseen_ns);
  }
  return missed_ns / kUsualPeriodNs;
}

std::uint64_t MostSamples(const Profile& profile) {
  std::uint64_t samples = 0;
  for (const EventTotals& event : profile.events) samples = std::max(samples, event.samples);
  return samples;
}

std::uint64_t LooksAtWaits(const Profile& profile) {
  std::uint64_t looks = 0;
  for (const WaitSite& site : profile.waits.sites) AddTo(looks, site.looks);
  return looks;
}

std::vector<std::string> SpoolsOfAll(const std::vector<std::string>& targets, std::size_t& failed) {
  std::vector<std::string> paths;
  for (const std::string& target : targets) {
    const auto spools = SpoolsOf(target);
    if (spools.empty()) ++failed;
    paths.insert(paths.end(), spools.begin(), spools.end());
  }
  std::sort(paths.begin(), paths.end());
  // A file may also be in a folder that was given
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

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
