/// File: PAPI_enum_event and PAPI_perror with PAPI 3.5's arguments. Source: its manual, the
/// functions of these names.

#include "compat/papi/boundary/debug.h"
#include "compat/papi/boundary/error_text.h"
#include "compat/papi/calls/calls.h"
#include "compat/papi/events/event_codes.h"
#include "compat/papi/events/preset_events.h"
#include "compat/papi/include/papi35_abi.h"

namespace csink::papi {
namespace {

/// 3.5 passes TRUE or FALSE. TRUE is 1, which is PAPI_ENUM_FIRST in 7.0 and would return the same
/// event forever. So values that 7.0 does not define for presets count as TRUE
/// (PAPI_PRESET_ENUM_AVAIL); those that it defines keep their meaning.
int PresetModifier(int modifier) noexcept {
  const bool known = modifier == PAPI_ENUM_EVENTS || modifier == PAPI_35_ENUM_FIRST ||
                     (modifier >= PAPI_PRESET_ENUM_AVAIL && modifier <= PAPI_PRESET_ENUM_FP);
  return known ? modifier : PAPI_PRESET_ENUM_AVAIL;
}

/// 1 is PAPI_ENUM_FIRST in 7.0. A program of 3.5 that passes TRUE gets all native events
/// (papi35_abi.h).
int NativeModifier(int modifier) noexcept {
  return modifier == PAPI_ENUM_FIRST ? PAPI_ENUM_EVENTS : modifier;
}

bool IsAvailable(int user_event) {
  PresetEvents& presets = Presets();
  const ResolvedPreset* event = presets.Find(user_event);
  return event != nullptr && presets.IsAvailable(*event);
}

/// User events follow the presets: 3.5 had both in one table.
int NextUserEvent(int* code, int modifier, bool only_available) {
  int next = *code;
  int answer = EnumerateEvents(&next, modifier);
  while (answer == PAPI_OK && only_available && !IsAvailable(next)) {
    answer = EnumerateEvents(&next, PAPI_ENUM_EVENTS);
  }
  if (answer == PAPI_OK) *code = next;
  return answer;
}

/// Presets, then the user events. Only the two modifiers that 3.5 has go on to the user events;
/// classes of 7.0 end with the presets.
int NextPreset(int* code, int modifier) {
  const int answer = EnumerateEvents(code, modifier);
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
  if (EventCode == nullptr) return EnumerateEvents(EventCode, modifier);
  switch (FamilyOf(*EventCode)) {
    case EventFamily::kPreset:
      return NextPreset(EventCode, PresetModifier(modifier));
    case EventFamily::kUser:
      if (modifier == PAPI_35_ENUM_FIRST) return EnumerateEvents(EventCode, modifier);
      return NextUserEvent(EventCode, PAPI_ENUM_EVENTS, modifier != PAPI_ENUM_EVENTS);
    default:
      return EnumerateEvents(EventCode, NativeModifier(modifier));
  }
}

int PAPI_perror_35(int code, char* destination, int length) {
  // Not AtCBoundary: it would clear the message of the previous failure.
  const int answer = csink::papi::TellError(code, destination, length);
  return answer < 0 ? csink::papi::Report(answer) : answer;
}
