#include "compat/papi/abi35/event_modifiers.h"

#include <string_view>

namespace csink::papi {
namespace {

/// PMUs of libpfm4 that are not the processor's own counters.
bool IsKernels(std::string_view pmu) noexcept { return pmu == "perf" || pmu == "perf_raw"; }

/// The catalogue lists the modifiers of an event as names: "skx::INST_RETIRED:e=0".
EventModifiers ModifiersOf(Component& component, std::uint32_t event) {
  EventModifiers found;
  ComponentEvent described;
  Result<std::uint32_t> next = component.Enumerate(EnumerateStep::kUnitMasks, event);
  for (; next; next = component.Enumerate(EnumerateStep::kUnitMasks, *next)) {
    if (!component.Describe(*next, described)) continue;
    found.edge |= described.name.find(":e=") != std::string::npos;
    found.invert |= described.name.find(":i=") != std::string::npos;
  }
  return found;
}

}  // namespace

EventModifiers FindEventModifiers(Component& component) {
  const ComponentInfo& info = component.Info();
  // Without a PMU only software events are there, which have no such modifiers.
  if (info.disabled || !info.hardware_reason.empty()) return {};
  ComponentEvent described;
  Result<std::uint32_t> event = component.Enumerate(EnumerateStep::kFirst, 0);
  for (; event; event = component.Enumerate(EnumerateStep::kNext, *event)) {
    if (component.Describe(*event, described) && !IsKernels(described.pmu)) {
      return ModifiersOf(component, *event);
    }
  }
  return {};
}

}  // namespace csink::papi
