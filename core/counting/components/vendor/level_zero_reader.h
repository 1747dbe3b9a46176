#pragma once

#include <initializer_list>
#include <memory>

#include "core/counting/components/vendor/bounded_source.h"

/// File: the component level_zero.

namespace csink {

/// Reads the energy counters of Intel's GPUs by Level Zero's sysman: "energy:device_<n>" (uJ), the
/// card's counter, or the device's where the card has none; or "energy:device_<n>:domain_<m>" of
/// each power domain where only parts of the device have counters. Devices are numbered over all
/// drivers in the order of the loader. The names must outlive the reader.
std::unique_ptr<VendorReader> MakeLevelZeroReader(std::initializer_list<const char*> names);

/// Open may take seconds: the loader initializes every driver.
inline constexpr VendorPatience kLevelZeroPatience{
    10'000'000'000, 1'000'000'000,
    "level_zero: Intel's library does not answer; this process can no longer read its events "
    "(check "
    "whether xpu-smi also hangs)"};

}  // namespace csink
