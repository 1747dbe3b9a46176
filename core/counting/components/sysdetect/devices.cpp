#include "core/counting/components/sysdetect/devices.h"

namespace csink::sysdetect {

Devices FindDevices() {
  const SystemTree tree;
  Devices devices;
  devices.cpu = ReadHostCpuInfo();
  devices.caches = ReadCaches(tree, HostCpuid());
  DeviceType& cpu = devices.types[0];
  cpu.vendor_name = devices.cpu.identity.vendor_name;
  cpu.status = "ready";
  cpu.count = 1;
  devices.types[1] = FindNvidiaGpus();
  devices.types[2] = FindAmdGpus(tree);
  return devices;
}

}  // namespace csink::sysdetect
