#pragma once

#include <cstddef>
#include <cstdint>

#include "core/perf/ring_buffer.h"
#include "core/perf/stack_sample.h"
#include "core/sampling/thread_registry.h"

namespace csink {

/// What the kernel recorded of a context switch.
enum class Switch : unsigned char { kIn = 1, kOutBlocked = 2, kOutPreempted = 3 };

/// Where samples go when a thread's ring or soft ring is drained (profil/inside/collector).
/// Threads: under the collector's lock.
/// Signals: implementations must be safe.
class SampleSink {
 public:
  /// One sample of column `event` at `pc`; `weight` in events (ns for a clock), > 0 unless the
  /// kernel reported a period of 0. The same sample may be passed twice (FirstPeriod::Take).
  virtual void OnSample(ThreadSlot& slot, std::size_t event, std::uint64_t pc,
                        std::uint64_t weight) noexcept = 0;
  /// The same with what is known of its callers; `sample` is the source's until the call returns.
  virtual void OnStackSample(ThreadSlot& slot, std::size_t event, const StackSample& sample,
                             std::uint64_t weight) noexcept {
    OnSample(slot, event, sample.pc, weight);
  }
  /// A PERF_RECORD_MMAP2 (or MMAP) that made memory executable. `record` is valid during the call.
  virtual void OnMapping(const RingRecord& record) noexcept = 0;
  /// `count` samples or other records that the kernel (or a full soft ring) dropped.
  virtual void OnLost(ThreadSlot& slot, std::size_t event, std::uint64_t count) noexcept = 0;
  /// The kernel throttled the event: it counts nothing until the next tick.
  virtual void OnThrottled(std::size_t event) noexcept = 0;

  // Of sources that record times (set_timed). Times are CLOCK_MONOTONIC, in ns.

  /// The time of the samples that are passed next, before the next OnTime.
  virtual void OnTime(std::uint64_t /*time_ns*/) noexcept {}
  /// The slot's thread got or left a processor. A switch may be passed twice, with nearly the same
  /// time, while an event replaces another one.
  virtual void OnSwitch(ThreadSlot& /*slot*/, std::uint64_t /*time_ns*/, Switch /*how*/) noexcept {}
  /// The kernel lost records of the slot's first ring between the record before and `time_ns`.
  virtual void OnLostUntil(ThreadSlot& /*slot*/, std::uint64_t /*time_ns*/) noexcept {}

 protected:
  /// Protected: no sink is deleted through this interface, so it needs no virtual destructor.
  ~SampleSink() = default;
};

}  // namespace csink
