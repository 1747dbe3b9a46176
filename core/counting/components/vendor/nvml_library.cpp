#include "core/counting/components/vendor/nvml_library.h"

#include <errno.h>

namespace csink::nvml {

Library::Library(std::initializer_list<const char*> names) noexcept : library(names) {
  // Missing functions stay nullptr; complete() says whether the necessary ones are there.
  // The suffix is the version of a function's interface. nvml.h maps the plain names to the newest
  // one, so the versions stand here as the types of the header (nvml_library.h) need them.
  library.Find("nvmlInit_v2", init);
  library.Find("nvmlDeviceGetCount_v2", count);
  library.Find("nvmlDeviceGetHandleByIndex_v2", handle);
  // The older functions have no version.
  library.Find("nvmlDeviceGetName", name);
  library.Find("nvmlDeviceGetUUID", uuid);
  library.Find("nvmlDeviceGetCudaComputeCapability", capability);
  library.Find("nvmlSystemGetDriverVersion", driver_version);
  library.Find("nvmlErrorString", error_text);
  library.Find("nvmlDeviceGetFanSpeed", fan_speed);
  library.Find("nvmlDeviceGetMemoryInfo", memory);
  library.Find("nvmlDeviceGetPowerUsage", power);
  library.Find("nvmlDeviceGetFieldValues", fields);
  library.Find("nvmlDeviceGetPowerManagementLimit", power_limit);
  library.Find("nvmlDeviceGetTotalEnergyConsumption", energy);
  library.Find("nvmlDeviceGetTemperature", temperature);
  library.Find("nvmlDeviceGetClockInfo", clock);
  library.Find("nvmlDeviceGetMaxClockInfo", max_clock);
  library.Find("nvmlDeviceGetUtilizationRates", utilization);
  // The versions differ in the type of a list entry. Only the number of entries is asked for, so
  // any will do.
  for (const char* version :
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
        "nvmlDeviceGetComputeRunningProcesses"}) {
    if (!processes) library.Find(version, processes);
  }
  library.Find("nvmlDeviceGetPerformanceState", state);
  library.Find("nvmlDeviceGetTotalEccErrors", ecc);
}

Error ErrorOf(Answer answer) noexcept {
  switch (answer) {
    // A card answers "not supported" for readings that its model lacks. At Open such a metric is
    // left out; later it means that the reading went, for instance with another driver mode.
    case kNotSupported:
    case kFunctionNotFound:
      return {Errc::kNoEvent, ENOTSUP, "the GPU no longer provides this reading"};
    case kNoPermission:
      return {Errc::kPermission, EACCES,
              "the NVIDIA driver does not permit this user to read this value"};
    case kTimeout:
      return {Errc::kSystem, ETIMEDOUT, "the GPU did not answer its driver in time"};
    case kGpuIsLost:
      return {Errc::kSystem, ENODEV,
              "the GPU is lost: the GPU fell off the bus (see the kernel's log; the GPU needs a "
              "reset)"};
    case kResetRequired:
      return {Errc::kSystem, ENODEV, "the GPU needs a reset (nvidia-smi --gpu-reset)"};
    default:
      return {Errc::kSystem, EIO, "NVML cannot read the GPU (see nvidia-smi)"};
  }
}

}  // namespace csink::nvml
