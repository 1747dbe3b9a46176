#include "symbolizer/report/ledger/process_times.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/wording/numbers.h"

/// File: what wait4(2) returns for a process includes the descendants that it waited for. So the
/// time of the process alone is that less what it used by its children, which the process recorded
/// at its end (RUSAGE_CHILDREN), or else less what its own waits returned.

namespace csink::report {
namespace {

CpuTime TimeOf(const ChildEnd& end) { return {end.user_ns, end.system_ns}; }

/// A tree and a process number. Two trees may have been on two machines.
using Key = std::pair<std::uint64_t, std::uint32_t>;

/// Moments of a profile's evidence.
struct Index {
  explicit Index(const std::vector<TreeEvidence>& trees) {
    for (const TreeEvidence& tree : trees) {
      for (const ChildEnd& end : tree.ends) waits[{tree.tree_id, end.waiter_pid}].push_back(&end);
      for (const ChildrenUse& use : tree.children)
        children[{tree.tree_id, use.pid}].push_back(&use);
    }
  }

  std::map<Key, std::vector<const ChildEnd*>> waits;
  std::map<Key, std::vector<const ChildrenUse*>> children;
};

Key KeyOf(const ProcessRow& row) { return {row.tree_id, row.pid}; }

/// Whether `when` is between the two; an unknown moment is.
bool IsWithin(std::uint64_t when, std::uint64_t first, std::uint64_t last) {
  return when == 0 || (when >= first && when <= last);
}

CpuTime Larger(const CpuTime& a, const CpuTime& b) { return a.TotalNs() >= b.TotalNs() ? a : b; }

/// What a process used by its children, as far as it recorded that between the two moments.
CpuTime ChildrenOf(const Key& process, std::uint64_t first, std::uint64_t last,
                   const Index& index) {
  CpuTime recorded;
  // The number only grows, so the largest one is the last. It is 0 at the begin of a process.
  if (const auto found = index.children.find(process); found != index.children.end()) {
    for (const ChildrenUse* use : found->second) {
      if (!IsWithin(use->monotonic_ns, first, last)) continue;
      recorded.user_ns = std::max(recorded.user_ns, use->user_ns);
      recorded.system_ns = std::max(recorded.system_ns, use->system_ns);
    }
  }
  CpuTime waited;
  if (const auto found = index.waits.find(process); found != index.waits.end()) {
    for (const ChildEnd* end : found->second) {
      if (IsWithin(end->monotonic_ns, first, last)) waited.Add(TimeOf(*end));
    }
  }
  return Larger(recorded, waited);
}

/// What the wait for a process returned, or else the last reading.
CpuTime Whole(const ProcessTime& process) {
  const ProcessRow& last = process.last();
  return last.waited ? CpuTime{last.waited_user_ns, last.waited_system_ns} : process.read;
}

/// The processes with a profile, without what waits say.
std::vector<ProcessTime> Profiled(const Profile& profile) {
  std::map<std::tuple<std::string, std::uint32_t, std::uint64_t, std::size_t>, ProcessTime> by_key;
  for (std::size_t i = 0; i < profile.processes.size(); ++i) {
    const ProcessRow& row = profile.processes[i];
    // A sum of processes is no image of another row.
    const std::size_t sum = row.processes > 1 ? i + 1 : 0;
    by_key[{row.host, row.pid, row.start_ticks, sum}].images.push_back(&row);
  }
  std::vector<ProcessTime> processes;
  for (auto& [key, process] : by_key) {
    std::stable_sort(process.images.begin(), process.images.end(),
                     [](const ProcessRow* a, const ProcessRow* b) {
                       return a->start_monotonic_ns < b->start_monotonic_ns;
                     });
    for (const ProcessRow* image : process.images) {
      // Images of one process count from its start, so the largest value is that of the process.
      process.read.user_ns = std::max(process.read.user_ns, image->user_ns);
      process.read.system_ns = std::max(process.read.system_ns, image->system_ns);
      process.waited = process.waited || image->waited;
    }
    processes.push_back(std::move(process));
  }
  return processes;
}

using ByParent = std::map<Key, std::vector<const ProcessTime*>>;

/// What the profiles have of the children of a process, and their descendants, between the moments.
CpuTime ProfiledChildrenOf(const Key& process, std::uint64_t first, std::uint64_t last,
                           const ByParent& by_parent) {
  CpuTime sum;
  const auto found = by_parent.find(process);
  if (found == by_parent.end()) return sum;
  for (const ProcessTime* child : found->second) {
    if (IsWithin(child->images.front()->start_monotonic_ns, first, last)) sum.Add(Whole(*child));
  }
  return sum;
}

/// The waits that belong to no process with a profile.
std::vector<UnprofiledTime> Unprofiled(const Profile& profile,
                                       const std::vector<ProcessTime>& processes,
                                       const Index& index, const ByParent& by_parent) {
  // A wait belongs to a profile if its numbers are those of a row (ApplyChildEnds).
  std::set<std::tuple<Key, std::uint64_t, std::uint64_t>> known;
  for (const ProcessTime& process : processes) {
    const ProcessRow& last = process.last();
    if (last.waited) known.emplace(KeyOf(last), last.waited_user_ns, last.waited_system_ns);
  }
  std::vector<UnprofiledTime> rows;
  for (const TreeEvidence& tree : profile.tree_evidence) {
    for (const ChildEnd& end : tree.ends) {
      const Key key = {tree.tree_id, end.pid};
      if (known.count({key, end.user_ns, end.system_ns}) != 0) continue;
      const std::uint64_t last = end.monotonic_ns != 0 ? end.monotonic_ns : ~0ull;
      // A process whose spool was refused may have recorded what its own waits returned.
      const CpuTime children =
          Larger(ChildrenOf(key, 0, last, index), ProfiledChildrenOf(key, 0, last, by_parent));
      rows.push_back({&tree, &end, TimeOf(end).Less(children)});
    }
  }
  return rows;
}

}  // namespace

std::uint64_t CpuTime::TotalNs() const noexcept { return SaturatingAdd(user_ns, system_ns); }

void CpuTime::Add(const CpuTime& more) noexcept {
  AddTo(user_ns, more.user_ns);
  AddTo(system_ns, more.system_ns);
}

CpuTime CpuTime::Less(const CpuTime& part) const noexcept {
  CpuTime rest = {SaturatingSubtract(user_ns, part.user_ns),
                  SaturatingSubtract(system_ns, part.system_ns)};
  const std::uint64_t all = SaturatingSubtract(TotalNs(), part.TotalNs());
  if (rest.user_ns == 0) rest.system_ns = std::min(rest.system_ns, all);
  if (rest.system_ns == 0) rest.user_ns = std::min(rest.user_ns, all);
  return rest;
}

ProcessTimes MakeProcessTimes(const Profile& profile) {
  ProcessTimes times;
  times.profiled = Profiled(profile);
  const Index index(profile.tree_evidence);
  ByParent by_parent;
  for (const ProcessTime& process : times.profiled) {
    const ProcessRow& first = *process.images.front();
    by_parent[{first.tree_id, first.parent_pid}].push_back(&process);
  }
  for (ProcessTime& process : times.profiled) {
    times.read.Add(process.read);
    const ProcessRow& first = *process.images.front();
    const ProcessRow& last = process.last();
    AddTo(times.processes, first.processes);
    if (!last.waited) continue;
    const std::uint64_t end_ns = last.wait_monotonic_ns != 0 ? last.wait_monotonic_ns : ~0ull;
    // A process that was killed has recorded nothing of its children.
    const CpuTime children =
        Larger(ChildrenOf(KeyOf(last), first.start_monotonic_ns, end_ns, index),
               ProfiledChildrenOf(KeyOf(last), first.start_monotonic_ns, end_ns, by_parent));
    process.behind = Whole(process).Less(children).Less(process.read);
  }
  times.unprofiled = Unprofiled(profile, times.profiled, index, by_parent);
  AddTo(times.processes, times.unprofiled.size());
  return times;
}

CpuSeconds TotalCpu(const Profile& profile) {
  CpuTime read;
  for (const ProcessTime& process : Profiled(profile)) read.Add(process.read);
  return {Seconds(read.user_ns), Seconds(read.system_ns)};
}

}  // namespace csink::report
