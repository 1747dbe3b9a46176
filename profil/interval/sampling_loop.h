#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "profil/interval/interval_sampler.h"

namespace csink {

/// The code of an IntervalSampler's thread, and the state that it shares with its owner. Outlives
/// the IntervalSampler if the thread is abandoned.
///
/// `phase_` says who may use the measured object: either the thread changes it from kReading to
/// kTaking, or the owner changes it to kAbandoned; the first one wins. There is no lock, because a
/// thread that hangs in a read would hold the lock forever.
/// Threads: Run: in the sampler's thread. Others: in other threads.
class SamplingLoop {
 public:
  enum Command : std::uint32_t { kRun, kFinish, kInterrupt };

  SamplingLoop(std::shared_ptr<Sampled> what, std::uint64_t interval_ns,
               const char* thread_name) noexcept;

  void Run() noexcept;

  /// The strongest command wins. The time of the first command counts.
  void Ask(Command command) noexcept;
  bool ended() const noexcept { return phase_.load(std::memory_order_acquire) == kEnded; }
  /// The time of CLOCK_MONOTONIC until which the end is awaited; the largest value before a
  /// request.
  std::uint64_t LimitNs() const noexcept;
  bool IsOwnThread() const noexcept;
  /// Whether the kernel shows the thread as running or runnable; such a thread does not hang.
  bool IsRunning() const noexcept;
  /// True: the thread is in a read and will not use shared objects afterwards.
  bool Abandon() noexcept;
  /// Waits until the thread ends or until `until_ns`; may return earlier.
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
