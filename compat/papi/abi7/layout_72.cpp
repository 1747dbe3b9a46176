#include "compat/papi/abi7/layout_72.h"

#include <cstring>

/// File: conversions to PAPI 7.2's structures and from its modifiers. 7.2 inserted members and
/// numbers between those of 7.0 (docs/design/papi-abis.md), so blocks are copied and numbers are
/// shifted.

namespace csink::papi {
namespace {

// Modifiers of PAPI 7.2 that 7.0 lacks. The others have 7.0's order, with larger numbers.
constexpr int kFirstOfComponents = 2;  // PAPI_PRESET_ENUM_FIRST_COMP
constexpr int kCpu = 16;               // PAPI_PRESET_ENUM_CPU
constexpr int kCpuAvailable = 17;      // PAPI_PRESET_ENUM_CPU_AVAIL
constexpr int kLast = 25;              // PAPI_NTV_ENUM_GROUPS
static_assert(PAPI_NTV_ENUM_GROUPS + 3 == kLast);
static_assert(PAPI_PRESET_ENUM_FP + 2 == kCpu);

}  // namespace

void ToLayout72(const PAPI_component_info_t& from, ComponentInfo72& to) noexcept {
  std::memcpy(to.until_disabled, &from, sizeof to.until_disabled);
  std::memcpy(to.numbers, &from.initialized, sizeof to.numbers);
  std::memcpy(to.pmu_names, from.pmu_names, sizeof to.pmu_names);
  std::memcpy(to.from_reserved, &from.reserved, sizeof to.from_reserved);
  std::memset(to.partially_disabled_reason, 0, sizeof to.partially_disabled_reason);
  to.partially_disabled = from.disabled == PAPI_OK && from.disabled_reason[0] != '\0';
  if (!to.partially_disabled) return;
  std::memcpy(to.partially_disabled_reason, from.disabled_reason, sizeof from.disabled_reason);
  std::memset(to.until_disabled + offsetof(PAPI_component_info_t, disabled_reason), 0,
              sizeof from.disabled_reason);
}

void ToLayout72(const PAPI_event_info_t& from, EventInfo72& to) noexcept {
  std::memset(&to, 0, sizeof to);
  to.info = from;
  // PAPI_PRESET_BIT_x is 1 << PAPI_PRESET_ENUM_x, and each of these numbers is one larger in 7.2.
  to.info.event_type = from.event_type << 1;
}

Step72 StepOf72(int modifier, bool preset) noexcept {
  if (modifier == kFirstOfComponents) {
    return {preset ? Step72::Kind::kFirstOfComponents : Step72::Kind::kUnknown, 0};
  }
  if (modifier == kCpu || modifier == kCpuAvailable) {
    const int as_70 = modifier == kCpu ? PAPI_ENUM_EVENTS : PAPI_PRESET_ENUM_AVAIL;
    return {preset ? Step72::Kind::kAs70 : Step72::Kind::kUnknown, as_70};
  }
  // From here on the modifiers of 7.0: one was inserted before PAPI_PRESET_ENUM_AVAIL and two after
  // PAPI_PRESET_ENUM_FP.
  if (modifier < 0 || modifier > kLast) return {Step72::Kind::kUnknown, 0};
  if (modifier > kCpuAvailable) return {Step72::Kind::kAs70, modifier - 3};
  return {Step72::Kind::kAs70, modifier > kFirstOfComponents ? modifier - 1 : modifier};
}

}  // namespace csink::papi
