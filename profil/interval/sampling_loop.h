#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "profil/interval/interval_sampler.h"

namespace csink {

/// What the thread of an IntervalSampler runs, and what its owner shares with it. It outlives the
/// IntervalSampler when the thread is abandoned.
///
/// `phase_` says who may touch the measured object: from kReading the thread goes to kTaking, or
/// the owner to kAbandoned, whichever is first; there is no lock that a hanging read could hold.
/// Threads: Run in the thread; the rest in others.
class SamplingLoop {
 public:
  enum Command : std::uint32_t { kRun, kFinish, kInterrupt };

  SamplingLoop(std::shared_ptr<Sampled> what, std::uint64_t interval_ns,
               const char* thread_name) noexcept;

  void Run() noexcept;

  /// The strongest command stands. The time of the first one counts.
  void Ask(Command command) noexcept;
  bool ended() const noexcept { return phase_.load(std::memory_order_acquire) == kEnded; }
  /// Until when the end is waited for, on CLOCK_MONOTONIC; the end of time before it is asked for.
  std::uint64_t LimitNs() const noexcept;
  bool IsOwnThread() const noexcept;
  /// Whether the kernel has the thread running or ready to run: then it does not hang.
  bool IsRunning() const noexcept;
  /// True: the thread is in a read and will touch nothing of ours afterwards.
  bool Abandon() noexcept;
  /// Until the end of the thread or `until_ns`; may return early.
  void WaitForEnd(std::uint64_t until_ns) noexcept;

  static std::uint64_t NowNs() noexcept;

  char name[16] = {};
  std::atomic<std::uint64_t> missed{0}, failed{0};

 private:
  enum Phase : std::uint32_t { kWaiting, kReading, kTaking, kEnded, kAbandoned };

  bool Measure(bool last) noexcept;
  std::uint64_t NextDeadline(std::uint64_t deadline_ns) noexcept;
  Command WaitUntil(std::uint64_t deadline_ns) noexcept;

  const std::shared_ptr<Sampled> what_;
  const std::uint64_t interval_ns_;
  std::atomic<std::uint32_t> command_{kRun}, phase_{kWaiting};
  std::atomic<std::uint64_t> asked_ns_{0}, slowest_ns_{0};
  std::atomic<int> tid_{0};
};

}  // namespace csink
