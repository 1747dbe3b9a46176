#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/sampling/thread_registry.h"

namespace csink {

/// A sample that was taken before the process had a spool. The thread may have ended and its slot
/// may belong to another thread when the spool is made, so the sample keeps a copy of what a
/// spool::ThreadRecord needs.
struct PendingSample {
  std::uint64_t pc;
  /// In events; ns for a clock
  std::uint64_t weight;
  std::uint64_t start_routine;
  std::uint32_t event;  ///< Number of the event's column
  bool has_stack;       ///< CallerChains::kept has the stack, under the same index
  pid_t tid;
  char name[16];
};

/// The first samples of a process, in the order in which they were drained.
///
/// A spool costs several system calls and a file. A process that takes few samples never gets one:
/// its samples stay here, and at the end of the process they are dropped or go into the record that
/// all small processes of a tree share.
///
/// Owns:    a fixed array of kMax samples, 7 KiB; no heap.
/// Threads: one at a time (the collector's lock).
/// Signals: safe; no system call.
class PendingSamples {
 public:
  /// The most samples of a process that leaves a small record: what 100 ms of CPU time give at 1
  /// kHz, and some more.
  static constexpr std::size_t kMax = 128;
  /// A process that is not about to end gets a spool with this number of samples.
  static constexpr std::size_t kThreshold = 10;

  /// Number of samples; see kMax.
  std::size_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  bool full() const noexcept { return count_ == kMax; }
  bool reached_threshold() const noexcept { return count_ >= kThreshold; }

  /// Appends a sample of the thread in `slot`; slot.name must be filled in. Requires !full().
  void Add(const ThreadSlot& slot, std::size_t event, std::uint64_t pc, std::uint64_t weight,
           bool has_stack) noexcept {
    PendingSample& sample = samples_[count_++];
    sample.pc = pc;
    sample.weight = weight;
    sample.start_routine = reinterpret_cast<std::uint64_t>(slot.start_routine);
    sample.event = static_cast<std::uint32_t>(event);
    sample.has_stack = has_stack;
    sample.tid = slot.tid.load(std::memory_order_relaxed);
    std::memcpy(sample.name, slot.name, sizeof sample.name);
  }
  /// Forgets all samples, after they were moved or dropped.
  void Clear() noexcept { count_ = 0; }

  /// The sample number `index` < size().
  const PendingSample& operator[](std::size_t index) const noexcept { return samples_[index]; }
  const PendingSample* begin() const noexcept { return samples_; }
  const PendingSample* end() const noexcept { return samples_ + count_; }

 private:
  std::size_t count_ = 0;
  PendingSample samples_[kMax];
};

}  // namespace csink
