#include "profil/reading/model/child_ends.h"

#include <sys/wait.h>

#include <algorithm>
#include <map>
#include <vector>

/// File: ends are matched by process number and time. A process in a pid namespace has a number of
/// its own there, so that its end may find no process, or, if another process has the number, one
/// whose readings exceed the CPU time of the end; that one is refused.

namespace csink {
namespace {

/// The row's state by its wait status, unless the process or its agent has recorded an end.
void SetState(ProcessRow& row) {
  if (row.state != ProcessState::kUnknown) return;
  if (WIFSIGNALED(row.wait_status)) {
    row.state = ProcessState::kKilled;
    row.end = spool::End::kSignal;
    row.end_detail = static_cast<std::uint32_t>(WTERMSIG(row.wait_status));
  } else if (WIFEXITED(row.wait_status)) {
    row.state = ProcessState::kExited;
    row.end = spool::End::kQuickExit;
    row.end_detail = static_cast<std::uint32_t>(WEXITSTATUS(row.wait_status));
  }
}

/// Whether the end may be that of the image: behind its start, and with at least the time of its
/// last reading. The moment of that reading says nothing: csink-attach reads a process that has
/// ended when the wait has returned already. The kernel divides time into user and system anew with
/// each reading, so only the sum is compared.
bool Fits(const ProcessRow& row, const ChildEnd& end) {
  // Readings of csink-attach were seen up to 6 ms above what the wait returned.
  constexpr std::uint64_t kTolerated = 10'000'000;
  if (end.monotonic_ns != 0 && end.monotonic_ns < row.start_monotonic_ns) return false;
  return end.user_ns + end.system_ns + kTolerated >= row.user_ns + row.system_ns;
}

/// For the processes of one tree.
void Apply(const TreeEvidence& evidence, Profile& profile) {
  std::map<std::uint32_t, std::vector<const ChildEnd*>> ends;
  for (const ChildEnd& end : evidence.ends) ends[end.pid].push_back(&end);
  for (auto& [pid, list] : ends) {
    std::stable_sort(list.begin(), list.end(), [](const ChildEnd* a, const ChildEnd* b) {
      return a->monotonic_ns < b->monotonic_ns;
    });
  }
  std::map<std::uint32_t, std::vector<ProcessRow*>> rows;
  for (ProcessRow& row : profile.processes) {
    if (row.processes == 1 && row.tree_id == evidence.tree_id) rows[row.pid].push_back(&row);
  }
  for (auto& [pid, images] : rows) {
    const auto found = ends.find(pid);
    if (found == ends.end()) continue;
    std::stable_sort(images.begin(), images.end(), [](const ProcessRow* a, const ProcessRow* b) {
      return a->start_monotonic_ns < b->start_monotonic_ns;
    });
    auto end = found->second.begin();
    for (std::size_t i = 0; i < images.size(); ++i) {
      ProcessRow& row = *images[i];
      // Only the last image of a process has its end.
      if (i + 1 < images.size() && images[i + 1]->start_ticks == row.start_ticks) continue;
      while (end != found->second.end() && !Fits(row, **end)) ++end;
      if (end == found->second.end()) break;
      // It began behind the next process with this number: that one's.
      if (i + 1 < images.size() && (*end)->monotonic_ns > images[i + 1]->start_monotonic_ns)
        continue;
      row.waited = true;
      row.wait_status = (*end)->status;
      row.waited_user_ns = (*end)->user_ns;
      row.waited_system_ns = (*end)->system_ns;
      row.wait_monotonic_ns = (*end)->monotonic_ns;
      SetState(row);
      ++end;
    }
  }
}

}  // namespace

void ApplyChildEnds(Profile& profile) {
  for (const TreeEvidence& evidence : profile.tree_evidence) Apply(evidence, profile);
}

}  // namespace csink
