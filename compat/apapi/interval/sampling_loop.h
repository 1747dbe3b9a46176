#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "compat/apapi/interval/interval_sampler.h"

namespace csink {

/// The code of an IntervalSampler's thread, and the state that it shares with its owner. Outlives
/// the IntervalSampler if the thread is abandoned.
///
/// `phase_` says who may use the measured object: either the thread changes it from kReading to
/// kTaking, or the owner changes it to kAbandoned; the first one wins. There is no lock, because a
/// thread that hangs in a read would hold the lock forever.
/// Owns:    a share of the measured object.
/// Threads: Run: in the sampler's thread. Others: in other threads.
class SamplingLoop {
 public:
  /// Requests, in rising strength.
  enum Command : std::uint32_t { kRun, kFinish, kInterrupt };

  SamplingLoop(std::shared_ptr<Sampled> what, std::uint64_t interval_ns,
               const char* thread_name) noexcept;

  /// Measures until the end is requested, or the owner has abandoned the thread.
  void Run() noexcept;

  /// Requests the end. The strongest command wins. The time of the first command counts for
  /// LimitNs.
  void Ask(Command command) noexcept;
  /// True if the thread has left Run in the regular way.
  bool ended() const noexcept { return phase_.load(std::memory_order_acquire) == kEnded; }
  /// The time of CLOCK_MONOTONIC until which the end is awaited; the largest value before a
  /// request.
  std::uint64_t LimitNs() const noexcept;
  /// True in the sampler's thread.
  bool IsOwnThread() const noexcept;
  /// True if the kernel shows the thread as running or runnable, or if it has not begun yet; such a
  /// thread does not hang. Reads /proc.
  bool IsRunning() const noexcept;
  /// Tries to abandon the thread. True: the thread is in a read and will not use shared objects
  /// afterwards. False: it is not in a read.
  bool Abandon() noexcept;
  /// Waits until the thread ends or until `until_ns`; may return earlier.
  void WaitForEnd(std::uint64_t until_ns) noexcept;

  /// CLOCK_MONOTONIC in ns.
  static std::uint64_t NowNs() noexcept;

  /// The thread's name
  char name[16] = {};
  /// Skipped wake-ups, and reads that returned false
  std::atomic<std::uint64_t> missed{0}, failed{0};

 private:
  /// See the class. kTaking: Take runs.
  enum Phase : std::uint32_t { kWaiting, kReading, kTaking, kEnded, kAbandoned };

  bool Measure(bool last) noexcept;
  /// The next multiple of the interval in the future; counts those that are over.
  std::uint64_t NextDeadline(std::uint64_t deadline_ns) noexcept;
  /// Waits until that time, or until a command. Returns the command; kRun: the time has come.
  Command WaitUntil(std::uint64_t deadline_ns) noexcept;

  const std::shared_ptr<Sampled> what_;
  const std::uint64_t interval_ns_;
  /// Futexes
  std::atomic<std::uint32_t> command_{kRun}, phase_{kWaiting};
  /// Time of the first request, 0: none; the longest read so far
  std::atomic<std::uint64_t> asked_ns_{0}, slowest_ns_{0};
  /// 0: the thread has not begun
  std::atomic<int> tid_{0};
};

}  // namespace csink
