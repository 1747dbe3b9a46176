/// File: functions that enumerate events.

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/calls/calls.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/events/event_codes.h"
#include "compat/papi/events/preset_events.h"
#include "compat/papi/include/papi35_abi.h"
#include "core/counting/presets/standard_presets.h"

namespace csink::papi {
namespace {

/// Internal code for the end of a list. PAPI returns PAPI_ENOEVNT there; this is not a failure, so
/// the debug handler must not print it.
constexpr int kEnd = 1;

/// The modifiers of classes are consecutive, and 1 << modifier is the class's bit
/// (PAPI_PRESET_BIT_*).
bool IsClass(int modifier) noexcept {
  return modifier >= PAPI_PRESET_ENUM_MSC && modifier <= PAPI_PRESET_ENUM_FP;
}

/// The next preset after *code: of all, of those that this machine can count, or of a class. Codes
/// are indices, so no state is kept between calls, and *code may be any preset.
int NextPreset(int* code, int modifier) {
  if (modifier == PAPI_ENUM_FIRST) {
    *code = PAPI_PRESET_MASK;
    return PAPI_OK;
  }
  if (modifier != PAPI_ENUM_EVENTS && modifier != PAPI_PRESET_ENUM_AVAIL && !IsClass(modifier)) {
    return Complain(PAPI_EINVAL, "the modifier is not valid for presets");
  }
  PresetEvents& presets = Presets();
  for (std::size_t i = (static_cast<std::uint32_t>(*code) & PAPI_PRESET_AND_MASK) + std::size_t{1};
       i < kStandardPresetCount; ++i) {
    const int next = static_cast<int>(kPresetBit | i);
    if (modifier == PAPI_PRESET_ENUM_AVAIL) {
      const ResolvedPreset* preset = presets.Find(next);
      if (preset == nullptr || !presets.IsAvailable(*preset)) continue;
    }
    if (IsClass(modifier) && (StandardPresetAt(i).classes & (1u << modifier)) == 0) continue;
    *code = next;
    return PAPI_OK;
  }
  return kEnd;
}

/// User events have no classes; all modifiers but PAPI_ENUM_FIRST list the next one.
int NextUserEvent(int* code, int modifier) {
  const std::size_t events = Presets().UserEventCount();
  const std::size_t number = static_cast<std::uint32_t>(*code) & PAPI_UE_AND_MASK;
  const std::size_t next = modifier == PAPI_ENUM_FIRST ? 0 : number + 1;
  if (next >= events) return kEnd;
  *code = static_cast<int>(kUserEventMask | next);
  return PAPI_OK;
}

/// The component does the enumeration. `index` replaces the component of *code for
/// PAPI_enum_cmp_event, whose first *code may be PAPI_NATIVE_MASK alone.
int NextNative(int* code, int modifier, int index) {
  Component* component = Components().At(index);
  // A disabled component has no events; PAPI returns PAPI_ENOCMP for it.
  if (component == nullptr) return PAPI_ENOCMP;
  if (const int usable = Components().CheckUsable(index); usable != PAPI_OK) {
    return PAPI_ENOCMP;
  }
  EnumerateStep step;
  switch (modifier) {
    case PAPI_ENUM_FIRST:
      step = EnumerateStep::kFirst;
      break;
    case PAPI_ENUM_EVENTS:
      // No event has number 0. Programs for PAPI 3 begin with it and do not use PAPI_ENUM_FIRST.
      step = NativeNumber(*code) == 0 ? EnumerateStep::kFirst : EnumerateStep::kNext;
      break;
    case PAPI_NTV_ENUM_UMASKS:
      step = EnumerateStep::kUnitMasks;
      break;
    case PAPI_NTV_ENUM_UMASK_COMBOS:
      step = EnumerateStep::kUnitMaskCombinations;
      break;
    case PAPI_NTV_ENUM_GROUPS:
      step = EnumerateStep::kGroups;
      break;
    case PAPI_NTV_ENUM_IARR:
    case PAPI_NTV_ENUM_DARR:
    case PAPI_NTV_ENUM_OPCM:
    case PAPI_NTV_ENUM_IEAR:
    case PAPI_NTV_ENUM_DEAR:
      return Complain(PAPI_ENOIMPL, "only Itanium processors have events of this kind");
    default:
      return Complain(PAPI_EINVAL, "the modifier is not valid for native events");
  }
  const Result<std::uint32_t> next = component->Enumerate(step, NativeNumber(*code));
  // kInvalid: a step or a start that the component does not have. Everything else is the end.
  if (!next) return next.error().code == Errc::kInvalid ? PAPI_EINVAL : kEnd;
  *code = NativeCode(index, *next);
  return PAPI_OK;
}

/// `component`: -1: PAPI_enum_event, which takes the component from the code. Presets and user
/// events are listed for component 0 alone.
int Next(int* code, int modifier, int component) {
  if (modifier == PAPI_35_ENUM_FIRST) modifier = PAPI_ENUM_FIRST;
  switch (FamilyOf(*code)) {
    case EventFamily::kNative:
      return NextNative(code, modifier, component < 0 ? NativeComponent(*code) : component);
    case EventFamily::kPreset:
      return component > 0 ? kEnd : NextPreset(code, modifier);
    case EventFamily::kUser:
      return component > 0 ? kEnd : NextUserEvent(code, modifier);
    case EventFamily::kNone:
      break;
  }
  return Complain(PAPI_EINVAL, "enumeration must start at PAPI_PRESET_MASK or PAPI_NATIVE_MASK");
}

template <class F>
int Enumerate(F next) noexcept {
  const int code = AtCBoundaryOfLibrary(next);
  return code == kEnd ? PAPI_ENOEVNT : code;
}

}  // namespace

int EnumerateEvents(int* code, int modifier) noexcept {
  return Enumerate([&] { return code ? Next(code, modifier, -1) : PAPI_EINVAL; });
}

int EnumerateEventsOf(int* code, int modifier, int component) noexcept {
  return Enumerate([&]() -> int {
    if (code == nullptr) return PAPI_EINVAL;
    if (Components().At(component) == nullptr) return PAPI_ENOCMP;
    return Next(code, modifier, component);
  });
}

}  // namespace csink::papi
