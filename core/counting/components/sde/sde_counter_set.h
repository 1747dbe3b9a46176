#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/counting/components/sde/sde_library.h"
#include "core/counting/counters/counter_set.h"

/// File: the counter set of the component sde.

namespace csink::sde {

/// Software defined events that are read together. An event's number here is libsde's + 1.
///
/// Counters belong to the process: counts of all threads are in them. A difference (PAPI_SDE_DELTA)
/// starts at zero with Start and Reset; a momentary value is shown as it is. libsde keeps one start
/// value for each counter: two sets with the same counter share it, and the later Start or Reset
/// applies to both. Between the read and the reset of ReadAndReset counts of another thread may be
/// lost. Write sets the library's own variable, and only while the set runs.
///
/// Where an event was unregistered meanwhile, reads of its set fail with kNoEvent, if libsde
/// notices it (sde_library.h). Stop stops the set all the same.
///
/// Owns:    the last values. Threads: one at a time.
/// Signals: Read and Reset are as safe as libsde: a recorder's value is allocated, and a callback
///          is code of the program's.
class SdeCounterSet final : public CounterSet {
 public:
  /// `functions` are those of Find, which live as long as the process.
  explicit SdeCounterSet(const Functions& functions) noexcept : functions_(functions) {}

  /// Errors: kUnsupported (another target than the caller, inheriting, multiplexing, sampling),
  /// kNoEvent (an event is not registered), kInvalid (running). After an error the set is
  /// unchanged.
  Result<void> Configure(std::span<const CounterRequest> requests,
                         const CountingOptions& options) override;
  std::size_t size() const noexcept override { return numbers_.size(); }
  Result<void> Start() override;
  Result<void> Stop() override;
  Result<void> Read(long long* values) noexcept override;
  /// Resets libsde's start values, also those of another set with the same counter.
  Result<void> Reset() noexcept override;
  Result<void> ReadAndReset(long long* values) noexcept override;
  Result<void> Write(const long long* values) noexcept override;
  bool running() const noexcept override { return running_.load(std::memory_order_acquire); }
  /// Software defined events have no perf event.
  int fd(std::size_t) const noexcept override { return -1; }
  /// The thread that called Configure; overflows are handled there. 0 before Configure.
  pid_t counted_tid() const noexcept override { return tid_; }
  void Times(std::size_t i, std::uint64_t* enabled_ns,
             std::uint64_t* running_ns) const noexcept override;
  void ForgetAfterFork() noexcept override;

 private:
  /// Read or reset all counters; kNoEvent where one was unregistered.
  Result<void> ReadAll(long long* values) noexcept;
  Result<void> ResetAll() noexcept;

  const Functions& functions_;
  std::vector<std::uint32_t> numbers_;  ///< libsde's numbers
  std::vector<long long> last_;         ///< The values that a stopped set shows
  std::atomic<bool> running_{false};
  pid_t tid_ = 0;
  /// CLOCK_MONOTONIC at Start, and the length of the last run.
  std::uint64_t started_ns_ = 0;
  std::uint64_t ran_ns_ = 0;
};

}  // namespace csink::sde
