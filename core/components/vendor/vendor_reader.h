#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/components/device/device_source.h"
#include "core/util/result.h"

namespace csink {

/// How a reader shows that its device still answers: it makes a step for each answer. The waiting
/// thread gives up when one step takes too long, however many steps there are.
/// Threads: one makes steps, another one waits. Signals: safe.
class VendorSteps {
 public:
  void Step() noexcept;
  std::uint64_t last_ns() const noexcept { return last_ns_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> last_ns_{0};
};

/// A DeviceSource whose calls may hang: it uses a vendor's library or a device. MakeBoundedSource
/// makes a DeviceSource of it whose calls always return.
/// Threads: Look in the caller's thread; everything else on one thread of BoundedSource's.
class VendorReader {
 public:
  virtual ~VendorReader() = default;

  /// Whether the library or the device file exists. Does not use it yet, so that a machine without
  /// it needs no thread. On failure `reason` is a sentence for the user.
  virtual Result<void> Look(std::string& reason) = 0;
  /// The remaining part of DeviceSource::Open.
  virtual Result<void> Open(VendorSteps& steps, std::string& reason) = 0;
  /// The events; constant after Open.
  virtual const std::vector<DeviceEvent>& events() const noexcept = 0;
  /// As DeviceSource::Read.
  virtual Result<void> Read(VendorSteps& steps, std::span<const std::uint32_t> places,
                            std::uint64_t* bits) = 0;
  /// In a forked child, before its first Read: connects again, without touching the parent's
  /// connection.
  virtual Result<void> Reconnect(VendorSteps& steps) = 0;
  virtual std::string version() const { return {}; }
};

}  // namespace csink
