#include "core/counting/components/sysdetect/devices.h"
#include "core/counting/components/vendor/vendor_library.h"
#include "core/counting/components/vendor/vendor_reader.h"

// File: what CUDA's driver knows of a GPU and NVML does not. Asked by the driver's own library,
// which is on each machine with the driver; CUDA's runtime library comes with programs.

namespace csink::sysdetect {
namespace {

// CUDA's driver interface (CUDA Driver API reference, "Device Management"): functions return 0 for
// success, a device is an int, and attributes have these numbers.
struct Attribute {
  GpuNumber number;
  int cuda;
};
constexpr Attribute kAttributes[] = {
    {GpuNumber::kThreadsPerBlock, 1},
    {GpuNumber::kBlockX, 2},
    {GpuNumber::kBlockY, 3},
    {GpuNumber::kBlockZ, 4},
    {GpuNumber::kGridX, 5},
    {GpuNumber::kGridY, 6},
    {GpuNumber::kGridZ, 7},
    {GpuNumber::kSharedBytesPerBlock, 8},
    {GpuNumber::kWarpSize, 10},
    {GpuNumber::kCopiesWhileComputing, 15},
    {GpuNumber::kProcessors, 16},
    {GpuNumber::kMapsHostMemory, 19},
    {GpuNumber::kConcurrentKernels, 31},
    {GpuNumber::kUnifiedAddresses, 41},
    {GpuNumber::kCapabilityMajor, 75},
    {GpuNumber::kCapabilityMinor, 76},
    {GpuNumber::kSharedBytesPerProcessor, 81},
    {GpuNumber::kManagedMemory, 83},
    {GpuNumber::kBlocksPerProcessor, 106},
};

struct CudaUuid {
  unsigned char bytes[16];
};

// The functions that are used; nullptr: missing.
struct Cuda {
  int (*init)(unsigned) = nullptr;
  int (*count)(int*) = nullptr;
  int (*get)(int*, int) = nullptr;
  int (*attribute)(int*, int, int) = nullptr;
  int (*uuid)(CudaUuid*, int) = nullptr;

  bool complete() const noexcept { return init && count && get && attribute && uuid; }
};

// The UUID as NVML writes it: "GPU-" and 8-4-4-4-12 hexadecimal digits.
std::string TextOf(const CudaUuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += "0123456789abcdef"[uuid.bytes[i] >> 4];
    text += "0123456789abcdef"[uuid.bytes[i] & 15];
  }
  return text;
}

// An attribute that this driver does not know is left out.
void Ask(const Cuda& cuda, int device, Gpu& gpu) {
  for (const Attribute& attribute : kAttributes) {
    int value = 0;
    if (cuda.attribute(&value, attribute.cuda, device) == 0 && value >= 0) {
      gpu.numbers[attribute.number] = static_cast<unsigned>(value);
    }
  }
}

}  // namespace

bool AskCuda(const char* name, std::vector<Gpu>& gpus, VendorSteps& steps) {
  const VendorLibrary library({name});
  if (!library) return false;
  Cuda cuda;
  library.Find("cuInit", cuda.init);
  library.Find("cuDeviceGetCount", cuda.count);
  library.Find("cuDeviceGet", cuda.get);
  library.Find("cuDeviceGetAttribute", cuda.attribute);
  library.Find("cuDeviceGetUuid", cuda.uuid);
  int count = 0;
  if (!cuda.complete() || cuda.init(0) != 0 || cuda.count(&count) != 0) return false;
  steps.Step();
  // 256: more than any machine has, in case the driver returns nonsense.
  for (int index = 0; index < count && index < 256; ++index) {
    int device = 0;
    CudaUuid uuid = {};
    // Without a UUID the device cannot be matched with one of NVML's.
    if (cuda.get(&device, index) != 0 || cuda.uuid(&uuid, device) != 0) continue;
    const std::string text = TextOf(uuid);
    for (Gpu& gpu : gpus) {  // by UUID: CUDA's order differs from NVML's, and it may see fewer GPUs
      if (gpu.uuid == text) Ask(cuda, device, gpu);
    }
    steps.Step();
  }
  return true;
}

}  // namespace csink::sysdetect
