#include "core/sampling/core_kinds.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <string_view>

#include "core/util/parse.h"
#include "core/util/small_file.h"

namespace csink {
namespace {

// The names that the kernel gives the core PMUs of hybrid x86 processors (as
// core/counting/system/pmu_cpus, which needs the heap).
constexpr std::string_view kCorePmus[CoreKinds::kMost] = {"cpu_core", "cpu_atom", "cpu_lowpower"};

constexpr std::string_view kSysfs = "/sys/bus/event_source/devices";

// The question that the kernel asks before it makes a PMU for each kind (X86_FEATURE_HYBRID_CPU).
// It costs 4 us in a virtual machine; looking for three paths in sysfs that do not exist costs each
// process 20 us.
bool IsHybrid() noexcept {
#if defined(__x86_64__)
  constexpr unsigned kHybrid = 1u << 15;  // leaf 7, EDX
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  // A processor without this leaf answers anything; sysfs decides then.
  __cpuid_count(7, 0, a, b, c, d);
  return (d & kHybrid) != 0;
#else
  return false;  // no other kernel has these PMUs
#endif
}

}  // namespace

CoreKinds ReadCoreKinds(const char* devices) noexcept {
  CoreKinds kinds;
  // Another folder is a test's, and stands for another machine.
  if (devices == kSysfs && !IsHybrid()) return kinds;
  for (const std::string_view pmu : kCorePmus) {
    Text<256> path;
    path.Add(devices).Add('/').Add(pmu).Add("/type");
    const SmallFile<32> file(path.c_str());
    const Result<std::uint64_t> type = ParseUnsigned(Trimmed(file.view()));
    if (file.error() != 0 || !type || *type > UINT32_MAX) continue;
    kinds.pmus[kinds.count] = pmu;
    kinds.types[kinds.count++] = static_cast<std::uint32_t>(*type);
  }
  // A virtual machine may show one kind only; the kernel then takes its PMU for generic events.
  if (kinds.count < 2) kinds = {};
  return kinds;
}

}  // namespace csink
