#pragma once

#include <cstdint>

#include "core/sampling/thread_registry.h"
#include "profil/format/format.h"

namespace csink {

class Kernel;

/// How the wall time of threads divides into running, waiting for a processor and being blocked.
/// The kernel counts the first two exactly (schedstat); the rest of a thread's life it was blocked.
///
/// A reading of schedstat costs a thread 18 us, and as much again at its end, because the kernel
/// creates a folder of /proc for it; the thread's CPU clock costs 0.2 us. So schedstat is read only
/// where the clock leaves something to divide (kLeastUndividedNs) in a life that is long enough
/// (kShortestLifeNs): at most 2 % of the life. What is not divided is counted as such.
///
/// Threads: the caller holds the collector's lock, or is the slot's thread before the slot is live.
/// Signals: safe (wall_times_signal.cpp).

/// Time off the processors below which schedstat is not read: 0.5 ms.
inline constexpr std::uint64_t kLeastUndividedNs = 500'000;
/// A thread that has lived less has no reading: 2 ms.
inline constexpr std::uint64_t kShortestLifeNs = 2'000'000;

/// Begins the times of the slot's thread. A thread whose creator has stored times.begin_ns is new:
/// it has neither run nor waited before. Otherwise (main, adopted, a new start) they begin at
/// `now_ns`, and schedstat is read for what was before. `cpu_ns`: the thread's CPU clock.
void BeginWallTimes(Kernel& kernel, ThreadSlot& slot, std::uint64_t cpu_ns,
                    std::uint64_t now_ns) noexcept;

/// What LookAtWallTimes has done.
enum class WallLook {
  kNoReading,    ///< The times are up to date, by the CPU clock alone
  kRead,         ///< They are up to date, and schedstat was read or refused
  kNotUpToDate,  ///< A reading was needed and not allowed: the times are those of an earlier look
};

/// Brings the slot's times up to `now_ns`, when the thread's CPU clock shows `cpu_ns`. `may_read`:
/// schedstat may be read. Of a thread that has ended the numbers are those of slot.end.
WallLook LookAtWallTimes(Kernel& kernel, ThreadSlot& slot, std::uint64_t cpu_ns,
                         std::uint64_t now_ns, bool may_read) noexcept;

/// Sums over threads. A plain value, as ThreadSums.
struct WallSums {
  std::uint64_t threads = 0;
  std::uint64_t wall_ns = 0;
  std::uint64_t run_ns = 0;
  std::uint64_t wait_ns = 0;
  std::uint64_t turns = 0;
  std::uint64_t undivided_ns = 0;
  int error = 0;  ///< errno of a reading that failed; 0: none

  /// Adds a thread as of its last look; one without a look adds nothing.
  void Add(const SlotTimes& times) noexcept;
  /// Writes the sums into `wall` ([live]); `processors` stays as it is.
  void Store(spool::WallTotals& wall) const noexcept;
  /// Writes the sums into the record of thread 0 ([live]).
  void Store(spool::ThreadRecord& merged) const noexcept;
};

/// On a thread that is about to end: stores what it can still read of itself in slot.end. schedstat
/// is read where LookAtWallTimes or the thread's row in the time line may need it. Threads: the
/// slot's, without the lock.
void ReadAtEnd(Kernel& kernel, ThreadSlot& slot) noexcept;

/// Writes a thread's times into its record ([live]). Nothing before the first look.
void StoreWallTimes(const SlotTimes& times, spool::ThreadRecord& record) noexcept;

/// Adds a thread's times to a record of several threads ([live]). Nothing before the first look.
void AddWallTimes(const SlotTimes& times, spool::ThreadRecord& record) noexcept;

/// Number of processors that the main thread of this process may use (sched_getaffinity(2)); 0: not
/// known. One system call.
std::uint32_t AllowedProcessors() noexcept;

}  // namespace csink
