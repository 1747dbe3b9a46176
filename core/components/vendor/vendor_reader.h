#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/components/device/device_source.h"
#include "core/util/result.h"

namespace csink {

/// How a reader shows that the device still answers: one step for each answer. Who waits gives up
/// when a step takes too long, however many there are.
/// Threads: one that steps, one that waits.
class VendorSteps {
 public:
  void Step() noexcept;
  std::uint64_t last_ns() const noexcept { return last_ns_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> last_ns_{0};
};

/// A DeviceSource whose calls may wait for ever: it talks to a vendor's library or to a device.
/// MakeBoundedSource makes a DeviceSource of it that comes back in any case.
/// Threads: Look in whose thread asks; all else on one thread of BoundedSource's.
class VendorReader {
 public:
  virtual ~VendorReader() = default;

  /// Whether there is anything to talk to: a library, a device file. Talks to nothing yet, so that
  /// a machine without it pays for no thread. On failure `reason` is the sentence for the user.
  virtual Result<void> Look(std::string& reason) = 0;
  /// The rest of DeviceSource::Open.
  virtual Result<void> Open(VendorSteps& steps, std::string& reason) = 0;
  /// After Open; does not change any more.
  virtual const std::vector<DeviceEvent>& events() const noexcept = 0;
  /// As DeviceSource::Read.
  virtual Result<void> Read(VendorSteps& steps, std::span<const std::uint32_t> places,
                            std::uint64_t* bits) = 0;
  /// In a forked child before its first Read: connects anew, leaving the parent's alone.
  virtual Result<void> Reconnect(VendorSteps& steps) = 0;
  virtual std::string version() const { return {}; }
};

}  // namespace csink
