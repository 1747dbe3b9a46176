#include <algorithm>

#include "core/counting/components/sysdetect/devices.h"
#include "core/util/parse.h"

// File: each node of the topology has a file `properties` with one number a line. A node with SIMD
// units is a GPU.

namespace csink::sysdetect {
namespace {

constexpr const char* kNodes = "/sys/class/kfd/kfd/topology/nodes";
constexpr unsigned kAmdPciVendor = 0x1002;

// The value in a line "name value" of a node's properties (Linux
// drivers/gpu/drm/amd/amdkfd/kfd_topology.c); 0: there is none.
std::uint64_t Property(std::string_view text, std::string_view name) noexcept {
  while (!text.empty()) {
    std::string_view line = NextToken(text, '\n');
    if (NextToken(line, ' ') != name) continue;
    const Result<std::uint64_t> value = ParseUnsigned(Trimmed(line));
    return value ? *value : 0;
  }
  return 0;
}

// Stores a number that is known and fits. 0 is Property's answer for a missing line.
void Set(Gpu& gpu, GpuNumber number, std::uint64_t value) {
  if (value != 0 && value <= 0x7fff'ffff) gpu.numbers[number] = static_cast<unsigned>(value);
}

// The names are amdkfd's; a compute unit ("cu") has several SIMD units.
Gpu Describe(std::string_view properties, const std::string& name) {
  Gpu gpu;
  gpu.name = name;
  gpu.uid = Property(properties, "unique_id");
  const std::uint64_t simds = Property(properties, "simd_count");
  const std::uint64_t simds_per_unit = Property(properties, "simd_per_cu");
  Set(gpu, GpuNumber::kWarpSize, Property(properties, "wave_front_size"));
  Set(gpu, GpuNumber::kSimdsPerProcessor, simds_per_unit);
  if (simds_per_unit) Set(gpu, GpuNumber::kProcessors, simds / simds_per_unit);
  const std::uint64_t waves = Property(properties, "max_waves_per_simd");
  // Checked before they are multiplied, because the file is not under our control.
  if (waves <= 0xffff && simds_per_unit <= 0xffff) {
    Set(gpu, GpuNumber::kWavesPerProcessor, waves * simds_per_unit);
  }
  const std::uint64_t lds_kib = Property(properties, "lds_size_in_kb");
  if (lds_kib <= 0xfffff) Set(gpu, GpuNumber::kSharedBytesPerBlock, lds_kib << 10);
  // The version is decimal, with two digits each for minor number and step: 90010 is gfx90a.
  const std::uint64_t target = Property(properties, "gfx_target_version");
  if (target != 0 && target < 10'000'000) {
    gpu.numbers[GpuNumber::kCapabilityMajor] = static_cast<unsigned>(target / 10'000);
    gpu.numbers[GpuNumber::kCapabilityMinor] = static_cast<unsigned>(target / 100 % 100);
  }
  return gpu;
}

}  // namespace

DeviceType FindAmdGpus(const SystemTree& tree) {
  DeviceType type{DeviceKind::kAmdGpu, kAmdPciVendor, "AMD/ATI", "", 0, {}};
  std::vector<unsigned> nodes;
  for (const std::string& name : tree.Names(kNodes)) {
    const Result<std::uint64_t> number = ParseUnsigned(name);
    if (number && *number < 4096) nodes.push_back(static_cast<unsigned>(*number));
  }
  // Names sort "10" before "2"; PAPI numbers the devices in the driver's order.
  std::sort(nodes.begin(), nodes.end());
  for (const unsigned node : nodes) {
    const std::string folder = std::string(kNodes) + "/" + std::to_string(node);
    const std::string properties = tree.Read(folder + "/properties");
    // CPUs are nodes, too, without SIMD units. A node that belongs to another container reads as
    // "".
    if (Property(properties, "simd_count") == 0) continue;
    type.gpus.push_back(Describe(properties, tree.Line(folder + "/name")));
  }
  type.count = static_cast<unsigned>(type.gpus.size());
  type.status = type.count      ? "ready"
                : nodes.empty() ? "no AMD GPU driver: amdkfd is not loaded"
                                : "the AMD GPU driver reports no GPU";
  return type;
}

}  // namespace csink::sysdetect
