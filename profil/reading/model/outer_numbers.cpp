#include "profil/reading/model/outer_numbers.h"

#include <algorithm>
#include <vector>

/// File: several namespaces of a tree have a process 1. A row is found by the start of its process
/// as well; what has no start belongs to the last process with the number that was recorded before.
/// The children of these processes keep the parent's number that they recorded: a process whose
/// parent has ended has 1 there as well.

namespace csink {
namespace {

using Numbers = std::vector<OuterNumber>;

/// The process with number `pid` in its namespace that was recorded last before `when`.
const OuterNumber* LastOf(const Numbers& numbers, std::uint32_t pid, std::uint64_t when) {
  const OuterNumber* last = nullptr;
  for (const OuterNumber& number : numbers) {
    if (number.pid != pid || number.monotonic_ns > when) continue;
    if (!last || number.monotonic_ns >= last->monotonic_ns) last = &number;
  }
  return last;
}

const OuterNumber* NumberOf(const Numbers& numbers, const ProcessRow& row) {
  // Such a process has no parent in its namespace, in any image.
  if (row.parent_pid != 0 || row.processes != 1) return nullptr;
  if (row.start_ticks == 0) return LastOf(numbers, row.pid, row.update_monotonic_ns);
  const auto found = std::find_if(numbers.begin(), numbers.end(), [&](const OuterNumber& number) {
    return number.pid == row.pid && number.start_ticks == row.start_ticks;
  });
  return found != numbers.end() ? &*found : nullptr;
}

void Renumber(const Numbers& numbers, std::uint32_t& pid, std::uint64_t when) {
  if (const OuterNumber* number = LastOf(numbers, pid, when)) pid = number->outer_pid;
}

/// For the processes of one tree.
void Apply(TreeEvidence& evidence, Profile& profile) {
  const Numbers& numbers = evidence.outer_numbers;
  if (numbers.empty()) return;
  for (ProcessRow& row : profile.processes) {
    const OuterNumber* number = row.tree_id == evidence.tree_id ? NumberOf(numbers, row) : nullptr;
    if (!number) continue;
    row.namespace_pid = row.pid;
    row.pid = number->outer_pid;
    // The image before an exec may have known the parent, the next one does not.
    for (const OuterNumber& other : numbers) {
      if (other.pid == number->pid && other.outer_pid == number->outer_pid) {
        row.parent_pid = std::max(row.parent_pid, other.parent_pid);
      }
    }
  }
  for (ChildEnd& end : evidence.ends) Renumber(numbers, end.waiter_pid, end.monotonic_ns);
  for (ChildrenUse& use : evidence.children) Renumber(numbers, use.pid, use.monotonic_ns);
  for (RefusedExec& exec : evidence.refused) Renumber(numbers, exec.pid, exec.monotonic_ns);
  for (LeftOutProcess& process : evidence.left_out) {
    Renumber(numbers, process.pid, process.monotonic_ns);
  }
}

}  // namespace

void ApplyOuterNumbers(Profile& profile) {
  for (TreeEvidence& evidence : profile.tree_evidence) Apply(evidence, profile);
}

}  // namespace csink
