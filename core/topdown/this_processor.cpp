#include "core/topdown/topdown_model.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include "core/util/parse.h"
#include "core/util/small_file.h"
#endif

// File: the identification of the processor, by CPUID or MIDR_EL1. core/events/cpu_tables.cpp reads
// the same registers for its own purpose: core/events lies above core/topdown.

namespace csink {

// Fields: implementer [31:24], variant [23:20], part number [15:4], revision [3:0].
Processor ProcessorOfMidr(std::uint64_t midr) noexcept {
  Processor processor;
  processor.vendor = Processor::Vendor::kArm;
  processor.implementer = (midr >> 24) & 0xff;
  processor.model = (midr >> 4) & 0xfff;
  // Variant and revision as one number, "r1p2" is 0x12: errata are stated by this pair.
  processor.revision = static_cast<std::uint32_t>(((midr >> 20) & 15) << 4 | (midr & 15));
  return processor;
}

#if defined(__x86_64__)

Processor ThisProcessor() noexcept {
  Processor processor;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  // CPUID leaf 0: the vendor's name in EBX, EDX, ECX.
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0) return processor;
  if (ebx == signature_INTEL_ebx && edx == signature_INTEL_edx && ecx == signature_INTEL_ecx) {
    processor.vendor = Processor::Vendor::kIntel;
  } else if (ebx == signature_AMD_ebx && edx == signature_AMD_edx && ecx == signature_AMD_ecx) {
    processor.vendor = Processor::Vendor::kAmd;
  }
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return processor;
  // Displayed family and model: Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E.
  const unsigned base_family = (eax >> 8) & 15;
  processor.family = base_family + (base_family == 15 ? (eax >> 20) & 0xff : 0);
  processor.model = (eax >> 4) & 15;
  if (base_family == 6 || base_family == 15) processor.model |= ((eax >> 16) & 15) << 4;
  processor.revision = eax & 15;
  return processor;
}

#elif defined(__aarch64__)

Processor ThisProcessor() noexcept {
  // By sysfs, because user space can read MIDR_EL1 only where the kernel emulates the access. Core
  // 0 stands for all cores.
  const SmallFile<64> file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
  std::string_view text = Trimmed(file.view());
  if (text.size() > 2 && text[0] == '0' && text[1] == 'x') text.remove_prefix(2);
  const Result<std::uint64_t> midr = ParseHex(text);
  return midr ? ProcessorOfMidr(*midr) : Processor{};
}

#else

Processor ThisProcessor() noexcept { return {}; }

#endif

}  // namespace csink
