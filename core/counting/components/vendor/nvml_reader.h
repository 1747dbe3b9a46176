#pragma once

#include <initializer_list>
#include <memory>

#include "core/counting/components/vendor/bounded_source.h"

/// File: the component nvml.

namespace csink {

/// Reads NVIDIA's GPUs by the first library of these names that exists. Each card is asked for
/// everything once at Open, and only values that it returns become events. Persistence mode and MIG
/// are not changed. Events of the first card of a model have the model's name, those of all cards
/// also "<model>:device_<n>:<metric>". The names must outlive the reader.
std::unique_ptr<VendorReader> MakeNvmlReader(std::initializer_list<const char*> names);

/// Open may take several seconds: without persistence mode the driver wakes up each card.
inline constexpr VendorPatience kNvmlPatience{
    10'000'000'000, 1'000'000'000,
    "nvml: NVIDIA's library does not answer; this process can no longer read its events (check "
    "whether nvidia-smi also hangs)"};

}  // namespace csink
