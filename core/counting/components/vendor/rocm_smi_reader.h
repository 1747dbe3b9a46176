#pragma once

#include <initializer_list>
#include <memory>

#include "core/counting/components/vendor/bounded_source.h"

/// File: the component rocm_smi.

namespace csink {

/// Reads AMD's GPUs by the first library of these names that exists: "energy:device_<n>" (uJ) and
/// "power:device_<n>" (uW), of which each card has what it answers at Open. The number is the
/// library's. The names must outlive the reader.
std::unique_ptr<VendorReader> MakeRocmSmiReader(std::initializer_list<const char*> names);

/// Open may take seconds: the driver wakes up cards that sleep.
inline constexpr VendorPatience kRocmSmiPatience{
    10'000'000'000, 1'000'000'000,
    "rocm_smi: AMD's library does not answer; this process can no longer read its events (check "
    "whether rocm-smi also hangs)"};

}  // namespace csink
