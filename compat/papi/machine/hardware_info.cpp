#include "compat/papi/machine/hardware_info.h"

#include <climits>

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/boundary/copy_text.h"

/// File: PAPI_get_hardware_info: core/counting/system's description of the CPU in PAPI's structure.

namespace csink::papi {
namespace {

int TypeOf(CacheKind kind) noexcept {
  switch (kind) {
    case CacheKind::kInstruction:
      return PAPI_MH_TYPE_INST;
    case CacheKind::kData:
      return PAPI_MH_TYPE_DATA;
    case CacheKind::kUnified:
      break;
  }
  return PAPI_MH_TYPE_UNIFIED;
}

// PAPI_MH_TYPE_RW_ALLOC is a value of its own, not the two others or-ed.
int TypeOf(const Cache& cache) noexcept {
  int type = TypeOf(cache.kind);
  if (cache.writes_back) type |= PAPI_MH_TYPE_WB;
  if (cache.allocates_on_read && cache.allocates_on_write) return type | PAPI_MH_TYPE_RW_ALLOC;
  if (cache.allocates_on_read) type |= PAPI_MH_TYPE_RD_ALLOC;
  if (cache.allocates_on_write) type |= PAPI_MH_TYPE_WR_ALLOC;
  return type;
}

// The first free entry of a level; nullptr: PAPI's table has no such level or no free entry.
template <class Entry>
Entry* FreeEntry(PAPI_mh_info_t& hierarchy, unsigned level,
                 Entry (PAPI_mh_level_t::*entries)[PAPI_MH_MAX_LEVELS]) noexcept {
  if (level == 0 || level > PAPI_MAX_MEM_HIERARCHY_LEVELS) return nullptr;
  for (Entry& entry : hierarchy.level[level - 1].*entries) {
    if (entry.type != PAPI_MH_TYPE_EMPTY) continue;
    hierarchy.levels = std::max(hierarchy.levels, static_cast<int>(level));
    return &entry;
  }
  return nullptr;
}

// PAPI orders entries by level and has room for PAPI_MH_MAX_LEVELS caches and TLBs of a level. What
// has no room is left out, so that programs see a valid table.
void FillHierarchy(const std::vector<Cache>& caches, const std::vector<Tlb>& tlbs,
                   PAPI_mh_info_t& hierarchy) noexcept {
  for (const Cache& cache : caches) {
    if (auto* entry = FreeEntry(hierarchy, cache.level, &PAPI_mh_level_t::cache)) {
      *entry = {TypeOf(cache), ToInt(cache.size_bytes), ToInt(cache.line_bytes), ToInt(cache.lines),
                Associativity(cache.ways)};
    }
  }
  for (const Tlb& tlb : tlbs) {
    if (auto* entry = FreeEntry(hierarchy, tlb.level, &PAPI_mh_level_t::tlb)) {
      *entry = {TypeOf(tlb.kind), ToInt(tlb.entries), ToInt(tlb.page_bytes),
                Associativity(tlb.ways)};
    }
  }
}

}  // namespace

int VendorNumber(const CpuIdentity& identity) noexcept {
  switch (identity.vendor) {
    case CpuVendor::kIntel:
      return PAPI_VENDOR_INTEL;
    case CpuVendor::kAmd:
      return PAPI_VENDOR_AMD;
    case CpuVendor::kIbm:
      return PAPI_VENDOR_IBM;
    case CpuVendor::kUnknown:
      return PAPI_VENDOR_UNKNOWN;
    case CpuVendor::kArm:
      break;
  }
  // ARM: the implementer field of MIDR_EL1, which PAPI uses as the vendor's number.
  switch (identity.implementer) {
    case PAPI_VENDOR_ARM_ARM:
    case PAPI_VENDOR_ARM_BROADCOM:
    case PAPI_VENDOR_ARM_CAVIUM:
    case PAPI_VENDOR_ARM_FUJITSU:
    case PAPI_VENDOR_ARM_HISILICON:
    case PAPI_VENDOR_ARM_APM:
    case PAPI_VENDOR_ARM_QUALCOMM:
      return static_cast<int>(identity.implementer);
    default:
      return PAPI_VENDOR_ARM;
  }
}

// PAPI's field is an int, and SHRT_MAX stands for "fully associative", which papi.h documents.
int Associativity(unsigned ways) noexcept {
  return ways >= SHRT_MAX ? SHRT_MAX : static_cast<int>(ways);
}

void FillHardwareInfo(const CpuInfo& cpu, const std::vector<Cache>& caches,
                      const std::vector<Tlb>& tlbs, PAPI_hw_info_t& info) noexcept {
  // All entries of the hierarchy begin as PAPI_MH_TYPE_EMPTY (0), which FreeEntry looks for.
  info = PAPI_hw_info_t{};
  const CpuTopology& topology = cpu.topology;
  // ncpu is the number of CPUs of a NUMA node; where nodes differ, the average, rounded up. Where
  // the kernel reports no nodes, there is one.
  const std::size_t nodes = std::max<std::size_t>(topology.nodes.size(), 1);
  info.totalcpus = ToInt(topology.cpus.size());
  info.nnodes = ToInt(nodes);
  info.ncpu = ToInt((topology.cpus.size() + nodes - 1) / nodes);
  info.threads = ToInt(topology.threads_per_core);
  info.cores = ToInt(topology.cores_per_socket);
  info.sockets = ToInt(topology.sockets);

  const CpuIdentity& identity = cpu.identity;
  info.vendor = VendorNumber(identity);
  CopyText(info.vendor_string, identity.vendor_name);
  info.model = ToInt(identity.model);
  CopyText(info.model_string, identity.model_name);
  info.revision = static_cast<float>(identity.stepping);
  info.cpuid_family = ToInt(identity.family);
  info.cpuid_model = ToInt(identity.model);
  info.cpuid_stepping = ToInt(identity.stepping);

  info.cpu_max_mhz = ToInt(cpu.frequency.max_mhz);
  info.cpu_min_mhz = ToInt(cpu.frequency.min_mhz);
  info.mhz = static_cast<float>(cpu.frequency.now_mhz);
  info.clock_mhz = info.cpu_max_mhz;

  FillHierarchy(caches, tlbs, info.mem_hierarchy);
  info.virtualized = cpu.virtual_machine.is_virtual ? 1 : 0;
  CopyText(info.virtual_vendor_string, cpu.virtual_machine.vendor);
  CopyText(info.virtual_vendor_version, cpu.virtual_machine.version);
}

const PAPI_hw_info_t* HostHardwareInfo() {
  // A static local: the first caller reads cpufreq, sysfs and CPUID; others wait for it.
  static const PAPI_hw_info_t* const info = [] {
    auto* filled = new PAPI_hw_info_t;  // never freed: programs keep the pointer
    FillHardwareInfo(ReadHostCpuInfo(), ReadCaches(SystemTree(), HostCpuid()),
                     ReadTlbs(HostCpuid()), *filled);
    return filled;
  }();
  return info;
}

}  // namespace csink::papi

const PAPI_hw_info_t* PAPI_get_hardware_info(void) {
  return csink::papi::PointerAtEdge(csink::papi::HostHardwareInfo);
}
