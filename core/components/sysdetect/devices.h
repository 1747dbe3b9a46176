#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/system/cache_info.h"
#include "core/system/cpu_info.h"

/// File: which devices this machine has: its CPUs, and GPUs as far as their drivers tell.
///
/// No vendor's library is linked: NVIDIA's are opened when they are there, and left open, since
/// they keep threads and handles of their own; AMD's GPUs are read from the kernel driver's files.

namespace csink::sysdetect {

enum class DeviceKind : unsigned char { kCpu, kNvidiaGpu, kAmdGpu };

/// Numbers that describe a GPU. Each vendor knows its own.
enum class GpuNumber : unsigned char {
  kWarpSize,  ///< Threads that run in step; AMD's wavefront
  kSharedBytesPerBlock,
  kSharedBytesPerProcessor,
  kBlockX,
  kBlockY,
  kBlockZ,
  kGridX,
  kGridY,
  kGridZ,
  kThreadsPerBlock,
  kProcessors,  ///< NVIDIA's multiprocessors, AMD's compute units
  kConcurrentKernels,
  kMapsHostMemory,
  kCopiesWhileComputing,
  kUnifiedAddresses,
  kManagedMemory,
  kCapabilityMajor,
  kCapabilityMinor,
  kBlocksPerProcessor,
  kSimdsPerProcessor,
  kWavesPerProcessor,
};

struct Gpu {
  std::string name;
  std::string uuid;                       ///< NVIDIA's, "GPU-..."; "" elsewhere
  std::uint64_t uid = 0;                  ///< A number of 64 bits out of it; AMD's unique id
  std::map<GpuNumber, unsigned> numbers;  ///< What is not known is not here
};

struct DeviceType {
  DeviceKind kind = DeviceKind::kCpu;
  unsigned pci_vendor = 0;  ///< 0 for CPUs
  std::string vendor_name;
  std::string status;  ///< A sentence: ready, or why there is none
  unsigned count = 0;
  std::vector<Gpu> gpus;  ///< `count` of them, for GPUs
};

/// All types, always three, in the order of DeviceKind; absent ones with count 0.
struct Devices {
  CpuInfo cpu;
  std::vector<Cache> caches;
  DeviceType types[3];
};

/// NVIDIA's GPUs. `nvml` and `cuda`: names for dlopen; the second gives what only CUDA's driver
/// knows, and may be absent. CUDA's driver is not initialised where NVML finds no GPU: it starts
/// threads. Threads: any.
DeviceType FindNvidiaGpus(const char* nvml = "libnvidia-ml.so.1",
                          const char* cuda = "libcuda.so.1");

/// Adds what CUDA's driver tells to the GPUs of the same UUID. False: no such library.
bool AskCuda(const char* library, std::vector<Gpu>& gpus);

/// AMD's GPUs, from the topology that the kernel's driver amdkfd publishes.
DeviceType FindAmdGpus(const SystemTree& tree);

/// Everything; `tree` and `cpuid` as in cpu_info.h.
Devices FindDevices();

}  // namespace csink::sysdetect
