#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/counting/system/cache_info.h"
#include "core/counting/system/cpu_info.h"

/// File: the devices of this machine: its CPUs, and GPUs as far as their drivers report them. For
/// PAPI's functions about devices (PAPI_enum_dev_type, PAPI_get_dev_attr); nothing is counted here.
///
/// No vendor's library is linked. NVIDIA's libraries are loaded where they exist and stay loaded,
/// because they keep threads and handles; AMD's GPUs are read from the kernel driver's files. Calls
/// of NVIDIA's libraries have a deadline, as in the component nvml: a driver may hang.
/// Signals: not safe.

namespace csink {
class VendorSteps;  // core/counting/components/vendor/vendor_reader.h
}

namespace csink::sysdetect {

/// The kinds of devices.
enum class DeviceKind : unsigned char { kCpu, kNvidiaGpu, kAmdGpu };

/// Numbers that describe a GPU: counts, bytes, or 0 and 1 for no and yes. Which are known depends
/// on the vendor.
enum class GpuNumber : unsigned char {
  kWarpSize,  ///< Threads that run in lockstep; AMD's wavefront
  /// Shared memory in bytes, of a block and of a multiprocessor.
  kSharedBytesPerBlock,
  kSharedBytesPerProcessor,
  /// The largest numbers of threads in a block and of blocks in a grid, by dimension.
  kBlockX,
  kBlockY,
  kBlockZ,
  kGridX,
  kGridY,
  kGridZ,
  kThreadsPerBlock,
  kProcessors,  ///< NVIDIA's multiprocessors, AMD's compute units
  /// 1: several kernels may run at once.
  kConcurrentKernels,
  /// 1: host memory can be mapped; memory is copied while kernels run; host and device share
  /// addresses; memory is managed by the driver.
  kMapsHostMemory,
  kCopiesWhileComputing,
  kUnifiedAddresses,
  kManagedMemory,
  /// NVIDIA's compute capability; the version of AMD's instruction set (gfx).
  kCapabilityMajor,
  kCapabilityMinor,
  /// The most blocks, SIMD units and wavefronts of a multiprocessor.
  kBlocksPerProcessor,
  kSimdsPerProcessor,
  kWavesPerProcessor,
};

/// One GPU.
struct Gpu {
  /// As the driver calls the card.
  std::string name;
  std::string uuid;  ///< NVIDIA's, "GPU-..."; "" elsewhere
  /// The first 64 bits of the UUID; AMD's unique id; 0: unknown.
  std::uint64_t uid = 0;
  std::map<GpuNumber, unsigned> numbers;  ///< Only the numbers that are known
};

/// All devices of one kind.
struct DeviceType {
  DeviceKind kind = DeviceKind::kCpu;
  unsigned pci_vendor = 0;  ///< 0 for CPUs
  /// As PAPI shows it: "NVIDIA", "AMD/ATI", or CPUID's vendor.
  std::string vendor_name;
  std::string status;  ///< A sentence: "ready", or why there are none
  /// The number of devices; for CPUs 1, the processors as a whole.
  unsigned count = 0;
  std::vector<Gpu> gpus;  ///< `count` of them, for GPUs
};

/// All kinds of devices, always three, in the order of DeviceKind; those that are absent have count
/// 0.
struct Devices {
  /// The processors and their caches (core/counting/system).
  CpuInfo cpu;
  std::vector<Cache> caches;
  DeviceType types[3];
};

/// How long one call of a library of NVIDIA's may take before the library is given up, in ns.
struct GpuPatience {
  /// Without persistence mode the driver wakes up each card.
  std::uint64_t nvml_ns = 10'000'000'000;
  /// cuInit is one call for all cards.
  std::uint64_t cuda_ns = 30'000'000'000;
};

/// Finds NVIDIA's GPUs. `nvml` and `cuda` are names for dlopen; the second library reports what
/// only CUDA's driver knows, and may be absent. CUDA's driver is not initialised where NVML finds
/// no GPU, because it starts threads. Failures are reported in the result's status.
///
/// A library that does not answer in time is given up with the thread that waits for it, which has
/// all signals blocked, and one warning is written to stderr. Without NVML no GPU is listed,
/// without CUDA's driver the GPUs have fewer numbers.
/// Threads: any.
DeviceType FindNvidiaGpus(const char* nvml = "libnvidia-ml.so.1", const char* cuda = "libcuda.so.1",
                          const GpuPatience& patience = {});

/// Adds CUDA's values to the GPUs with the same UUID. Returns false if the library cannot be used;
/// the GPUs are then unchanged. Makes a step for each answer of the driver; the calls themselves
/// have no deadline, so the caller runs this function on a thread that it can give up.
bool AskCuda(const char* library, std::vector<Gpu>& gpus, VendorSteps& steps);

/// Finds AMD's GPUs in the topology files of the kernel's driver amdkfd, below `tree`. Threads:
/// any.
DeviceType FindAmdGpus(const SystemTree& tree);

/// Finds all devices of this machine. May take seconds, where a driver has to wake up cards.
Devices FindDevices();

}  // namespace csink::sysdetect
