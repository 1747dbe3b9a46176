#pragma once

#include <memory>

#include "core/components/vendor/bounded_source.h"

namespace csink {

/// Maxeler's cards, by the daemon that libmaxeleros.so (of this name) connects to. One exchange for
/// the powers of all cards, one for their utilizations, one a card for its temperatures, each only
/// when an event of that group is read.
std::unique_ptr<VendorReader> MakeMaxelerReader(const char* library);

inline constexpr VendorPatience kMaxelerPatience{
    2'000'000'000, 1'000'000'000,
    "maxeler: MaxelerOS's daemon does not answer; its events are lost to this process (does "
    "maxtop hang, too?)"};

}  // namespace csink
