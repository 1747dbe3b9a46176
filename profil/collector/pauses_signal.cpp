#include "profil/collector/pauses.h"

namespace csink {

void Pauses::Begin(const CpuNs& process, std::uint64_t monotonic_ns) noexcept {
  begin_ = process;
  begin_monotonic_ns_ = monotonic_ns;
  __atomic_store_n(&pausing_, true, __ATOMIC_SEQ_CST);
}

void Pauses::End(const CpuNs& process) noexcept {
  ended_ = Until(process);
  __atomic_store_n(&pausing_, false, __ATOMIC_SEQ_CST);
}

bool Pauses::RestIsDue(std::uint64_t monotonic_ns) const noexcept {
  return CanRest() && monotonic_ns - begin_monotonic_ns_ >= kRestAfterNs;
}

CpuNs Pauses::Until(const CpuNs& process) const noexcept {
  CpuNs sum = ended_;
  if (!pausing_) return sum;
  if (process.user > begin_.user) sum.user += process.user - begin_.user;
  if (process.system > begin_.system) sum.system += process.system - begin_.system;
  return sum;
}

std::uint64_t Pauses::SampledNsUntil(const CpuNs& process) const noexcept {
  const CpuNs paused = Until(process);
  return paused.user + (system_is_sampled_ ? paused.system : 0);
}

void Pauses::Agree(ThreadSlot& slot, std::uint64_t cpu_ns) const noexcept {
  if (pausing_) {
    slot.pause_from_ns = cpu_ns;
  } else {
    slot.paused_ns = NsOf(slot, cpu_ns);
    // The next drain must not take the paused CPU time for a loss.
    slot.drained_cpu_ns = cpu_ns;
  }
  slot.in_pause = pausing_;
}

void Pauses::Clear(const CpuNs& process) noexcept {
  begin_ = process;
  ended_ = CpuNs();
}

}  // namespace csink
