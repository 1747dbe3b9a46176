#include "core/sampling/core_kinds.h"

#include <string_view>

#include "core/util/parse.h"
#include "core/util/small_file.h"

namespace csink {
namespace {

// The names that the kernel gives the core PMUs of hybrid x86 processors (as core/system/pmu_cpus,
// which needs the heap).
constexpr std::string_view kCorePmus[CoreKinds::kMost] = {"cpu_core", "cpu_atom", "cpu_lowpower"};

}  // namespace
CoreKinds ReadCoreKinds(const char* devices) noexcept {
  CoreKinds kinds;
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
