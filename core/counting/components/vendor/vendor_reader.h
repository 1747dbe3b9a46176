#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/counting/components/device/device_source.h"
#include "core/util/result.h"

/// File: what a component of a vendor's devices implements. See bounded_source.h.

namespace csink {

/// Adds "GPU 1 is left out: <why>" to the reason of VendorReader::Open.
inline void AddLeftOut(std::string& reason, unsigned gpu, const std::string& why) {
  if (!reason.empty()) reason += "; ";
  reason += "GPU " + std::to_string(gpu) + " is left out: " + why;
}

/// How a reader shows that its device still answers: it makes a step for each answer. The waiting
/// thread gives up when one step takes too long, however many steps there are.
/// Threads: one makes steps, another one waits. Signals: safe.
class VendorSteps {
 public:
  /// Notes the time. Called after each answer of the device, and by the waiting thread before a
  /// job.
  void Step() noexcept;
  /// The time of the last step, CLOCK_MONOTONIC in ns; 0: none was made.
  std::uint64_t last_ns() const noexcept { return last_ns_.load(std::memory_order_relaxed); }

 private:
  /// Relaxed: only the time itself is passed on.
  std::atomic<std::uint64_t> last_ns_{0};
};

/// A DeviceSource whose calls may hang: it uses a vendor's library or a device. MakeBoundedSource
/// makes a DeviceSource of it whose calls always return.
/// Threads: Look in the caller's thread; Open, Read and Reconnect on one thread of BoundedSource's,
/// never two at once; events and version in the caller's thread after Open. An object whose call
/// hangs is never destroyed.
class VendorReader {
 public:
  virtual ~VendorReader() = default;

  /// Whether the library or the device file exists. Does not use it yet, so that a machine without
  /// it needs no thread. May load the library. On failure `reason` is a sentence for the user.
  virtual Result<void> Look(std::string& reason) = 0;
  /// The remaining part of DeviceSource::Open: connects, lists the devices and makes the events. A
  /// step must be made at least for each answer of the device. On success `reason` is
  /// DeviceSource::missing: the devices that are left out, and why.
  virtual Result<void> Open(VendorSteps& steps, std::string& reason) = 0;
  /// The events; constant after Open.
  virtual const std::vector<DeviceEvent>& events() const noexcept = 0;
  /// As DeviceSource::Read, with steps. May throw std::bad_alloc.
  virtual Result<void> Read(VendorSteps& steps, std::span<const std::uint32_t> places,
                            std::uint64_t* bits, Error* errors) = 0;
  /// In a forked child, before its first Read: connects again, without touching the parent's
  /// connection. The events stay as they are.
  virtual Result<void> Reconnect(VendorSteps& steps) = 0;
  /// The version of the library or driver, known after Open; "": none.
  virtual std::string version() const { return {}; }
};

}  // namespace csink
