#include "core/components/nvml/nvml_library.h"
#include "core/components/sysdetect/devices.h"

// File: NVML lists the GPUs with names and UUIDs; CUDA's driver adds the numbers that only it
// knows.

namespace csink::sysdetect {
namespace {

using nvml::Answer;
using nvml::Device;
using nvml::kMaxDevices;
using nvml::kTextBytes;

// The number in the first 16 hexadecimal digits of a UUID "GPU-01234567-89ab-cdef-...".
std::uint64_t NumberOf(const std::string& uuid) noexcept {
  std::uint64_t number = 0;
  int digits = 0;
  for (std::size_t i = uuid.starts_with("GPU-") ? 4 : 0; i < uuid.size() && digits < 16; ++i) {
    const char c = uuid[i];
    const int value = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (value < 0) continue;
    number = number << 4 | static_cast<unsigned>(value);
    ++digits;
  }
  return number;
}

// Values that the card does not report stay unknown.
Gpu Describe(const nvml::Library& nvml, Device device) {
  Gpu gpu;
  char text[kTextBytes + 1] = {};
  if (nvml.name(device, text, kTextBytes) == 0) gpu.name = text;
  text[0] = 0;
  if (nvml.uuid && nvml.uuid(device, text, kTextBytes) == 0) gpu.uuid = text;
  gpu.uid = NumberOf(gpu.uuid);
  int major = 0, minor = 0;
  if (nvml.capability && nvml.capability(device, &major, &minor) == 0 && major >= 0 && minor >= 0) {
    gpu.numbers[GpuNumber::kCapabilityMajor] = static_cast<unsigned>(major);
    gpu.numbers[GpuNumber::kCapabilityMinor] = static_cast<unsigned>(minor);
  }
  return gpu;
}

// `what` and NVML's own text for the error.
std::string Complaint(const nvml::Library& nvml, const char* what, Answer answer) {
  const char* text = nvml.error_text ? nvml.error_text(answer) : nullptr;
  return std::string(what) + (text ? text : "error " + std::to_string(answer));
}

}  // namespace

DeviceType FindNvidiaGpus(const char* nvml_name, const char* cuda_name) {
  DeviceType type{DeviceKind::kNvidiaGpu, 0x10de, "NVIDIA", "", 0, {}};
  // The library stays loaded when this object ends (VendorLibrary).
  const nvml::Library nvml({nvml_name});
  if (!nvml.library) {
    type.status = "no NVIDIA driver: libnvidia-ml.so.1 cannot be opened";
    return type;
  }
  if (!nvml.complete()) {
    type.status = "libnvidia-ml.so.1 does not have all functions of NVML version 2";
    return type;
  }
  if (const Answer answer = nvml.init()) {
    type.status = Complaint(nvml, "NVML cannot be initialized: ", answer);
    return type;
  }
  unsigned count = 0;
  if (const Answer answer = nvml.count(&count)) {
    type.status = Complaint(nvml, "NVML does not report the number of devices: ", answer);
    return type;
  }
  for (unsigned index = 0; index < count && index < kMaxDevices; ++index) {
    Device device = nullptr;
    // A GPU that this user may not use, or that fell off the bus, is left out.
    if (nvml.handle(index, &device) == 0) type.gpus.push_back(Describe(nvml, device));
  }
  type.count = static_cast<unsigned>(type.gpus.size());
  type.status = type.count ? "ready" : "the NVIDIA driver reports no GPU";
  // Without CUDA's driver the GPUs are still listed.
  if (type.count && !AskCuda(cuda_name, type.gpus)) {
    type.status = "ready, but without libcuda.so.1 only names and capabilities are available";
  }
  return type;
}

}  // namespace csink::sysdetect
