#pragma once

#include <cstdint>
#include <memory>

#include "core/counting/components/device/device_source.h"
#include "core/counting/components/vendor/vendor_reader.h"

/// File: a deadline for code of vendors (docs/design/components.md).

namespace csink {

/// How long one step of a reader may take before its device is given up. A step is one answer of
/// the device (VendorSteps), so a read of many values may take longer in all.
struct VendorPatience {
  /// For a step of Open or Reconnect, in ns. A sleeping driver may need seconds to wake up.
  std::uint64_t open_ns = 0;
  /// For a step of Read, in ns.
  std::uint64_t read_ns = 1'000'000'000;
  /// A static sentence for stderr (once) and for the caller: which device does not answer, and what
  /// to do. It becomes Error::what, so it must live as long as the process.
  const char* lost = "a device no longer answers";
};

/// Makes a source whose calls return whatever the vendor's code does: the reader runs on a thread
/// of the source's own, which is created at Open if the vendor's library or device exists. A step
/// that takes too long makes the source lost for the life of the process: that Open or Read fails
/// with kSystem (ETIMEDOUT), and so do all later ones, at once. The thread is abandoned with
/// everything it holds; it is never joined or cancelled, because a driver may hang in the kernel.
/// It has all signals blocked, so that no handler of the program runs on it.
/// The two threads cost 30 us a read. Exceptions of the reader become
/// errors (kLimit, kSystem).
std::unique_ptr<DeviceSource> MakeBoundedSource(std::unique_ptr<VendorReader> reader,
                                                const VendorPatience& patience);

}  // namespace csink
