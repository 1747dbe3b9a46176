#pragma once

#include <memory>

#include "core/counting/components/vendor/bounded_source.h"

/// File: the component micknc.

namespace csink {

/// Reads Xeon Phi cards (Knights Corner) by the library of this name. TIME_ACTIVE, TIME_IDLE and
/// UTIL are rates over the time since the last read of the same set. `library` is a name for dlopen
/// and must outlive the reader.
std::unique_ptr<VendorReader> MakeMicReader(const char* library);

/// A card has an operating system of its own, which answers requests over PCIe.
inline constexpr VendorPatience kMicPatience{
    5'000'000'000, 1'000'000'000,
    "micknc: Intel's libmicmgmt does not answer; this process can no longer read its events (check "
    "whether micinfo also hangs)"};

}  // namespace csink
