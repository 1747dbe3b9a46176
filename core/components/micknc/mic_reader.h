#pragma once

#include <memory>

#include "core/components/vendor/bounded_source.h"

namespace csink {

/// Reads Xeon Phi cards (Knights Corner) by the library of this name. TIME_ACTIVE, TIME_IDLE and
/// UTIL are rates over the time since the last read of the same set.
std::unique_ptr<VendorReader> MakeMicReader(const char* library);

inline constexpr VendorPatience kMicPatience{
    5'000'000'000, 1'000'000'000,
    "micknc: Intel's libmicmgmt does not answer; this process can no longer read its events (check "
    "whether micinfo also hangs)"};

}  // namespace csink
