#pragma once

#include <cstdint>
#include <memory>

#include "core/components/device/device_source.h"
#include "core/components/vendor/vendor_reader.h"

namespace csink {

/// How long one step of a reader may take before its device counts as lost.
struct VendorPatience {
  std::uint64_t open_ns = 0;  ///< A driver that was asleep may need seconds
  std::uint64_t read_ns = 1'000'000'000;
  /// What is said once on stderr when it is over, and to the caller: what does not answer, and
  /// what to do. Static.
  const char* lost = "a device does not answer any more";
};

/// A source whose calls come back whatever the vendor's code does: the reader runs on a thread of
/// the source's own, made at Open when there is something to talk to. A step that takes too long
/// loses the source for the life of the process: that Open or Read fails with kSystem and
/// ETIMEDOUT, and later ones at once; the thread is abandoned with what it holds, never joined or
/// cancelled. It blocks all signals, so that no handler of the program's runs on it.
std::unique_ptr<DeviceSource> MakeBoundedSource(std::unique_ptr<VendorReader> reader,
                                                const VendorPatience& patience);

}  // namespace csink
