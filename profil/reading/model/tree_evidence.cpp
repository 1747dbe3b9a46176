#include "profil/reading/model/tree_evidence.h"

#include <algorithm>

namespace csink {

TreeEvidence& EvidenceOf(std::vector<TreeEvidence>& trees, std::uint64_t tree_id) {
  for (TreeEvidence& tree : trees) {
    if (tree.tree_id == tree_id) return tree;
  }
  trees.emplace_back().tree_id = tree_id;
  return trees.back();
}

void AddEvidence(const spool::SmallRecords& records, TreeEvidence& evidence) {
  for (const spool::NotFollowed& exec : records.not_followed()) {
    evidence.refused.push_back({exec.pid, exec.why, exec.path, exec.monotonic_ns});
  }
  for (const auto& [head, ends] : records.child_ends()) {
    evidence.children.push_back(
        {head.pid, head.children_user_ns, head.children_system_ns, head.monotonic_ns});
    evidence.dropped_ends += head.dropped;
    for (const spool::SmallChildEnd& end : ends) {
      evidence.ends.push_back(
          {end.pid, head.pid, end.status, end.user_ns, end.system_ns, end.monotonic_ns});
    }
  }
  for (const auto& [process, path] : records.left_out()) {
    evidence.left_out.push_back({process.pid, process.why, process.error, path, process.user_ns,
                                 process.system_ns, process.monotonic_ns});
  }
  for (const spool::SmallNumbers& row : records.numbers()) {
    evidence.outer_numbers.push_back(
        {row.pid, row.outer_pid, row.parent_pid, row.start_ticks, row.monotonic_ns});
  }
}

}  // namespace csink
