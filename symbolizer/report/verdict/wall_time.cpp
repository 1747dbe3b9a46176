#include "symbolizer/report/verdict/wall_time.h"

#include <algorithm>

#include "profil/reading/model/main_thread.h"
#include "profil/reading/model/saturating.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// Below a tenth of the wall time, or below 50 ms, waiting is not mentioned.
constexpr double kLeastShare = 0.10;
constexpr double kLeastSeconds = 0.05;

/// The main thread's row. Returns nullptr if the thread has no samples, or shares a row with other
/// threads.
const ThreadRow* MainThread(const Profile& profile, std::size_t process) {
  for (const ThreadRow& thread : profile.threads) {
    if (thread.process != process || thread.cpu_ns == 0) continue;
    if (IsMainThread(profile, thread)) return &thread;
  }
  return nullptr;
}

}  // namespace

std::vector<ProcessWall> WallOffCpu(const Profile& profile) {
  std::vector<ProcessWall> rows;
  for (std::size_t i = 0; i < profile.processes.size(); ++i) {
    const ProcessRow& process = profile.processes[i];
    // A sum of processes has no wall time of its own.
    if (process.processes != 1) continue;
    const std::uint64_t wall_ns =
        SaturatingSubtract(process.update_monotonic_ns, process.BeginMonotonicNs());
    const std::uint64_t start_ns = SaturatingAdd(process.start_user_ns, process.start_system_ns);
    std::uint64_t cpu_ns = 0;
    // The CPU time of a process with one thread is that of its main thread. It is known without a
    // sample.
    if (process.threads_seen <= 1) {
      cpu_ns = SaturatingAdd(process.user_ns, process.system_ns);
    } else if (const ThreadRow* thread = MainThread(profile, i)) {
      cpu_ns = thread->cpu_ns;
    } else {
      continue;
    }
    ProcessWall row;
    row.pid = process.pid;
    row.is_one_of_several = profile.processes.size() > 1;
    row.program = process.program;
    row.wall_seconds = Seconds(wall_ns);
    // CPU time before the agent's start is not part of this wall time.
    row.on_cpu_seconds = std::min(row.wall_seconds, Seconds(SaturatingSubtract(cpu_ns, start_ns)));
    row.off_cpu_seconds = row.wall_seconds - row.on_cpu_seconds;
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ProcessWall& a, const ProcessWall& b) {
    return a.off_cpu_seconds > b.off_cpu_seconds;
  });
  return rows;
}

std::string WallLine(const std::vector<ProcessWall>& wall) {
  std::string text;
  std::size_t more = 0;
  for (const ProcessWall& row : wall) {
    if (row.off_cpu_seconds < kLeastSeconds) continue;
    if (row.off_cpu_seconds < kLeastShare * row.wall_seconds) continue;
    // One process in full, the one that waited longest: rows are sorted so.
    if (!text.empty()) {
      ++more;
      continue;
    }
    text = "the main thread" +
           (row.is_one_of_several ? " of " + row.program + " (pid " + std::to_string(row.pid) + ")"
                                  : "") +
           " was not on a CPU for " + Duration(row.off_cpu_seconds) + " (" +
           Percent(row.off_cpu_seconds / row.wall_seconds) + ") of " + Duration(row.wall_seconds) +
           " of wall time: the thread waited, or no core was free";
  }
  if (more > 0) text += "; the same for " + Count(more, "more process", "more processes");
  return text;
}

}  // namespace csink::report
