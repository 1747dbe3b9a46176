#pragma once

#include "core/overflow/overflow_source.h"
#include "core/perf/sampling_attr.h"

namespace csink {

/// The default source: the kernel writes 16-byte records (the PC alone) into a
/// small ring per thread and event; nobody is interrupted more than the counter
/// itself interrupts. Works in threads that block every signal.
///
/// Ring sizes: 64 KiB for the main thread, 16 KiB for others, 8 KiB beyond 64
/// threads: at 1 kHz 8 KiB last half a second of CPU time, and the kernel's
/// budget for locked memory of unprivileged users (516 KiB a CPU and 8 MiB a
/// process) is shared by all threads. When the budget is spent, smaller rings
/// are tried down to one page.
class RingSource final : public OverflowSource {
 public:
  explicit RingSource(Kernel& kernel) noexcept : kernel_(kernel) {}

  const char* name() const noexcept override { return "ring"; }

  /// The events to sample; before the first Arm.
  void Configure(const EventList& events) noexcept { events_ = events; }
  const EventList& events() const noexcept { return events_; }
  /// How many threads there are: decides the size of the next ring.
  void set_threads(std::size_t threads) noexcept { threads_ = threads; }

  Result<void> Arm(ThreadSlot& slot, pid_t tid) noexcept override;
  void Disarm(ThreadSlot& slot) noexcept override;
  void Drain(ThreadSlot& slot, SampleSink& sink) noexcept override;

  unsigned precise_obtained(std::size_t event) const noexcept {
    return ladders_[event].precise_obtained();
  }
  /// Which event the last failed Arm stumbled over.
  std::size_t failed_event() const noexcept { return failed_event_; }

  /// Bytes of ring for a thread.
  static std::size_t RingBytes(bool main_thread, std::size_t threads) noexcept;

 private:
  Result<void> ArmEvent(ThreadSlot& slot, pid_t tid, std::size_t event) noexcept;

  Kernel& kernel_;
  EventList events_;
  AttributeLadder ladders_[kMaxEventSpecs];
  std::size_t threads_ = 1;
  std::size_t failed_event_ = 0;
};

}  // namespace csink
