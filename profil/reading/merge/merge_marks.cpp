#include "profil/reading/merge/merge_marks.h"

#include "profil/reading/model/saturating.h"

/// File: marks have the same meaning in all processes if they have the same name, because programs
/// set them at the same places of their code.

namespace csink {

std::uint32_t PhaseTable::IndexOf(std::string_view name) {
  // An unreadable name (a damaged spool): its samples count as before the first mark.
  if (name.empty()) return 0;
  const auto known = index_.find(name);
  if (known != index_.end()) return known->second;
  const auto index = static_cast<std::uint32_t>(phases_.size());
  phases_.push_back({.name = std::string(name)});
  index_.emplace(name, index);
  return index;
}

std::vector<std::uint32_t> PhaseTable::Add(const spool::Spool& spool) {
  std::vector<std::uint32_t> phase_of;
  if (spool.phases.empty()) return phase_of;
  // Phase 0: the time before the first mark.
  if (phases_.empty()) phases_.emplace_back();
  phase_of.push_back(0);
  const std::uint64_t end = SaturatingAdd(spool.header.user_ns, spool.header.system_ns);
  for (std::size_t i = 0; i < spool.phases.size(); ++i) {
    const spool::Phase& phase = spool.phases[i];
    phase_of.push_back(IndexOf(phase.name));
    Phase& sum = phases_[phase_of.back()];
    if (phase.start_monotonic_ns != 0 &&
        (sum.first_monotonic_ns == 0 || phase.start_monotonic_ns < sum.first_monotonic_ns)) {
      sum.first_monotonic_ns = phase.start_monotonic_ns;
    }
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
  return phase_of;
}

std::vector<Phase> PhaseTable::Finish(std::span<const ProcessRow> processes) {
  // No spool had a mark: the profile has no phases, not even phase 0.
  if (phases_.empty()) return {};
  // Only after all spools: a later spool may bring the first mark.
  // CPU time that belongs to no mark is the time before the first mark: that of all processes less
  // that of all marks.
  std::uint64_t all = 0;
  std::uint64_t marked = 0;
  for (const ProcessRow& row : processes) {
    const std::uint64_t used =
        SaturatingAdd(SaturatingSubtract(row.user_ns, row.start_user_ns),
                      SaturatingSubtract(row.system_ns, row.start_system_ns));
    AddTo(all, SaturatingSubtract(used, row.paused_ns));
  }
  for (std::size_t i = 1; i < phases_.size(); ++i) AddTo(marked, phases_[i].cpu_ns);
  phases_[0].cpu_ns = SaturatingSubtract(all, marked);
  return std::move(phases_);
}

}  // namespace csink
