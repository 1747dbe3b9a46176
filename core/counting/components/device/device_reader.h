#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/counting/components/device/device_source.h"
#include "core/util/futex_lock.h"
#include "core/util/result.h"

/// File: one reader for all event sets of a component. Holding gives a thread the device for a
/// while; Read reads it; a thread of the reader's own (the keeper) reads counters that would wrap
/// otherwise.

namespace csink {

/// A running set, as DeviceReader sees it: the events it counts, and what it may have missed.
/// Shared by the set and the reader, and protected by Holding, except for `gone`.
struct DeviceClient {
  explicit DeviceClient(const std::vector<std::uint32_t>& of)
      : places(of), anew(of.size(), false), lacks(of.size(), 0) {}
  /// The events' places in DeviceSource::events, with the inputs of rates.
  std::vector<std::uint32_t> places;
  /// Of each place: its counter began anew, whoever read that; the set clears it when it has taken
  /// a value since.
  std::vector<bool> anew;
  /// Of each place: what the growth since the start may lack, at most.
  std::vector<double> lacks;
  /// An upper limit; the set clears it when it has told its caller.
  std::uint64_t wraps_perhaps_lost = 0;
  std::atomic<bool> gone{false};  ///< The set was stopped without holding the source
};

/// A device source, shared by all event sets of the process: opened once, read by one thread at a
/// time, and read regularly while sets with wrapping counters run. Must be owned by a shared_ptr:
/// the thread keeps the reader alive.
///
/// Owns:    the source and, while such a set runs, one detached thread with all signals blocked.
/// Threads: any. Signals: not safe; a handler that interrupted the holder gets kConflict.
class DeviceReader : public std::enable_shared_from_this<DeviceReader> {
 public:
  DeviceReader(std::string name, std::unique_ptr<DeviceSource> source, DeviceClock clock)
      : name_(std::move(name)), source_(std::move(source)), clock_(clock) {}

  const std::string& name() const noexcept { return name_; }

  /// Opens the source at the first call and remembers the result: a failed open is not tried again.
  /// Errors: those of DeviceSource::Open; reason() has the sentence. kSystem (ETIMEDOUT): another
  /// thread is still opening it, after a wait of 30 s; the next call may succeed.
  Result<void> Open();
  bool opened() const noexcept { return opened_.load(std::memory_order_acquire); }
  // Valid after Open:
  const std::string& reason() const noexcept { return reason_; }
  const std::vector<DeviceEvent>& events() const noexcept { return source_->events(); }
  const DeviceSource& source() const noexcept { return *source_; }

  /// Holds the source for the calling thread for a scope, waiting at most `patience_ns` (0: without
  /// limit). Required for all functions below, except Now and ForgetAfterFork. Errors: kConflict:
  /// the caller is a signal handler that interrupted the holder; kSystem (ETIMEDOUT): another
  /// thread holds the source.
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

  /// DeviceSource::Read, which also notes in the clients what may have been lost since the last
  /// read of the same events. bits and errors have places.size() elements.
  Result<void> Read(std::span<const std::uint32_t> places, std::uint64_t* bits,
                    Error* errors) noexcept;
  /// The reader's clock in ns.
  std::uint64_t Now() const noexcept { return clock_(); }
  /// Starts the regular reading of `client`'s events; Leave ends it. Starts the keeper where an
  /// event may wrap; without memory for a thread a warning is written, and counting goes on.
  void Join(std::shared_ptr<DeviceClient> client);
  void Leave(DeviceClient& client) noexcept;

  /// In a forked child: drops clients, thread and lock, which belong to the parent.
  void ForgetAfterFork() noexcept;

 private:
  /// The gap that the event at `place` allows in ns; 0: any.
  std::uint64_t GapOf(std::uint32_t place) const noexcept;
  /// Notes in the clients when the event at `place` was not read for too long, and that it was read
  /// at `now_ns`.
  void NoteGap(std::uint32_t place, std::uint64_t now_ns) noexcept;
  /// Notes in the clients that the counter of the event at `place` began anew.
  void NoteAnew(std::uint32_t place, std::uint64_t now_ns) noexcept;
  /// What the event at `place` can grow by in `ns` at most; infinite: not known.
  double MostIn(std::uint32_t place, std::uint64_t ns) const noexcept;
  /// Warns once for each reader that counts may be missing: `silent_ns` without a read, where
  /// `gap_ns` were allowed.
  void SayLost(std::uint64_t silent_ns, std::uint64_t gap_ns) noexcept;
  /// Forgets clients that left without holding the source (DeviceCounterSet::Stop).
  void DropGone() noexcept;
  /// The shortest gap of all events of running sets in ns; 0: none of them wraps.
  std::uint64_t ShortestGap() noexcept;
  /// Starts the thread that reads wrapping counters; warns where no thread can be created.
  void StartKeeper() noexcept;
  /// The thread's loop.
  void Keep() noexcept;
  /// One round of the reading thread. Returns false if the thread is no longer needed. `*wait_ns`:
  /// the time to the next one.
  bool KeepOnce(std::uint64_t* wait_ns);

  const std::string name_;
  const std::unique_ptr<DeviceSource> source_;
  const DeviceClock clock_;
  /// Held by Holding. A lock of our own, because it has a timeout and knows its holder.
  FutexLock lock_;
  std::atomic<bool> opened_{false};
  /// What the first Open returned; kOk before it.
  Error open_error_;
  std::string reason_;
  std::vector<std::uint64_t> last_read_ns_;  ///< By place; 0: never read
  /// The running sets, and those that left without holding the source (DropGone).
  std::vector<std::shared_ptr<DeviceClient>> clients_;
  /// Under lock_, so that at most one keeper runs.
  bool keeper_runs_ = false;
  bool said_lost_ = false;
  std::atomic<std::uint32_t> keeper_word_{0};  ///< A futex; changes wake the reading thread
};

}  // namespace csink
