#pragma once

#include <cstddef>

#include "compat/papi/include/papi.h"

namespace csink::papi {

/// \file PAPI 7.2's structures that differ from 7.0's, defined with 7.0's types, for the core,
/// which is compiled with 7.0's papi.h. abi7/abi_layout.cpp checks 7.2's papi.h against the same
/// numbers.
/// Source: papi.h of PAPI 7.2.0 (Debian's libpapi-dev 7.2.0-2), compiled for x86-64.

inline constexpr int kMaxQualifiers72 = 8;  // PAPI_MAX_COMP_QUALS

/// PAPI_event_info_t: 7.0's structure, followed by the qualifiers of component presets.
struct EventInfo72 {
  PAPI_event_info_t info;
  int num_quals;
  char quals[kMaxQualifiers72][PAPI_HUGE_STR_LEN];
  char quals_descrs[kMaxQualifiers72][PAPI_HUGE_STR_LEN];
};
static_assert(sizeof(EventInfo72) == 23068);
static_assert(offsetof(EventInfo72, num_quals) == 6680);

/// PAPI_component_info_t: 7.0's members, with the partial state after `disabled`. Members between
/// which nothing was inserted are kept as blocks of bytes: they are copied and never read here.
struct ComponentInfo72 {
  char until_disabled[offsetof(PAPI_component_info_t, initialized)];
  char partially_disabled_reason[PAPI_HUGE_STR_LEN];
  int partially_disabled;
  char numbers[offsetof(PAPI_component_info_t, component_type) + sizeof(int) -
               offsetof(PAPI_component_info_t, initialized)];
  char* pmu_names[PAPI_PMU_MAX];
  char from_reserved[sizeof(PAPI_component_info_t) - offsetof(PAPI_component_info_t, reserved)];
};
static_assert(sizeof(ComponentInfo72) == 3296);
static_assert(offsetof(ComponentInfo72, partially_disabled_reason) == 1540);
static_assert(offsetof(ComponentInfo72, partially_disabled) == 2564);
static_assert(offsetof(ComponentInfo72, numbers) == 2568);
static_assert(offsetof(ComponentInfo72, pmu_names) == 2616);
static_assert(offsetof(ComponentInfo72, from_reserved) == 3256);

/// Converts a component's description. If the component works partially (disabled == 0 with a
/// reason), the reason moves to partially_disabled_reason.
void ToLayout72(const PAPI_component_info_t& from, ComponentInfo72& to) noexcept;

/// Converts an event's description; all of `to` is written. num_quals is 0: only component presets
/// have qualifiers, and no component has presets (docs/design/papi-abis.md).
void ToLayout72(const PAPI_event_info_t& from, EventInfo72& to) noexcept;

/// How a modifier of 7.2's PAPI_enum_event is executed: as 7.0's with another number, as the first
/// preset of a component (there is none), or not at all.
struct Step72 {
  enum class Kind { kAs70, kFirstOfComponents, kUnknown };
  Kind kind;
  int modifier;  ///< With kAs70: 7.0's modifier
};
/// `modifier`: any int. `preset`: presets are enumerated (not native events); some modifiers are
/// for presets alone.
Step72 StepOf72(int modifier, bool preset) noexcept;

}  // namespace csink::papi
