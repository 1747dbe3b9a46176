#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "core/sampling/precision.h"

// File: perf does not report which hardware made a sample precise, so the PMU's name and the maker
// of the processor tell.

namespace csink {
namespace {

Precision OfThisMaker() noexcept {
#if defined(__x86_64__)
  // CPUID leaf 0: the maker's name in EBX, EDX, ECX. Its first letters tell the two apart.
  constexpr unsigned kGenu = 0x756e6547;  // "GenuineIntel"
  constexpr unsigned kAuth = 0x68747541;  // "AuthenticAMD"
  constexpr unsigned kHygo = 0x6f677948;  // "HygonGenuine"
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  // By CPUID, which needs no file: the agent asks in a sandbox, too.
  if (__get_cpuid(0, &a, &b, &c, &d) == 0) return Precision::kNothing;
  if (b == kGenu) return Precision::kPebs;
  if (b == kAuth || b == kHygo) return Precision::kIbs;
#endif
  return Precision::kNothing;
}

}  // namespace

Precision PrecisionOf(const EventSpec& spec, unsigned precise_ip) noexcept {
  const std::string_view name(spec.name);
  // Also with a PMU in front: "PMU::ibs_op".
  if (name.substr(0, 4) == "ibs_" || name.find("::ibs_") != std::string_view::npos) {
    return Precision::kIbs;
  }
  // perf's name of Arm's PMU for sampled operations, with a number behind it: "arm_spe_0".
  if (name.substr(0, 7) == "arm_spe") return Precision::kSpe;
  // What the kernel accepted, not what was asked for: precise_ip is lowered until the PMU takes it.
  // AMD's cores have no precise event of their own; with precise_ip > 0 the kernel forwards cycles
  // and micro-operations to IBS (arch/x86/events/amd/ibs.c, forward_event_to_ibs).
  return precise_ip == 0 ? Precision::kNothing : OfThisMaker();
}

std::string_view NameOf(Precision precision) noexcept {
  switch (precision) {
    case Precision::kPebs:
      return "PEBS";
    case Precision::kIbs:
      return "IBS";
    case Precision::kSpe:
      return "SPE";
    case Precision::kNothing:
      break;
  }
  return "";
}

}  // namespace csink
