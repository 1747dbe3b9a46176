#include "compat/papi/events/event_parts.h"

#include "compat/papi/boundary/debug.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/events/event_codes.h"
#include "compat/papi/events/preset_events.h"

/// File: PAPI_add_event's view of a code. A native code contains its component and number; a preset
/// was resolved to such numbers by PresetEvents, once for all sets.

namespace csink::papi {
namespace {

/// Whether the number exists is not looked up: the component refuses to open an unknown event.
int PartsOfNative(int code, EventParts* parts) {
  parts->component = NativeComponent(code);
  parts->natives[0] = NativeNumber(code);
  parts->count = 1;
  Component* component = Components().At(parts->component);
  if (component == nullptr) {
    return Complain(PAPI_ENOEVNT, "no component has an event with this code");
  }
  // Counts are integers; only readings of devices may be something else.
  ComponentEvent event;
  parts->floating = component->needs_prefix() && component->Describe(parts->natives[0], event) &&
                    event.value_type == ComponentEvent::Type::kFloating;
  return PAPI_OK;
}

/// PAPI_add_event has PAPI_EINVAL for a preset code beyond PAPI's table, where PAPI_query_event has
/// PAPI_ENOTPRESET.
int PartsOfPreset(int code, EventParts* parts) {
  PresetEvents& presets = Presets();
  if (const int exists = presets.Check(code); exists != PAPI_OK) {
    return exists == PAPI_ENOTPRESET ? PAPI_EINVAL : exists;
  }
  const ResolvedPreset* preset = presets.Find(code);
  if (preset == nullptr) return PAPI_ENOEVNT;
  parts->component = preset->component;
  // Copied: Find's entry is valid only until PresetEvents::Reset.
  parts->natives = preset->natives;
  parts->count = preset->count;
  parts->definition = preset->definition;
  return PAPI_OK;
}

}  // namespace

int FindParts(int code, EventParts* parts) {
  switch (FamilyOf(code)) {
    case EventFamily::kNative:
      return PartsOfNative(code, parts);
    case EventFamily::kPreset:
    case EventFamily::kUser:
      return PartsOfPreset(code, parts);
    case EventFamily::kNone:
      break;
  }
  return Complain(PAPI_EINVAL, "this is not the code of an event");
}

}  // namespace csink::papi
