#pragma once

#include <memory>

#include "core/counting/components/vendor/bounded_source.h"

/// File: the component maxeler.

namespace csink {

/// Reads Maxeler cards from the daemon to which the library `library` (libmaxeleros.so) connects.
/// One request returns the power of all cards, one their utilization, and one for each card its
/// temperatures; each is sent only when an event of that group is read. Events are momentary
/// values, "<metric>:DEVICE<card>". `library` is a name for dlopen and must outlive the reader.
std::unique_ptr<VendorReader> MakeMaxelerReader(const char* library);

/// The daemon is a process of the same machine, so a second for a read is long.
inline constexpr VendorPatience kMaxelerPatience{
    2'000'000'000, 1'000'000'000,
    "maxeler: MaxelerOS's daemon does not answer; this process can no longer read its events "
    "(check whether maxtop also hangs)"};

}  // namespace csink
