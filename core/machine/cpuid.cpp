#include "core/machine/cpuid.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "core/machine/system_tree.h"
#include "core/util/parse.h"

namespace csink {

#if defined(__x86_64__)
namespace {

// Leaves come in ranges, each of which says in its first leaf's eax where it ends. The hypervisor's
// range is there only when leaf 1 says so: without one, real CPUs answer it with another leaf.
std::optional<CpuidRegisters> AskCpu(std::uint32_t leaf, std::uint32_t subleaf) {
  CpuidRegisters r;
  const std::uint32_t range = leaf & 0xc000'0000;
  if (range == 0x4000'0000) {
    __cpuid(1, r.eax, r.ebx, r.ecx, r.edx);
    if (!(r.ecx >> 31)) return std::nullopt;
  }
  __cpuid(range, r.eax, r.ebx, r.ecx, r.edx);
  // Some hypervisors (KVM before Linux 3.0) leave the end of their range 0.
  const bool no_end = range == 0x4000'0000 && r.eax == 0 && leaf == range;
  if (leaf > r.eax && !no_end) return std::nullopt;
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
