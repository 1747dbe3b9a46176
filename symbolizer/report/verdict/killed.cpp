#include "symbolizer/report/verdict/killed.h"

#include <csignal>

#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// How many processes died without notice (SIGKILL).
struct Killed {
  std::size_t processes = 0;
  /// One of them had more than one thread.
  bool has_threads = false;
};

/// Counts the killed processes of a profile.
Killed KilledOf(const Profile& profile) {
  Killed killed;
  for (const ProcessRow& process : profile.processes) {
    if (process.state != ProcessState::kKilled) continue;
    ++killed.processes;
    killed.has_threads = killed.has_threads || process.threads_seen > 1;
  }
  return killed;
}

/// Who killed, as far as `csink run` knows. Without the counters of the kernel, or if they did not
/// change, lack of memory is not mentioned. `one`: the profile has one process, and it was killed.
std::string ByWhom(const TreeTotals& tree, bool one) {
  // The cgroup of the command alone is evidence; on the whole machine another program may have been
  // killed.
  if (tree.cgroup_oom_kills > 0) {
    return " by the kernel for lack of memory (oom_kill of the cgroup: " +
           Grouped(tree.cgroup_oom_kills) +
           "); more memory for the cgroup (memory.max), or smaller input, shows the end";
  }
  std::string text;
  if (one && tree.signal == SIGKILL) {
    text = " (SIGKILL)";
  } else if (one && tree.signal > 0) {
    text = " by signal " + std::to_string(tree.signal);
  }
  if (tree.machine_oom_kills > 0 && (!one || tree.signal == 0 || tree.signal == SIGKILL)) {
    text += ", perhaps by the kernel for lack of memory (oom_kill in /proc/vmstat: " +
            Grouped(tree.machine_oom_kills) + "; the kernel's log names the process)";
  }
  return text;
}

}  // namespace

std::string KilledNote(const Profile& profile) {
  const Killed killed = KilledOf(profile);
  if (killed.processes == 0) return "";
  const bool one = killed.processes == 1 && profile.processes.size() == 1;
  // A single thread drains every 100 ms of its CPU time. With several threads the agent's thread
  // sweeps every 200 ms at most, and has 50 ms to get a processor.
  const std::string until = killed.has_threads ? "250 ms" : "100 ms of CPU time";
  const std::string by = ByWhom(profile.tree, one);
  return (one ? std::string("the program was killed")
              : Count(killed.processes, "process was", "processes were") + " killed") +
         (by.empty() ? " (SIGKILL, or a signal without a handler)" : by) + "; complete up to " +
         until + " before";
}

std::string EndsOfKilled(const Profile& profile) {
  const std::size_t killed = KilledOf(profile).processes;
  if (killed == 0) return "";
  return "by " + Count(killed, "killed process after its", "killed processes after their") +
         " last update, or ";
}

}  // namespace csink::report
