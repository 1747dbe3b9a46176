#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/counting/components/appio/appio_component.h"
#include "core/counting/counters/counter_set.h"

/// File: the counter set of the component appio.

namespace csink::appio {

/// Events of appio that are read together. They are those of the thread that started the set; the
/// library's numbers always grow, and a set shows their growth since its start or reset.
/// Owns:    the numbers at the start. Threads: one at a time; a read by another thread than that
///          which started the set fails (kUnsupported), because a thread's numbers end with it.
/// Signals: Read and Reset are safe.
class AppioCounterSet final : public CounterSet {
 public:
  explicit AppioCounterSet(const Library& library) noexcept : library_(library) {}
  ~AppioCounterSet() override;

  /// Errors: kUnsupported (another target than the caller, inheriting, multiplexing, sampling),
  /// kNoEvent, kInvalid (running).
  Result<void> Configure(std::span<const CounterRequest> requests,
                         const CountingOptions& options) override;
  std::size_t size() const noexcept override { return events_.size(); }
  Result<void> Start() override;
  Result<void> Stop() override;
  Result<void> Read(long long* values) noexcept override;
  Result<void> Reset() noexcept override;
  Result<void> ReadAndReset(long long* values) noexcept override;
  /// kUnsupported: means and times have no value to continue from.
  Result<void> Write(const long long* values) noexcept override;
  bool running() const noexcept override { return running_.load(std::memory_order_acquire); }
  int fd(std::size_t) const noexcept override { return -1; }
  pid_t counted_tid() const noexcept override { return tid_; }
  void Times(std::size_t i, std::uint64_t* enabled_ns,
             std::uint64_t* running_ns) const noexcept override;
  void ForgetAfterFork() noexcept override;

 private:
  /// The values by the calling thread's numbers now; kUnsupported: another thread's set.
  Result<void> ReadNow(long long* values) const noexcept;
  /// Takes the calling thread's numbers as those of the start.
  void Begin() noexcept;

  const Library library_;
  std::vector<std::size_t> events_;  ///< Places in kEvents
  std::vector<long long> last_;      ///< The values that a stopped set shows
  std::array<long long, kPlaces> base_ = {};
  std::atomic<bool> running_{false};
  pid_t tid_ = 0;
  std::uint64_t started_ns_ = 0;  ///< CLOCK_MONOTONIC
  std::uint64_t ran_ns_ = 0;
};

}  // namespace csink::appio
