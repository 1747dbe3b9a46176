#include "profil/inside/collector/pauses.h"

/// File: the arithmetic of pauses. A pause is the CPU time between two readings of the process's
/// clocks; the sum of ended pauses and the begin of the present one are all that is kept.

namespace csink {

void Pauses::Begin(const CpuNs& process, std::uint64_t monotonic_ns) noexcept {
  begin_ = process;
  begin_monotonic_ns_ = monotonic_ns;
  // Stored last: a thread that sees the pause also sees where it begins. seq_cst orders it with the
  // states of the threads' slots (pause_signal.cpp).
  __atomic_store_n(&pausing_, true, __ATOMIC_SEQ_CST);
}

void Pauses::End(const CpuNs& process) noexcept {
  // Until adds the present pause only while pausing_ is set, so the flag is cleared after it.
  ended_ = Until(process);
  __atomic_store_n(&pausing_, false, __ATOMIC_SEQ_CST);
}

bool Pauses::RestIsDue(std::uint64_t monotonic_ns) const noexcept {
  return CanRest() && monotonic_ns - begin_monotonic_ns_ >= kRestAfterNs;
}

CpuNs Pauses::Until(const CpuNs& process) const noexcept {
  CpuNs sum = ended_;
  if (!pausing_) return sum;
  // A reading from before the pause adds nothing: the numbers have no sign.
  if (process.user > begin_.user) sum.user += process.user - begin_.user;
  if (process.system > begin_.system) sum.system += process.system - begin_.system;
  return sum;
}

std::uint64_t Pauses::SampledNsUntil(const CpuNs& process) const noexcept {
  const CpuNs paused = Until(process);
  return paused.user + (system_is_sampled_ ? paused.system : 0);
}

void Pauses::Agree(ThreadSlot& slot, std::uint64_t cpu_ns) const noexcept {
  // The pause of one thread is kept by its own CPU clock, that of the process by the process clock.
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
