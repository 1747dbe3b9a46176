#pragma once

#include <initializer_list>
#include <memory>

#include "core/components/vendor/bounded_source.h"

namespace csink {

/// NVIDIA's GPUs by the library of the first of these names; the cards are asked once at Open, and
/// only what a card answers is an event of it. Persistence mode and MIG are left as they are.
std::unique_ptr<VendorReader> MakeNvmlReader(std::initializer_list<const char*> names);

/// Several seconds at Open: without persistence mode the driver wakes each card.
inline constexpr VendorPatience kNvmlPatience{
    10'000'000'000, 1'000'000'000,
    "nvml: NVIDIA's library does not answer; its events are lost to this process (does nvidia-smi "
    "hang, too?)"};

}  // namespace csink
