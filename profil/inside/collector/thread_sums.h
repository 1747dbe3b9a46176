#pragma once

#include <cstdint>

#include "core/sampling/event_account.h"
#include "core/sampling/ring_source.h"
#include "core/sampling/thread_registry.h"
#include "profil/inside/collector/wall_times.h"

namespace csink {

/// CPU time that the program had its events switched off in this thread, when the thread's CPU
/// clock shows `cpu_ns`. Signals: safe.
std::uint64_t SwitchedOffNs(const ThreadSlot& slot, std::uint64_t cpu_ns) noexcept;

/// CPU time for which the thread should have samples when its clock shows `cpu_ns`: since the
/// thread was armed, less pauses and times switched off. Signals: safe.
std::uint64_t DueNs(const ThreadSlot& slot, std::uint64_t cpu_ns) noexcept;

/// Sums over threads. A plain value: the sums of the ended threads are copied, and the living
/// threads are added to the copy, as often as needed.
/// Threads: as the slots that are added (the collector's lock).
/// Signals: safe (thread_sums_signal.cpp); no system call.
struct ThreadSums {
  /// By event
  EventAccount::Totals events[kMaxEventSpecs] = {};
  std::uint64_t due_ns = 0;  ///< CPU time of armed threads, less pauses and times switched off
  std::uint64_t merged_cpu_ns = 0;      ///< Of threads without a record of their own
  std::uint64_t merged_sampled_ns = 0;  ///< ... and what of it is in samples
  std::uint64_t no_ring_ns = 0;         ///< CPU time of threads that were not sampled
  std::uint64_t known_cpu_ns = 0;       ///< CPU clocks of all threads
  std::uint64_t switched_off_ns = 0;    ///< CPU time with the events switched off
  WallSums wall;                        ///< Of all threads
  WallSums merged_wall;                 ///< Of those without a record of their own

  /// Adds the times of all events of a thread of which `due` ns were due. `own`: the calling thread
  /// is the slot's, so that its counts can be read exactly.
  void AddEvents(const RingSource& rings, const ThreadSlot& slot, std::uint64_t due,
                 bool own) noexcept;
  /// Adds the times of the events whose account lies in their ring, before the ring is closed. For
  /// events that need a counter the slot itself keeps the account (RingSource::AccountOf).
  void AddRings(const RingSource& rings, const ThreadSlot& slot) noexcept;
};

}  // namespace csink
