#pragma once

#include <memory>

#include "core/components/device/device_reader.h"
#include "core/components/device/device_source.h"

/// File: a component over a DeviceSource, for tests. device_source.h has the function that the
/// registry uses, and the contract of the component.

namespace csink {

/// As MakeDeviceComponent in device_source.h, with another clock than CLOCK_MONOTONIC, so that a
/// test can let counters wrap. `clock` returns ns and never goes back.
std::unique_ptr<Component> MakeDeviceComponent(const DeviceComponentName& name,
                                               std::unique_ptr<DeviceSource> source,
                                               DeviceReader::Clock clock);

}  // namespace csink
