#include "profil/model/merge_state.h"
#include "profil/model/saturating.h"

/// File: callers and marks of a merge.

namespace csink {

/// Adds the chains of a spool. One pass is enough: a chain's parent comes before it, in the spool
/// and in the profile.
void ProfileMerger::State::AddCallers(const spool::Spool& spool, Placement& at) {
  if (!options.keep_callers || spool.chains.empty()) return;
  if (profile.callers.empty()) profile.callers.emplace_back();
  // Chain id 0 means "no callers" and stays 0.
  at.callers.resize(spool.chains.size() + 1);
  for (std::size_t i = 0; i < spool.chains.size(); ++i) {
    const spool::Chain& chain = spool.chains[i];
    const std::uint32_t parent = at.callers[chain.parent];
    if (chain.parent != 0 && parent == 0) continue;  // The parent was dropped (limit)
    const bool is_empty = (chain.flags & spool::kChainEmpty) != 0;
    const CodeAddress address =
        is_empty ? CodeAddress{} : AddressOrUnknown(spool, chain.region, chain.pc, at);
    const CallerKey key{address.offset, address.module, parent, chain.flags};
    const auto known = callers.find(key);
    if (known != callers.end()) {
      at.callers[i + 1] = known->second;
      continue;
    }
    // The samples of this chain lose their callers, as do chains that contain this node.
    if (profile.callers.size() >= options.max_callers) {
      callers_are_full = true;
      continue;
    }
    const auto index = static_cast<std::uint32_t>(profile.callers.size());
    callers.emplace(key, index);
    profile.callers.push_back({.address = address, .parent = parent, .flags = chain.flags});
    at.callers[i + 1] = index;
  }
}

std::uint32_t ProfileMerger::State::PhaseIndex(std::string_view name) {
  if (name.empty()) return 0;
  const auto known = phases.find(name);
  if (known != phases.end()) return known->second;
  const auto index = static_cast<std::uint32_t>(profile.phases.size());
  profile.phases.push_back({.name = std::string(name)});
  phases.emplace(name, index);
  return index;
}

void ProfileMerger::State::AddPhases(const spool::Spool& spool, Placement& at) {
  const bool keep = options.keep_phases || !options.only_phase.empty();
  if (!keep || spool.phases.empty()) return;
  // Phase 0: the time before the first mark.
  if (profile.phases.empty()) profile.phases.emplace_back();
  at.phases.push_back(0);
  const std::uint64_t end = SaturatingAdd(spool.header.user_ns, spool.header.system_ns);
  for (std::size_t i = 0; i < spool.phases.size(); ++i) {
    const spool::Phase& phase = spool.phases[i];
    at.phases.push_back(PhaseIndex(phase.name));
    Phase& sum = profile.phases[at.phases.back()];
    // Since the format has `marks`, the agent measures the time of each phase.
    if (phase.marks > 0) {
      AddTo(sum.marks, phase.marks);
      AddTo(sum.cpu_ns, phase.cpu_ns);
      continue;
    }
    // Spools of older agents do not have the time of marks: a mark ends at the next mark, or at the
    // end.
    const std::uint64_t next = i + 1 < spool.phases.size() ? spool.phases[i + 1].start_cpu_ns : end;
    AddTo(sum.marks, 1);
    AddTo(sum.cpu_ns, SaturatingSubtract(next, phase.start_cpu_ns));
  }
}

/// CPU time that belongs to no mark is the time before the first mark: that of all processes less
/// that of all marks.
void ProfileMerger::State::FinishPhases() {
  if (profile.phases.empty()) return;
  std::uint64_t all = 0;
  std::uint64_t marked = 0;
  for (const ProcessRow& row : profile.processes) {
    const std::uint64_t used =
        SaturatingAdd(SaturatingSubtract(row.user_ns, row.start_user_ns),
                      SaturatingSubtract(row.system_ns, row.start_system_ns));
    AddTo(all, SaturatingSubtract(used, row.paused_ns));
  }
  for (std::size_t i = 1; i < profile.phases.size(); ++i) AddTo(marked, profile.phases[i].cpu_ns);
  profile.phases[0].cpu_ns = SaturatingSubtract(all, marked);
}

}  // namespace csink
