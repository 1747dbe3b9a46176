#include <algorithm>
#include <cstring>

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/boundary/copy_text.h"
#include "compat/papi/machine/hardware_info.h"
#include "core/counting/components/sysdetect/devices.h"

/// File: devices (PAPI_enum_dev_type, PAPI_get_dev_type_attr, PAPI_get_dev_attr). A handle is the
/// address of a DeviceType. An attribute writes an int, an unsigned or a pointer to text through
/// `value`; the type is in the attribute's name. PAPI_ENOSUPP: the device has no such attribute or
/// its driver does not tell it.

namespace csink::papi {
namespace {

using sysdetect::DeviceKind;
using sysdetect::Devices;
using sysdetect::DeviceType;
using sysdetect::Gpu;
using sysdetect::GpuNumber;

// The devices, found on first use and never freed: handles and strings that callers have point into
// it.
const Devices& HostDevices() {
  static const Devices& devices = *new Devices(sysdetect::FindDevices());
  return devices;
}

// The state of this thread's enumeration. initial-exec: it needs 4 bytes of static TLS, but no call
// of __tls_get_addr.
[[gnu::tls_model("initial-exec")]] thread_local int t_next_type = 0;

// `modifier`: 1 << type, or-ed. Types are returned in PAPI's order. After the last one the
// enumeration starts again at the next call.
int EnumerateTypes(int modifier, void** handle) {
  if (!handle) return PAPI_EINVAL;
  const Devices& devices = HostDevices();
  if (modifier == PAPI_DEV_TYPE_ENUM__FIRST) {
    t_next_type = 0;
    // PAPI's handles are void*; they are compared and never written through.
    *handle = const_cast<DeviceType*>(&devices.types[0]);
    return PAPI_OK;
  }
  while (t_next_type < PAPI_DEV_TYPE_ID__MAX_NUM) {
    const int type = t_next_type++;
    if (!(modifier & (1 << type))) continue;
    *handle = const_cast<DeviceType*>(&devices.types[type]);
    return PAPI_OK;
  }
  t_next_type = 0;
  *handle = nullptr;
  return PAPI_EINVAL;
}

// The type that a handle denotes; nullptr: not a handle. Handles come from the caller and are not
// dereferenced before this check.
const DeviceType* TypeOf(const void* handle) {
  for (const DeviceType& type : HostDevices().types) {
    if (handle == &type) return &type;
  }
  return nullptr;
}

int TypeAttribute(const void* handle, int attribute, void* value) {
  const DeviceType* type = TypeOf(handle);
  if (!type || !value) return PAPI_EINVAL;
  const bool is_cpu = type->kind == DeviceKind::kCpu;
  switch (attribute) {
    case PAPI_DEV_TYPE_ATTR__INT_PAPI_ID:
      *static_cast<int*>(value) = static_cast<int>(type->kind);
      return PAPI_OK;
    // For CPUs PAPI's number (PAPI_VENDOR_*), for GPUs the vendor's PCI id.
    case PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID:
      *static_cast<int*>(value) =
          is_cpu ? VendorNumber(HostDevices().cpu.identity) : ToInt(type->pci_vendor);
      return PAPI_OK;
    case PAPI_DEV_TYPE_ATTR__CHAR_NAME:
      *static_cast<const char**>(value) = type->vendor_name.c_str();
      return PAPI_OK;
    case PAPI_DEV_TYPE_ATTR__INT_COUNT:
      *static_cast<int*>(value) = ToInt(type->count);
      return PAPI_OK;
    case PAPI_DEV_TYPE_ATTR__CHAR_STATUS:
      *static_cast<const char**>(value) = type->status.c_str();
      return PAPI_OK;
  }
  return PAPI_ENOSUPP;
}

// Stores a number; all numeric attributes of devices are unsigned int. Larger numbers are cut to
// INT_MAX.
int Give(void* value, std::uint64_t number) noexcept {
  *static_cast<unsigned*>(value) = static_cast<unsigned>(ToInt(number));
  return PAPI_OK;
}

// Attributes 1 to 16: size, line size, lines and associativity, each of these four caches.
constexpr struct {
  unsigned level;
  CacheKind kind;
} kCaches[] = {{1, CacheKind::kInstruction},
               {1, CacheKind::kData},
               {2, CacheKind::kUnified},
               {3, CacheKind::kUnified}};
static_assert(PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE == 1);
static_assert(PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_ASSOC == 16);

// A number of a cache; 0: the CPU has no such cache.
std::uint64_t CacheNumber(const std::vector<Cache>& caches, int attribute) noexcept {
  const int index = attribute - PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE;
  for (const Cache& cache : caches) {
    if (cache.level != kCaches[index % 4].level || cache.kind != kCaches[index % 4].kind) continue;
    switch (index / 4) {
      case 0:
        return cache.size_bytes;
      case 1:
        return cache.line_bytes;
      case 2:
        return cache.lines;
      default:
        return static_cast<std::uint64_t>(Associativity(cache.ways));
    }
  }
  return 0;
}

// Numbers of NUMA. `id` is the number of a NUMA node; for THR_NUMA_AFFINITY the number of a CPU.
int NumaNumber(const CpuTopology& topology, std::size_t id, int attribute, void* value) {
  if (attribute == PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY) {
    for (std::size_t node = 0; node < topology.nodes.size(); ++node) {
      for (const unsigned cpu : topology.nodes[node].cpus) {
        if (cpu == id) return Give(value, node);
      }
    }
    return PAPI_EINVAL;
  }
  if (id >= topology.nodes.size()) return PAPI_EINVAL;
  if (attribute == PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA) {
    return Give(value, topology.nodes[id].cpus.size());
  }
  return Give(value, topology.nodes[id].memory_bytes >> 20);  // MiB
}

// PAPI has no CPU objects: `id` selects a NUMA node or a CPU where the attribute needs one, and is
// otherwise only checked against the larger of both numbers.
int CpuAttribute(int id, int attribute, void* value) {
  const Devices& devices = HostDevices();
  const CpuTopology& topology = devices.cpu.topology;
  const CpuIdentity& identity = devices.cpu.identity;
  if (static_cast<std::size_t>(id) >= std::max(topology.cpus.size(), topology.nodes.size())) {
    return PAPI_EINVAL;
  }
  switch (attribute) {
    case PAPI_DEV_ATTR__CPU_CHAR_NAME:
      *static_cast<const char**>(value) = identity.model_name.c_str();
      return PAPI_OK;
    case PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT:
      return Give(value, topology.sockets);
    case PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT:
      return Give(value, topology.nodes.size());
    case PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT:  // cores of one socket
      return Give(value, topology.cores_per_socket);
    case PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT:  // threads of the whole machine
      return Give(value, topology.cpus.size());
    case PAPI_DEV_ATTR__CPU_UINT_FAMILY:
      return Give(value, identity.family);
    case PAPI_DEV_ATTR__CPU_UINT_MODEL:
      return Give(value, identity.model);
    case PAPI_DEV_ATTR__CPU_UINT_STEPPING:
      return Give(value, identity.stepping);
    case PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE:
    case PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY:
    case PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA:
      return NumaNumber(topology, static_cast<std::size_t>(id), attribute, value);
    default:
      break;
  }
  if (attribute < PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE ||
      attribute > PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_ASSOC) {
    return PAPI_ENOSUPP;
  }
  return Give(value, CacheNumber(devices.caches, attribute));
}

struct GpuAttributeName {
  PAPI_dev_attr_e attribute;
  DeviceKind kind;
  GpuNumber number;
};
// The attributes of GPUs that are plain numbers. Names and ids are handled in GpuAttribute.
constexpr DeviceKind kCuda = DeviceKind::kNvidiaGpu, kRocm = DeviceKind::kAmdGpu;
constexpr GpuAttributeName kGpuNumbers[] = {
    {PAPI_DEV_ATTR__CUDA_UINT_WARP_SIZE, kCuda, GpuNumber::kWarpSize},
    {PAPI_DEV_ATTR__CUDA_UINT_SHM_PER_BLK, kCuda, GpuNumber::kSharedBytesPerBlock},
    {PAPI_DEV_ATTR__CUDA_UINT_SHM_PER_SM, kCuda, GpuNumber::kSharedBytesPerProcessor},
    {PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_X, kCuda, GpuNumber::kBlockX},
    {PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_Y, kCuda, GpuNumber::kBlockY},
    {PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_Z, kCuda, GpuNumber::kBlockZ},
    {PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_X, kCuda, GpuNumber::kGridX},
    {PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_Y, kCuda, GpuNumber::kGridY},
    {PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_Z, kCuda, GpuNumber::kGridZ},
    {PAPI_DEV_ATTR__CUDA_UINT_THR_PER_BLK, kCuda, GpuNumber::kThreadsPerBlock},
    {PAPI_DEV_ATTR__CUDA_UINT_SM_COUNT, kCuda, GpuNumber::kProcessors},
    {PAPI_DEV_ATTR__CUDA_UINT_MULTI_KERNEL, kCuda, GpuNumber::kConcurrentKernels},
    {PAPI_DEV_ATTR__CUDA_UINT_MAP_HOST_MEM, kCuda, GpuNumber::kMapsHostMemory},
    {PAPI_DEV_ATTR__CUDA_UINT_MEMCPY_OVERLAP, kCuda, GpuNumber::kCopiesWhileComputing},
    {PAPI_DEV_ATTR__CUDA_UINT_UNIFIED_ADDR, kCuda, GpuNumber::kUnifiedAddresses},
    {PAPI_DEV_ATTR__CUDA_UINT_MANAGED_MEM, kCuda, GpuNumber::kManagedMemory},
    {PAPI_DEV_ATTR__CUDA_UINT_COMP_CAP_MAJOR, kCuda, GpuNumber::kCapabilityMajor},
    {PAPI_DEV_ATTR__CUDA_UINT_COMP_CAP_MINOR, kCuda, GpuNumber::kCapabilityMinor},
    {PAPI_DEV_ATTR__CUDA_UINT_BLK_PER_SM, kCuda, GpuNumber::kBlocksPerProcessor},
    {PAPI_DEV_ATTR__ROCM_UINT_WAVEFRONT_SIZE, kRocm, GpuNumber::kWarpSize},
    {PAPI_DEV_ATTR__ROCM_UINT_WAVE_PER_CU, kRocm, GpuNumber::kWavesPerProcessor},
    {PAPI_DEV_ATTR__ROCM_UINT_SHM_PER_WG, kRocm, GpuNumber::kSharedBytesPerBlock},
    {PAPI_DEV_ATTR__ROCM_UINT_CU_COUNT, kRocm, GpuNumber::kProcessors},
    {PAPI_DEV_ATTR__ROCM_UINT_SIMD_PER_CU, kRocm, GpuNumber::kSimdsPerProcessor},
    {PAPI_DEV_ATTR__ROCM_UINT_COMP_CAP_MAJOR, kRocm, GpuNumber::kCapabilityMajor},
    {PAPI_DEV_ATTR__ROCM_UINT_COMP_CAP_MINOR, kRocm, GpuNumber::kCapabilityMinor},
};

int GpuAttribute(DeviceKind kind, const Gpu& gpu, int attribute, void* value) {
  if (attribute ==
      (kind == kCuda ? PAPI_DEV_ATTR__CUDA_ULONG_UID : PAPI_DEV_ATTR__ROCM_ULONG_UID)) {
    *static_cast<unsigned long*>(value) = gpu.uid;
    return PAPI_OK;
  }
  if (attribute == (kind == kCuda ? PAPI_DEV_ATTR__CUDA_CHAR_DEVICE_NAME
                                  : PAPI_DEV_ATTR__ROCM_CHAR_DEVICE_NAME)) {
    *static_cast<const char**>(value) = gpu.name.c_str();
    return PAPI_OK;
  }
  for (const GpuAttributeName& name : kGpuNumbers) {
    if (static_cast<int>(name.attribute) != attribute || name.kind != kind) continue;
    // Numbers that the driver did not report are absent.
    const auto number = gpu.numbers.find(name.number);
    return number == gpu.numbers.end() ? PAPI_ENOSUPP : Give(value, number->second);
  }
  return PAPI_ENOSUPP;
}

int DeviceAttribute(const void* handle, int id, int attribute, void* value) {
  const DeviceType* type = TypeOf(handle);
  if (!type || !value || id < 0) return PAPI_EINVAL;
  if (type->kind == DeviceKind::kCpu) return CpuAttribute(id, attribute, value);
  if (static_cast<std::size_t>(id) >= type->gpus.size()) return PAPI_EINVAL;
  return GpuAttribute(type->kind, type->gpus[static_cast<std::size_t>(id)], attribute, value);
}

/// The number of an enumeration argument. A C program may pass any number; converting such a value
/// would be undefined behaviour in C++.
template <class E>
int NumberOf(const E& argument) noexcept {
  static_assert(sizeof(E) == sizeof(int));
  int number = 0;
  std::memcpy(&number, &argument, sizeof number);
  return number;
}

}  // namespace
}  // namespace csink::papi

int PAPI_enum_dev_type(int enum_modifier, void** handle) {
  return csink::papi::CodeAtEdge(
      [&] { return csink::papi::EnumerateTypes(enum_modifier, handle); });
}

int PAPI_get_dev_type_attr(void* handle, PAPI_dev_type_attr_e attr, void* val) {
  return csink::papi::CodeAtEdge(
      [&] { return csink::papi::TypeAttribute(handle, csink::papi::NumberOf(attr), val); });
}

int PAPI_get_dev_attr(void* handle, int id, PAPI_dev_attr_e attr, void* val) {
  return csink::papi::CodeAtEdge(
      [&] { return csink::papi::DeviceAttribute(handle, id, csink::papi::NumberOf(attr), val); });
}
