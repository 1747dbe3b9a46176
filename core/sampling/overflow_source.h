#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "core/perf/ring_buffer.h"
#include "core/perf/stack_sample.h"
#include "core/sampling/thread_registry.h"
#include "core/util/result.h"

namespace csink {

/// Where samples go when a slot is drained (profil/collector/collector.h).
class SampleSink {
 public:
  /// One sample of column `event` at `pc`; `weight` in events (ns for a clock).
  virtual void OnSample(ThreadSlot& slot, std::size_t event, std::uint64_t pc,
                        std::uint64_t weight) noexcept = 0;
  /// The same with what is known of its callers; `sample` is the source's until the call returns.
  virtual void OnStackSample(ThreadSlot& slot, std::size_t event, const StackSample& sample,
                             std::uint64_t weight) noexcept {
    OnSample(slot, event, sample.pc, weight);
  }
  /// A PERF_RECORD_MMAP2 (or MMAP) that made memory executable.
  virtual void OnMapping(const RingRecord& record) noexcept = 0;
  /// `count` samples or other records that the kernel (or a full soft ring) dropped.
  virtual void OnLost(ThreadSlot& slot, std::size_t event, std::uint64_t count) noexcept = 0;
  virtual void OnThrottled(std::size_t event) noexcept = 0;

 protected:
  ~SampleSink() = default;
};

/// Turns counter overflows of one thread into samples that wait to be drained.
/// One interface for hardware overflow and timers.
///
/// Threads: Arm and Disarm for one slot: one at a time. Drain: under the
///          collector's lock. A thread may be armed from another thread.
/// Signals: safe.
class OverflowSource {
 public:
  virtual const char* name() const noexcept = 0;
  /// Starts sampling thread `tid` into `slot`. The slot is unchanged on failure.
  virtual Result<void> Arm(ThreadSlot& slot, pid_t tid) noexcept = 0;
  /// Stops and frees; what was not drained is lost.
  virtual void Disarm(ThreadSlot& slot) noexcept = 0;
  virtual void Drain(ThreadSlot& slot, SampleSink& sink) noexcept = 0;

 protected:
  ~OverflowSource() = default;
};

}  // namespace csink
