#include "symbolizer/commands/run/attach_command.h"

#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>

#include "core/util/parse.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/launch/child.h"
#include "symbolizer/commands/launch/launch.h"
#include "symbolizer/commands/load/live_spools.h"
#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/commands/load/users_place.h"

/// File: `csink attach`: decides whether the process is sampled from outside, runs csink-attach in
/// the foreground and reports what it has written. csink-attach ends by Ctrl-C, which the terminal
/// sends to both; this process survives it (RunChild).

namespace csink::tool {
namespace {

/// Exit status of csink-attach: it was attached, and nothing was sampled (agent/attach).
constexpr int kNothingSampled = 4;

/// The number of a tree, as csink run makes it (run_command.cpp).
std::uint64_t RandomId() {
  std::uint64_t id = 0;
  if (getrandom(&id, sizeof id, 0) != static_cast<ssize_t>(sizeof id)) {
    id = static_cast<std::uint64_t>(getpid()) << 1;
  }
  return id | 1;  // 0 means: not part of a tree
}

/// Removes the spools and their folder. Errors leave files, which csink report lists.
void Remove(const std::string& folder) {
  for (const std::string& path : SpoolsIn(folder)) RemoveFile(path);
  (void)RemoveFolder(folder);
}

}  // namespace

int RunAttach(const AttachOptions& options, const report::Resolver& resolve) {
  const auto pid = ParseUnsigned(options.pid);
  if (!pid || *pid == 0 || *pid > 0x7fffffff) {
    Complain("csink attach " + options.pid + ": not a process number");
    return kExitUsage;
  }
  const auto number = static_cast<std::uint32_t>(*pid);
  ReportOptions report = options.report;
  // The agent's samples have callers without frame pointers, and no start that was missed.
  if (LooksProfiled(number) == HasAgent::kYes && MappedSpool(number)) {
    Warn("process " + options.pid +
         " has libagent.so: the profile that it makes of itself is reported, without attaching");
    report.targets = {options.pid};
    return RunReport(report, resolve);
  }
  const std::string attacher = FindAttacher();
  if (attacher.empty()) {
    Complain(
        WhyNotFound("csink-attach", " in libexec/countersink, nor beside libagent.so: install it"));
    return kExitNothing;
  }
  const std::uint64_t tree = RandomId();
  const auto folder = MakeTreeFolder(tree);
  if (!folder) {
    Complain("no folder for spools can be created; set CSINK_SPOOL_DIR to a folder that you own");
    return kExitNothing;
  }
  // CSINK_ENABLE=0: csink-attach itself must not be profiled where libagent.so is preloaded for all
  // programs.
  Changes changes = {
      {"CSINK_TREE", std::to_string(tree)}, {"CSINK_SPOOL_DIR", *folder}, {"CSINK_ENABLE", "0"}};
  for (auto& change : ChangesOf(options.profiling)) changes.push_back(std::move(change));
  Environment environment("", changes);
  const Ended ended = RunChild({attacher, "watch", std::to_string(number)}, environment.data());
  if (ended.spawn_errno != 0 || SpoolsIn(*folder).empty()) {
    Remove(*folder);
    // Other failures were explained by csink-attach itself.
    if (ended.spawn_errno != 0) Complain(attacher + " cannot be started");
    if (ended.spawn_errno == 0 && ended.ExitCode() == kNothingSampled) {
      Warn("nothing to report: process " + options.pid +
           " had no sample while it was attached: it used too little CPU time");
    }
    return kExitNothing;
  }
  report.targets = {*folder};
  const int status = RunReport(report, resolve);
  // What was not reported must not be lost.
  if (options.keep || (status != 0 && status != kExitSlower)) {
    MarkAsKept(*folder);
    Warn("spools are kept: csink report " + *folder);
  } else {
    Remove(*folder);
  }
  return status;
}

}  // namespace csink::tool
