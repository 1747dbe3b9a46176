/// File: PAPI_enum_event as PAPI 3.5 has it. Source: its manual, "PAPI_enum_event".

#include "compat/papi/event_codes.h"
#include "compat/papi/include/papi35_abi.h"
#include "compat/papi/library.h"

namespace csink::papi {
namespace {

/// 3.5's TRUE is 1, 7.0's PAPI_ENUM_FIRST, which would give the same event for ever. Of presets
/// every value that is not zero is TRUE; 7.0's own ways to list presets keep their meaning.
int PresetModifier(int modifier) noexcept {
  const bool known = modifier == PAPI_ENUM_EVENTS || modifier == PAPI_35_ENUM_FIRST ||
                     (modifier >= PAPI_PRESET_ENUM_AVAIL && modifier <= PAPI_PRESET_ENUM_FP);
  return known ? modifier : PAPI_PRESET_ENUM_AVAIL;
}

int NativeModifier(int modifier) noexcept {
  return modifier == PAPI_ENUM_FIRST ? PAPI_ENUM_EVENTS : modifier;
}

bool IsAvailable(int user_event) {
  PresetEvents& presets = TheLibrary().presets;
  const ResolvedPreset* event = presets.Find(user_event);
  return event != nullptr && presets.IsAvailable(*event);
}

/// The user's events stand behind the presets: 3.5 had them in the same table.
int NextUserEvent(int* code, int modifier, bool only_available) {
  int next = *code;
  int answer = PAPI_enum_event(&next, modifier);
  while (answer == PAPI_OK && only_available && !IsAvailable(next)) {
    answer = PAPI_enum_event(&next, PAPI_ENUM_EVENTS);
  }
  if (answer == PAPI_OK) *code = next;
  return answer;
}

int NextPreset(int* code, int modifier) {
  const int answer = PAPI_enum_event(code, modifier);
  if (answer != PAPI_ENOEVNT) return answer;
  if (modifier != PAPI_ENUM_EVENTS && modifier != PAPI_PRESET_ENUM_AVAIL) return answer;
  int first = PAPI_UE_MASK;
  const int found = NextUserEvent(&first, PAPI_ENUM_FIRST, modifier == PAPI_PRESET_ENUM_AVAIL);
  if (found == PAPI_OK) *code = first;
  return found;
}

}  // namespace
}  // namespace csink::papi

int PAPI_enum_event_35(int* EventCode, int modifier) {
  using namespace csink::papi;
  if (EventCode == nullptr) return PAPI_enum_event(EventCode, modifier);
  switch (FamilyOf(*EventCode)) {
    case EventFamily::kPreset:
      return NextPreset(EventCode, PresetModifier(modifier));
    case EventFamily::kUser:
      if (modifier == PAPI_35_ENUM_FIRST) return PAPI_enum_event(EventCode, modifier);
      return NextUserEvent(EventCode, PAPI_ENUM_EVENTS, modifier != PAPI_ENUM_EVENTS);
    default:
      return PAPI_enum_event(EventCode, NativeModifier(modifier));
  }
}
