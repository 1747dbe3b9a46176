#pragma once

#include <memory>

#include "core/components/vendor/bounded_source.h"

namespace csink {

/// Reads Maxeler cards from the daemon to which the library `library` (libmaxeleros.so) connects.
/// One request returns the power of all cards, one their utilization, and one for each card its
/// temperatures; each is sent only when an event of that group is read.
std::unique_ptr<VendorReader> MakeMaxelerReader(const char* library);

inline constexpr VendorPatience kMaxelerPatience{
    2'000'000'000, 1'000'000'000,
    "maxeler: MaxelerOS's daemon does not answer; this process can no longer read its events "
    "(check whether maxtop also hangs)"};

}  // namespace csink
