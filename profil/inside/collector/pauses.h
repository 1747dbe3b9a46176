#pragma once

#include <cstdint>

#include "core/machine/clocks.h"
#include "core/sampling/thread_registry.h"

namespace csink {

/// CPU time of a process in ns, as getrusage(2) gives it.
struct CpuNs {
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  std::uint64_t total() const noexcept { return user + system; }
};

/// CPU time of this process, of all its threads so far. Threads: any. Signals: safe; one system
/// call.
inline CpuNs ProcessCpu() noexcept {
  CpuNs now;
  ProcessCpuNs(&now.user, &now.system);
  return now;
}

/// Whether the process is paused, since when, and how much CPU time fell into pauses.
///
/// A fresh event begins a full period: if each pause closed the events, a program that samples
/// only stretches shorter than a period would never get a sample. So a short pause leaves the
/// events running and drops their samples (at 1 kHz 1.5 % of the paused time); the periods go on,
/// and the samples of the stretches add up to their CPU time. A pause longer than kRestAfterNs
/// closes the events ("rests") and costs nothing from then on. What was mapped meanwhile is read
/// from /proc when the events are opened again.
///
/// The clocks are read by the caller, so that a test can choose their values.
///
/// Threads: pausing() and resting() any; the rest one at a time (the collector's lock).
/// Signals: safe (pauses_signal.cpp); no system call.
class Pauses {
 public:
  /// Wall time in ns after which a pause closes the events, at the next drain: 100 ms. Until then
  /// discarded samples cost little; opening the events again costs 150 us (docs/design/profil.md).
  static constexpr std::uint64_t kRestAfterNs = 100'000'000;

  bool pausing() const noexcept { return __atomic_load_n(&pausing_, __ATOMIC_SEQ_CST); }
  /// True if the pause has closed the events, so that new threads need none. Threads: any.
  bool resting() const noexcept { return __atomic_load_n(&resting_, __ATOMIC_SEQ_CST); }
  /// System time counts as paused, too, because it is sampled.
  void set_system_is_sampled(bool sampled) noexcept { system_is_sampled_ = sampled; }

  /// Begins a pause at this CPU time of the process. Requires !pausing().
  void Begin(const CpuNs& process, std::uint64_t monotonic_ns) noexcept;
  /// Ends the pause and adds its CPU time to the sum. Requires pausing().
  void End(const CpuNs& process) noexcept;
  /// The events are about to be closed. Requires CanRest().
  void BeginRest() noexcept { __atomic_store_n(&resting_, true, __ATOMIC_SEQ_CST); }
  /// The pause goes on, but the events are about to be opened again.
  void EndRest() noexcept { __atomic_store_n(&resting_, false, __ATOMIC_SEQ_CST); }
  /// The process is paused, and its events are still open.
  bool CanRest() const noexcept { return pausing() && !resting(); }
  /// True if the process has been paused for kRestAfterNs and its events are still open.
  bool RestIsDue(std::uint64_t monotonic_ns) const noexcept;
  /// The events stay open for another kRestAfterNs.
  void PostponeRest(std::uint64_t monotonic_ns) noexcept { begin_monotonic_ns_ = monotonic_ns; }

  /// CPU time in pauses up to this CPU time of the process.
  CpuNs Until(const CpuNs& process) const noexcept;
  /// The part of Until that would have been sampled otherwise.
  std::uint64_t SampledNsUntil(const CpuNs& process) const noexcept;

  /// Whether the pause of this thread began and ended with that of the process.
  bool AgreesWith(const ThreadSlot& slot) const noexcept { return slot.in_pause == pausing(); }
  /// Begins or ends the pause of one thread, whose CPU clock shows `cpu_ns`. Requires
  /// !AgreesWith(slot).
  void Agree(ThreadSlot& slot, std::uint64_t cpu_ns) const noexcept;
  /// CPU time of this thread in pauses, when its CPU clock shows `cpu_ns`.
  static std::uint64_t NsOf(const ThreadSlot& slot, std::uint64_t cpu_ns) noexcept {
    const bool inside = slot.in_pause && cpu_ns > slot.pause_from_ns;
    return slot.paused_ns + (inside ? cpu_ns - slot.pause_from_ns : 0);
  }

  /// Forgets all paused CPU time. A pause that lasts begins anew at this CPU time.
  void Clear(const CpuNs& process) noexcept;
  /// In a forked child: a paused program stays paused, and none of its events are open yet.
  void ResetAfterFork() noexcept { resting_ = pausing_; }

 private:
  bool pausing_ = false;  ///< Accessed atomically, as the next
  bool resting_ = false;
  bool system_is_sampled_ = false;        ///< See set_system_is_sampled
  std::uint64_t begin_monotonic_ns_ = 0;  ///< Begin of the pause, or of its last postponement
  CpuNs begin_;                           ///< CPU time of the process at the begin of the pause
  CpuNs ended_;                           ///< CPU time in pauses that are over
};

}  // namespace csink
