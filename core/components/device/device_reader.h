#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/components/device/device_source.h"
#include "core/util/futex_lock.h"
#include "core/util/result.h"

namespace csink {

/// A set that runs: what it counts, and what it perhaps missed.
struct DeviceClient {
  std::vector<std::uint32_t> places;
  std::uint64_t wraps_perhaps_lost = 0;
  std::atomic<bool> gone{false};  ///< Left without holding the source
};

/// A source as all event sets of the process share it: opened once, read by one thread at a time,
/// and kept read while sets with wrapping counters run.
///
/// Owns:    the source and, while such a set runs, one detached thread with every signal blocked.
/// Threads: any. Signals: not safe; a handler on the thread that holds the source gets kConflict.
class DeviceReader : public std::enable_shared_from_this<DeviceReader> {
 public:
  using Clock = std::uint64_t (*)() noexcept;  ///< ns, CLOCK_MONOTONIC

  DeviceReader(std::string name, std::unique_ptr<DeviceSource> source, Clock clock)
      : name_(std::move(name)), source_(std::move(source)), clock_(clock) {}

  const std::string& name() const noexcept { return name_; }

  /// Opens the source at the first call; the answer stays.
  Result<void> Open();
  bool opened() const noexcept { return opened_.load(std::memory_order_acquire); }
  // After Open:
  const std::string& reason() const noexcept { return reason_; }
  const std::vector<DeviceEvent>& events() const noexcept { return source_->events(); }
  const DeviceSource& source() const noexcept { return *source_; }

  /// The source for one thread. All below needs it held.
  class Holding {
   public:
    explicit Holding(DeviceReader& reader, std::uint64_t patience_ns = kDevicePatienceNs) noexcept;
    ~Holding();
    Holding(const Holding&) = delete;
    Holding& operator=(const Holding&) = delete;
    bool held() const noexcept { return error_.code == Errc::kOk; }
    const Error& error() const noexcept { return error_; }

   private:
    DeviceReader& reader_;
    Error error_;
  };

  /// Reads, and tells the clients what may be lost since the last read of the same events.
  Result<void> Read(std::span<const std::uint32_t> places, std::uint64_t* bits) noexcept;
  std::uint64_t Now() const noexcept { return clock_(); }
  /// From now on `client`'s events are kept read.
  void Join(std::shared_ptr<DeviceClient> client);
  void Leave(DeviceClient& client) noexcept;

  /// In a forked child: no client, no thread, nobody holds it.
  void ForgetAfterFork() noexcept;

 private:
  std::uint64_t GapOf(std::uint32_t place) const noexcept;
  void NoteGap(std::uint32_t place, std::uint64_t now_ns) noexcept;
  void SayLost(std::uint64_t silent_ns, std::uint64_t gap_ns) noexcept;
  void DropGone() noexcept;
  std::uint64_t ShortestGap() noexcept;
  void StartKeeper() noexcept;
  void Keep() noexcept;
  /// One round of the keeper; false: it is no longer needed.
  bool KeepOnce(std::uint64_t* wait_ns);

  const std::string name_;
  const std::unique_ptr<DeviceSource> source_;
  const Clock clock_;
  FutexLock lock_;
  std::atomic<bool> opened_{false};
  Error open_error_;
  std::string reason_;
  std::vector<std::uint64_t> last_read_ns_;  ///< By place; 0: never
  std::vector<std::shared_ptr<DeviceClient>> clients_;
  bool keeper_runs_ = false;
  bool said_lost_ = false;
  std::atomic<std::uint32_t> keeper_word_{0};  ///< Changes when the keeper has to look
};

}  // namespace csink
