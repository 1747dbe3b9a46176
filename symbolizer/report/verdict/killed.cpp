#include "symbolizer/report/verdict/killed.h"

#include <sys/wait.h>

#include <csignal>
#include <map>
#include <utility>

#include "symbolizer/report/ledger/cause.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// Processes that ended in one way.
struct Ended {
  std::size_t processes = 0;
  /// One of them had more than one thread.
  bool has_threads = false;
};

/// The way in which a process ended: its state, with the signal or the exit status.
using Way = std::pair<ProcessState, std::uint32_t>;

/// "1 process was", "3 processes were", or "the program was" for the only one.
std::string Were(std::size_t processes, bool one) {
  return one ? "the program was" : Count(processes, "process was", "processes were");
}

/// How they ended. `one`: it is the only process of the profile.
std::string WayText(const Way& way, const Ended& ended, bool one) {
  if (way.first == ProcessState::kKilled) {
    return Were(ended.processes, one) + " killed by " + SignalName(static_cast<int>(way.second));
  }
  if (way.first == ProcessState::kExited) {
    return (one ? std::string("the program") : Count(ended.processes, "process", "processes")) +
           " exited with status " + std::to_string(way.second) +
           " by a call that the agent does not see";
  }
  return "how " +
         (one ? std::string("the program") : Count(ended.processes, "process", "processes")) +
         " ended is not known: no end was recorded, and no wait for it was seen";
}

/// What the kernel counted in the cgroup of the command, where a process was killed by SIGKILL. It
/// does not say which process it was.
std::string MemoryText(const TreeTotals& tree, const Way& way) {
  if (way != Way{ProcessState::kKilled, SIGKILL} || tree.cgroup_oom_kills == 0) return "";
  return "; in this time the kernel killed " +
         Count(tree.cgroup_oom_kills, "process", "processes") +
         " of the cgroup for lack of memory (oom_kill)";
}

}  // namespace

std::vector<std::string> UnseenEndNotes(const Profile& profile) {
  std::map<Way, Ended> ways;
  for (const ProcessRow& process : profile.processes) {
    if (process.state == ProcessState::kComplete || process.state == ProcessState::kLive) continue;
    const bool known = process.state != ProcessState::kUnknown;
    Ended& ended = ways[{process.state, known ? process.end_detail : 0}];
    ++ended.processes;
    ended.has_threads = ended.has_threads || process.threads_seen > 1;
  }
  std::vector<std::string> notes;
  for (const auto& [way, ended] : ways) {
    const bool one = ended.processes == 1 && profile.processes.size() == 1;
    // A single thread drains every 100 ms of its CPU time. With several threads the agent's thread
    // sweeps every 200 ms at most, and has 50 ms to get a processor.
    notes.push_back(WayText(way, ended, one) + "; complete up to " +
                    (ended.has_threads ? "250 ms" : "100 ms of CPU time") + " before" +
                    MemoryText(profile.tree, way));
  }
  return notes;
}

}  // namespace csink::report
