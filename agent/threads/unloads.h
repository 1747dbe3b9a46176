#pragma once

#include <cstdint>

#include "agent/process/process_state.h"
#include "core/sampling/ring_source.h"
#include "core/sampling/thread_registry.h"
#include "profil/inside/collector/collector.h"

namespace csink::agent {

/// Libraries that the program unloads.
///
/// The rings record what is mapped, in order with the samples around it. Each mapping costs the
/// kernel 1 us, and a library has six: too much for a program that loads and unloads plugins all
/// the time, and a ring full of mapping records has no room for samples. After kStormUnloads
/// unloads in kStormNs ("a storm") the rings record no mappings any more. Instead all samples are
/// drained before a library is unloaded, and the first sample after that causes /proc/self/maps to
/// be read. The order of samples and mappings is kept, in other threads, too. 10,000 loads took
/// 1.14 times the plain time before and take 1.04 times now (docs/design/agent.md).
///
/// Owns:    the count of unloads.
/// Threads: the one that calls dlclose; takes the collector's lock with all signals blocked.
///          Signals: not safe (asks the loader).
class Unloads {
 public:
  /// The storm begins when this many unloads happen within kStormNs; it never ends.
  static constexpr std::uint64_t kStormUnloads = 64;
  static constexpr std::uint64_t kStormNs = 250'000'000;

  Unloads(const ProcessState& process, ThreadRegistry& registry, RingSource& rings,
          SpoolWriter& spool, Collector& collector) noexcept
      : process_(process),
        registry_(registry),
        rings_(rings),
        spool_(spool),
        collector_(collector) {}

  /// Before dlclose, in a process with the ring source. `slot`: that of the calling thread;
  /// nullptr: unknown, it is looked up by its tid.
  void Before(ThreadSlot* slot) noexcept;
  /// After dlclose has returned.
  void After() noexcept;

 private:
  /// Counts an unload and begins the storm when it is due. The clock is read at every
  /// kStormUnloads-th.
  void Count() noexcept;
  /// True if neither the rings of the only thread nor the waiting samples can refer to the library.
  bool NothingToTakeOut(const ThreadSlot* slot) noexcept;

  const ProcessState& process_;
  ThreadRegistry& registry_;
  RingSource& rings_;
  SpoolWriter& spool_;
  Collector& collector_;
  std::uint64_t count_ = 0;
  /// CLOCK_MONOTONIC at which the present kStormUnloads began
  std::uint64_t since_ns_ = 0;
  bool storm_ = false;
};

}  // namespace csink::agent
