#pragma once

#include <memory>

#include "core/components/device/device_source.h"
#include "core/perf/kernel.h"
#include "core/system/system_tree.h"

namespace csink {

class IpmiDevice;  // core/components/ipmi/ipmi_device.h

/// The sources of the components that read devices. Nothing is opened before DeviceSource::Open.
/// `tree` is the root of /sys, /proc and /dev, another one than the machine's in tests.

/// Energies, temperatures, frequencies, utilization and memory of processors: event names of APAPI.
std::unique_ptr<DeviceSource> MakeRaplSource(const SystemTree& tree, Kernel& kernel = RealKernel());
/// The zones of /sys/class/powercap by PAPI 7's names.
std::unique_ptr<DeviceSource> MakePowercapSource(const SystemTree& tree);
/// libnvidia-ml.so.1, then .so.
std::unique_ptr<DeviceSource> MakeNvmlSource();
/// libmaxeleros.so.
std::unique_ptr<DeviceSource> MakeMaxelerSource();
/// libmicmgmt.so.0.
std::unique_ptr<DeviceSource> MakeMicSource();
/// libfreeipmi or the kernel's device. nullptr: the machine's own.
std::unique_ptr<DeviceSource> MakeIpmiSource(IpmiDevice* device, const SystemTree& tree);

}  // namespace csink
