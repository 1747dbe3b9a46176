#pragma once

#include <memory>

#include "core/counting/components/device/device_source.h"
#include "core/counting/system/system_tree.h"
#include "core/perf/kernel.h"

namespace csink {

class IpmiDevice;  // core/counting/components/ipmi/ipmi_device.h

/// File: the sources of the components that read devices, for component_registry.cpp. Nothing is
/// opened before DeviceSource::Open. `tree` is the root of /sys, /proc and /dev; tests pass a
/// recorded one.

/// Energies, temperatures, frequencies, utilization and memory of processors, with APAPI's event
/// names. Without an energy it is disabled. `kernel` opens perf's energy events and must outlive
/// the source.
std::unique_ptr<DeviceSource> MakeRaplSource(const SystemTree& tree, Kernel& kernel = RealKernel());
/// The same without energies and limits of power, for machines whose energies cannot be read.
std::unique_ptr<DeviceSource> MakeLoadSource(const SystemTree& tree);
/// The zones of /sys/class/powercap (Linux, Documentation/power/powercap), with the event names of
/// PAPI 7.
std::unique_ptr<DeviceSource> MakePowercapSource(const SystemTree& tree);
/// Power and energy of all drivers of /sys/class/hwmon.
std::unique_ptr<DeviceSource> MakeHwmonSource(const SystemTree& tree);
/// Voltages, temperatures and fans of all drivers of /sys/class/hwmon, with PAPI 7's names.
std::unique_ptr<DeviceSource> MakeCoretempSource(const SystemTree& tree);
/// What the network interfaces sent and received, by /proc/net/dev, with PAPI 7's names.
/// `clock`: as MakeDeviceComponent's.
std::unique_ptr<DeviceSource> MakeNetSource(const SystemTree& tree, DeviceClock clock = nullptr);
/// The time that a hypervisor took from the processors, by /proc/stat, with PAPI 7's names.
std::unique_ptr<DeviceSource> MakeStealtimeSource(const SystemTree& tree);
/// A node of HPE Cray, by /sys/cray/pm_counters. `clock`: as MakeDeviceComponent's.
std::unique_ptr<DeviceSource> MakeCrayPmSource(const SystemTree& tree, DeviceClock clock = nullptr);
/// NVIDIA GPUs, by libnvidia-ml.so.1 or libnvidia-ml.so.
std::unique_ptr<DeviceSource> MakeNvmlSource();
/// AMD's GPUs, by librocm_smi64.so.
std::unique_ptr<DeviceSource> MakeRocmSmiSource();
/// Intel's GPUs, by libze_loader.so.1.
std::unique_ptr<DeviceSource> MakeLevelZeroSource();
/// Maxeler FPGA cards, by libmaxeleros.so.
std::unique_ptr<DeviceSource> MakeMaxelerSource();
/// Xeon Phi cards, by libmicmgmt.so.0.
std::unique_ptr<DeviceSource> MakeMicSource();
/// The server's BMC, by `device`; nullptr: by the kernel's IPMI device. `device` must outlive the
/// source.
std::unique_ptr<DeviceSource> MakeIpmiSource(IpmiDevice* device, const SystemTree& tree);

}  // namespace csink
