#include "core/counting/system/cache_info.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/util/parse.h"

// Two sources for the same facts. sysfs has what the kernel found, also for Arm (by the device tree
// or ACPI) and with the policies; CPUID is for kernels and sandboxes that show no cache folder. A
// value that is out of range becomes 0, never a fault: the files may be recorded or damaged.

namespace csink {
namespace {

// Parses a size of sysfs, "48K" or "1M", into bytes; 0: not a size.
std::uint64_t SizeOf(std::string_view text) noexcept {
  int shift = 0;
  if (!text.empty()) {
    const char unit = text.back();
    shift = unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
    if (shift) text.remove_suffix(1);
  }
  const Result<std::uint64_t> number = ParseUnsigned(text);
  return number && *number < (std::uint64_t{1} << 32) ? *number << shift : 0;
}

// `value` if an int holds it, else 0: PAPI's structs have ints.
unsigned Small(std::uint64_t value) noexcept {
  return value <= std::numeric_limits<int>::max() ? static_cast<unsigned>(value) : 0;
}

// Computes the number of lines, and marks a cache whose single set holds all lines.
void Complete(Cache& cache, std::uint64_t sets) noexcept {
  if (cache.line_bytes) cache.lines = Small(cache.size_bytes / cache.line_bytes);
  if (sets == 1 && cache.ways > 1) cache.ways = kFullyAssociative;
}

// The folders index0, index1, ... of the first online CPU
// (Documentation/ABI/testing/sysfs-devices-system-cpu).
std::vector<Cache> FromSysfs(const SystemTree& tree) {
  const std::vector<unsigned> cpus = tree.CpuList("/sys/devices/system/cpu/online");
  // One CPU stands for all: PAPI describes one cache hierarchy, also on a hybrid processor.
  const unsigned cpu = cpus.empty() ? 0 : cpus.front();
  const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/";
  std::vector<Cache> caches;
  for (const std::string& name : tree.Names(folder)) {
    if (!name.starts_with("index")) continue;
    const std::string at = folder + name + "/";
    Cache cache;
    cache.level = Small(tree.Number(at + "level").value_or(0));
    const std::string type = tree.Line(at + "type");
    if (type == "Instruction") cache.kind = CacheKind::kInstruction;
    if (type == "Data") cache.kind = CacheKind::kData;
    cache.size_bytes = SizeOf(tree.Line(at + "size"));
    // Without level or size the folder describes nothing.
    if (cache.level == 0 || cache.size_bytes == 0) continue;
    cache.line_bytes = Small(tree.Number(at + "coherency_line_size").value_or(0));
    cache.ways = Small(tree.Number(at + "ways_of_associativity").value_or(0));
    const std::string write = tree.Line(at + "write_policy");
    cache.writes_back = write == "WriteBack";
    cache.writes_through = write == "WriteThrough";
    const std::string allocation = tree.Line(at + "allocation_policy");
    cache.allocates_on_read = allocation == "ReadAllocate" || allocation == "ReadWriteAllocate";
    cache.allocates_on_write = allocation == "WriteAllocate" || allocation == "ReadWriteAllocate";
    Complete(cache, tree.Number(at + "number_of_sets").value_or(0));
    caches.push_back(cache);
  }
  return caches;
}

// CPUID leaf 4 (Intel) and leaf 0x8000001D (AMD) have the same layout: Intel SDM 2A "CPUID", AMD
// APM 3 E.4.15.
std::vector<Cache> FromLeaf(const CpuidFunction& cpuid, std::uint32_t leaf) {
  std::vector<Cache> caches;
  // The list ends with type 0. The bound is for a recording or a hypervisor without an end.
  for (std::uint32_t index = 0; index < 16; ++index) {
    const auto r = cpuid(leaf, index);
    const unsigned type = r ? r->eax & 31 : 0;
    if (type == 0) break;
    if (type > 3) continue;
    Cache cache;
    cache.level = (r->eax >> 5) & 7;
    cache.kind = type == 1   ? CacheKind::kData
                 : type == 2 ? CacheKind::kInstruction
                             : CacheKind::kUnified;
    // All fields of this leaf are stored minus one.
    cache.line_bytes = (r->ebx & 0xfff) + 1;
    const std::uint64_t partitions = ((r->ebx >> 12) & 0x3ff) + 1;
    cache.ways = (r->ebx >> 22) + 1;
    const std::uint64_t sets = std::uint64_t{r->ecx} + 1;
    cache.size_bytes = sets * cache.ways * partitions * cache.line_bytes;
    Complete(cache, (r->eax >> 9) & 1 ? 1 : sets);
    caches.push_back(cache);
  }
  return caches;
}

// CPUID 0x80000005 (level 1) and 0x80000006 (level 2 and 3): AMD APM volume 3, E.4.5 and E.4.6. The
// lowest byte is the size of a line.
std::vector<Cache> FromAmd(const CpuidFunction& cpuid) {
  std::vector<Cache> caches;
  const auto add = [&](unsigned level, CacheKind kind, std::uint64_t kib, unsigned ways,
                       std::uint32_t word) {
    if (kib == 0) return;
    Cache cache;
    cache.level = level;
    cache.kind = kind;
    cache.size_bytes = kib << 10;
    cache.line_bytes = word & 0xff;
    cache.ways = ways;
    Complete(cache, 0);
    caches.push_back(cache);
  };
  if (const auto r = cpuid(0x8000'0005, 0)) {
    add(1, CacheKind::kData, r->ecx >> 24, WaysOfAmdLevelOne(r->ecx >> 16), r->ecx);
    add(1, CacheKind::kInstruction, r->edx >> 24, WaysOfAmdLevelOne(r->edx >> 16), r->edx);
  }
  if (const auto r = cpuid(0x8000'0006, 0)) {
    add(2, CacheKind::kUnified, r->ecx >> 16, WaysOfAmd(r->ecx >> 12), r->ecx);
    add(3, CacheKind::kUnified, std::uint64_t{r->edx >> 18} * 512, WaysOfAmd(r->edx >> 12), r->edx);
  }
  return caches;
}

}  // namespace

std::vector<Cache> ReadCaches(const SystemTree& tree, const CpuidFunction& cpuid) {
  std::vector<Cache> caches = FromSysfs(tree);
  if (caches.empty()) caches = FromLeaf(cpuid, 4);
  if (caches.empty()) caches = FromLeaf(cpuid, 0x8000'001d);
  if (caches.empty()) caches = FromAmd(cpuid);
  std::stable_sort(caches.begin(), caches.end(), [](const Cache& a, const Cache& b) {
    return std::tie(a.level, a.kind) < std::tie(b.level, b.kind);
  });
  return caches;
}

}  // namespace csink
