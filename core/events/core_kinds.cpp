#include "core/events/core_kinds.h"

#include <cstring>

#include "core/events/sysfs_event.h"

namespace csink {
namespace {

/// The bit of perf_event_attr.config from which on a generic event states its PMU's type (Linux
/// 5.13; PERF_PMU_TYPE_SHIFT in perf_event.h, which older headers lack). Without the type the
/// kernel takes the PMU of one kind, and the event stays at 0 on the cores of the others.
constexpr unsigned kPmuTypeShift = 32;

}  // namespace

CoreKinds ReadCoreKinds(const char* devices) noexcept {
  CoreKinds cores;
  for (const char* pmu : {"cpu_core", "cpu_atom", "cpu_lowpower"}) {
    CoreKind& kind = cores.kinds[cores.count];
    if (!ReadPmuType(devices, pmu, kind.type)) continue;
    kind.pmu.Add(pmu);
    ++cores.count;
  }
  return cores;
}

std::size_t SpecsPerKind(const EventSpec& spec, const CoreKinds& cores,
                         EventSpec (&specs)[kMostCoreKinds]) noexcept {
  // Only the kernel's generic events have a meaning on more than one PMU. Bits above the shift are
  // set where the user's event states its PMU already.
  const bool generic = spec.type == PERF_TYPE_HARDWARE || spec.type == PERF_TYPE_HW_CACHE;
  specs[0] = spec;
  if (!generic || cores.count == 0 || spec.config >> kPmuTypeShift != 0) return 1;
  for (std::size_t i = 0; i < cores.count; ++i) {
    specs[i] = spec;
    specs[i].config |= std::uint64_t{cores.kinds[i].type} << kPmuTypeShift;
    // The kernel gives all of these events the same number below the shift, so the name has to say
    // which kind of cores each of them counts.
    Text<sizeof(spec.name)> name;
    name.Add(cores.kinds[i].pmu.view()).Add('/').Add(spec.name).Add('/');
    std::memcpy(specs[i].name, name.c_str(), name.size() + 1);
  }
  return cores.count;
}

}  // namespace csink
