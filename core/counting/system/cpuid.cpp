#include "core/counting/system/cpuid.h"

#if defined(__x86_64__)
#include <cpuid.h>

#include <atomic>
#endif

#include "core/counting/system/system_tree.h"
#include "core/util/parse.h"

// File: CPUID behind a function object, so that tests can answer for a recorded processor. A leaf
// that does not exist is nullopt.

namespace csink {

#if defined(__x86_64__)
namespace {

// The last leaf of a range of leaves; the range's first leaf has it in eax. The hypervisor's range
// exists only where leaf 1 says so: without a hypervisor, processors answer it with another leaf.
std::uint32_t AskEnd(std::uint32_t range) {
  CpuidRegisters r;
  if (range == 0x4000'0000) {
    __cpuid(1, r.eax, r.ebx, r.ecx, r.edx);
    if (!(r.ecx >> 31)) return 0;
  }
  __cpuid(range, r.eax, r.ebx, r.ecx, r.edx);
  // Some hypervisors (KVM before Linux 3.0) report 0 as the end of their range.
  return range == 0x4000'0000 && r.eax == 0 ? range : r.eax;
}

// The same, remembered: in a virtual machine each CPUID traps to the hypervisor and takes 10 us or
// more.
std::uint32_t EndOf(std::uint32_t range) {
  static std::atomic<std::uint64_t> ends[4];  // bit 32 set: known
  // The ranges begin at 0, 4000'0000h, 8000'0000h and c000'0000h: the upper two bits number them.
  std::atomic<std::uint64_t>& known = ends[range >> 30];
  std::uint64_t end = known.load(std::memory_order_relaxed);
  if (end == 0) {
    end = std::uint64_t{1} << 32 | AskEnd(range);
    known.store(end, std::memory_order_relaxed);
  }
  return static_cast<std::uint32_t>(end);
}

// A leaf beyond the end of its range must not be asked: Intel processors then answer with the data
// of another leaf.
std::optional<CpuidRegisters> AskCpu(std::uint32_t leaf, std::uint32_t subleaf) {
  if (leaf > EndOf(leaf & 0xc000'0000)) return std::nullopt;
  CpuidRegisters r;
  __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
  return r;
}

}  // namespace

CpuidFunction HostCpuid() { return AskCpu; }
#else
CpuidFunction HostCpuid() { return NoCpuid(); }
#endif

CpuidFunction NoCpuid() {
  return [](std::uint32_t, std::uint32_t) { return std::optional<CpuidRegisters>(); };
}

std::string BrandString(const CpuidFunction& cpuid) {
  std::string text;
  // Leaves 8000'0002h to 8000'0004h have 16 bytes of the name each, in EAX, EBX, ECX, EDX (Intel
  // SDM volume 2A, AMD APM volume 3, CPUID).
  for (std::uint32_t leaf = 0x8000'0002; leaf <= 0x8000'0004; ++leaf) {
    const std::optional<CpuidRegisters> r = cpuid(leaf, 0);
    if (!r) return {};
    for (const std::uint32_t word : {r->eax, r->ebx, r->ecx, r->edx}) {
      for (int byte = 0; byte < 4; ++byte) text += static_cast<char>(word >> (8 * byte));
    }
  }
  return std::string(Trimmed(text.substr(0, text.find('\0'))));
}

}  // namespace csink
