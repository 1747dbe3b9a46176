#include "profil/inside/collector/phase.h"
#include "profil/inside/spool/writer.h"

/// File: entering and timing phases. The record's CPU time is the sum of earlier stays
/// (earlier_ns_) and the present one (since from_ns_).

namespace csink {

bool CurrentPhase::EnterAgain(SpoolWriter& spool, const Times& now) noexcept {
  std::uint32_t id = spool.FindPhase(name());
  // A full table refuses new marks; entering an old one still works.
  if (id == spool::kNone && spool.phase_count() < kMaxPhases) {
    id = spool.AddPhase(name(), now.monotonic_ns, now.cpu_ns);
  }
  auto* phase = id == spool::kNone ? nullptr : spool.At<spool::PhaseRecord>(id);
  if (!phase) return false;
  id_ = id;
  from_ns_ = now.cpu_ns;
  paused_ns_ = now.paused_ns;
  // Requires that StoreTime was called before the last phase was left; each drain does so.
  earlier_ns_ = phase->cpu_ns;
  StoreLive(phase->marks, phase->marks + 1);
  return true;
}

bool CurrentPhase::Enter(SpoolWriter& spool, std::string_view name, const Times& now) noexcept {
  const Text<kMaxNameBytes + 1> before = name_;
  // EnterAgain uses name(), so the new name is set first and taken back if there is no room.
  name_.Clear();
  name_.Add(name);
  if (EnterAgain(spool, now)) return true;
  name_ = before;
  return false;
}

void CurrentPhase::StoreTime(SpoolWriter& spool, std::uint64_t cpu_ns,
                             std::uint64_t paused_ns) const noexcept {
  auto* phase = spool.At<spool::PhaseRecord>(id_);
  // Before the first mark the id is 0, which has no record.
  if (!phase) return;
  // The stay's CPU time, less the part that fell into pauses.
  const std::uint64_t spent = cpu_ns - from_ns_;
  const std::uint64_t rested = paused_ns - paused_ns_;
  StoreLive(phase->cpu_ns, earlier_ns_ + (spent > rested ? spent - rested : 0));
}

void CurrentPhase::Leave(std::uint64_t cpu_ns) noexcept {
  // The name stays: EnterAgain makes a record of it in the next spool.
  id_ = 0;
  from_ns_ = cpu_ns;
  paused_ns_ = earlier_ns_ = 0;
}

}  // namespace csink
