#pragma once

#include <cstdint>

#include "agent/process/process_state.h"
#include "core/sampling/ring_source.h"
#include "core/sampling/thread_registry.h"
#include "profil/collector/collector.h"

namespace csink::agent {

/// Libraries that the program unloads.
///
/// The rings report what is mapped, in order with the samples around it. That costs the kernel
/// 1 us for each mapping, and a library has six: too much for a program that loads and unloads
/// plugins all the time, and a ring full of mapping records has no room for samples. After
/// kStormUnloads unloads in kStormNs ("a storm") the rings report no mappings any more. Instead all
/// samples are drained before a library is unloaded, and the first sample after that reads
/// /proc/self/maps: the order is kept, in other threads, too.
///
/// Owns:    the count of unloads. Threads: the one that calls dlclose; takes the collector's lock
///          with all signals blocked. Signals: not safe (asks the loader).
class Unloads {
 public:
  static constexpr std::uint64_t kStormUnloads = 64;
  static constexpr std::uint64_t kStormNs = 250'000'000;

  Unloads(const ProcessState& process, ThreadRegistry& registry, RingSource& rings,
          SpoolWriter& spool, Collector& collector) noexcept
      : process_(process),
        registry_(registry),
        rings_(rings),
        spool_(spool),
        collector_(collector) {}

  /// Before dlclose, while the ring source samples. `slot`: the calling thread's, nullptr: not
  /// known, it is looked up by its tid.
  void Before(ThreadSlot* slot) noexcept;
  /// After it.
  void After() noexcept;
  bool storm() const noexcept { return storm_; }

 private:
  void Count() noexcept;
  bool NothingToTakeOut(const ThreadSlot* slot) noexcept;

  const ProcessState& process_;
  ThreadRegistry& registry_;
  RingSource& rings_;
  SpoolWriter& spool_;
  Collector& collector_;
  std::uint64_t count_ = 0;
  std::uint64_t since_ns_ = 0;  ///< When the present kStormUnloads began
  bool storm_ = false;
};

}  // namespace csink::agent
