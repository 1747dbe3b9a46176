#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/counting/components/device/device_reader.h"
#include "core/counting/components/device/device_values.h"
#include "core/counting/counters/counter_set.h"

/// File: the counter set of all device components.

namespace csink {

/// Events of one device source that are read together.
///
/// Accumulating events show their growth since Start (or Reset, Write); momentary values are shown
/// as they are, and Reset does not change them. A rate is computed between two reads of this set. A
/// read after a longer gap than an event allows, or after a counter began anew, fails once with
/// kLost; its values are valid and are a lower bound.
/// Stop waits at most 0.2 s for a device that another thread is reading. After that it fails, and
/// the set is stopped and shows zeros. Other calls wait up to kDevicePatienceNs and then fail with
/// kSystem (ETIMEDOUT); a call from a signal handler that interrupted a read fails with kConflict.
/// Owns:    its state. A thread that a device keeps in a read for ever keeps that state alive, so
/// the set may be stopped and destroyed meanwhile.
/// Threads: any, one at a time inside. Signals: not safe: devices are files and libraries.
class DeviceCounterSet final : public CounterSet {
 public:
  /// `reader` is shared with the other sets of the component. Opens nothing.
  explicit DeviceCounterSet(std::shared_ptr<DeviceReader> reader);
  ~DeviceCounterSet() override;

  /// Opens the devices. Errors: those of DeviceReader::Open; kUnsupported: a thread as target,
  /// inheriting, multiplexing, sampling; kNoEvent; kInvalid: running. After an error the set is
  /// unchanged.
  Result<void> Configure(std::span<const CounterRequest> requests,
                         const CountingOptions& options) override;
  std::size_t size() const noexcept override { return numbers_.size(); }
  /// Reads the events once, as the zero of the growth.
  Result<void> Start() override;
  Result<void> Stop() override;
  Result<void> Read(long long* values) noexcept override;
  Result<void> ReadEach(long long* values, Error* errors) noexcept override;
  void Lacks(double* most) noexcept override;
  Result<void> Reset() noexcept override;
  Result<void> ReadAndReset(long long* values) noexcept override;
  /// Sets what accumulating events show; in a stopped set the values hold for the next Start.
  Result<void> Write(const long long* values) noexcept override;
  bool running() const noexcept override { return running_; }
  /// Devices have no perf event.
  int fd(std::size_t) const noexcept override { return -1; }
  /// 0: no thread, the whole machine.
  pid_t counted_tid() const noexcept override { return 0; }
  /// The time since Start; both times are equal, because nothing takes turns.
  void Times(std::size_t i, std::uint64_t* enabled_ns,
             std::uint64_t* running_ns) const noexcept override;
  void ForgetAfterFork() noexcept override;

 private:
  /// What a read uses; protected by DeviceReader::Holding.
  struct State {
    std::shared_ptr<DeviceReader> reader;
    std::shared_ptr<DeviceClient> client;  ///< nullptr: the set is stopped
    DeviceValues values;
    bool written = false;       ///< Write was called while stopped: Start keeps the values
    bool anew = false;          ///< A counter began anew since TakeLoss
    std::vector<double> lacks;  ///< DeviceClient::lacks at the stop
    /// Reads the device into `values`; does nothing while stopped.
    /// Fails where one of the values fails, and then changes none.
    Result<void> Refresh() noexcept;
    /// Takes the answer of the device: all values that it has. Those whose counters began anew have
    /// the error kLost.
    void TakeAnswer() noexcept;
    /// kLost once, where wraps may have been missed since the last call, or counters began anew.
    Result<void> TakeLoss() noexcept;
    /// Begins at these values, or at zero.
    void Restart(const long long* from) noexcept;
  };
  /// What happens after a read: counting goes on, or starts again at zero.
  enum class Afterwards { kGoOn, kRestart };
  Result<void> ReadInto(long long* values, Afterwards afterwards) noexcept;

  std::shared_ptr<State> state_;
  std::vector<std::uint32_t> numbers_;  ///< The events' numbers
  /// The reader's clock at Start, and the length of the last run.
  std::uint64_t started_ns_ = 0;
  std::uint64_t ran_ns_ = 0;
  std::atomic<bool> running_{false};
};

}  // namespace csink
