#include "compat/papi/events/event_names.h"

#include "compat/papi/boundary/debug.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/events/event_codes.h"
#include "compat/papi/events/preset_events.h"
#include "core/counting/presets/standard_presets.h"

/// File: which event a name or a code means. The same rules hold for PAPI_event_name_to_code, for
/// PAPI_add_named_event and for the events of regions.

namespace csink::papi {
namespace {

constexpr std::string_view kPresetPrefix = "PAPI_";

// PAPI_ENOEVNT; the message has the nearest name of PAPI's table.
int ComplainUnknownPreset(std::string_view name) {
  EventComplaint& complaint = Complaint();
  complaint.Clear();
  complaint.Add("there is no preset ").Add(name);
  const std::string_view nearest = NearestStandardPreset(name);
  if (!nearest.empty()) complaint.Add("; did you mean ").Add(nearest).Add("?");
  return PAPI_ENOEVNT;
}

}  // namespace

// A name that begins with "PAPI_" is never a native event: a misspelt preset must be answered with
// the nearest preset, not with what a component says about the name.
int CodeOfName(std::string_view name, int* code) {
  if (name.empty()) return Complain(PAPI_EINVAL, "an event needs a name");
  const bool like_preset = name.substr(0, kPresetPrefix.size()) == kPresetPrefix;
  // Native names do not load the preset table (a file to parse) unless it may define user events.
  if (like_preset || Presets().HasUserEvents()) {
    if (const int preset = Presets().CodeOf(name); preset != 0) {
      *code = preset;
      return PAPI_OK;
    }
    if (like_preset) return ComplainUnknownPreset(name);
  }
  const Result<int> native = Components().FindNative(name);
  if (!native) return Complain(native.error());
  *code = *native;
  return PAPI_OK;
}

int CheckEvent(int code) {
  switch (FamilyOf(code)) {
    // A native event counts if its component describes it. Whether the kernel opens it is found by
    // PAPI_add_event.
    case EventFamily::kNative: {
      ComponentTable& components = Components();
      const int index = NativeComponent(code);
      Component* component = components.At(index);
      ComponentEvent event;
      if (component == nullptr || !component->Describe(NativeNumber(code), event)) {
        return Complain(PAPI_ENOEVNT, "no component has an event with this code");
      }
      return components.CheckSwitchedOn(index);
    }
    case EventFamily::kPreset:
    case EventFamily::kUser:
      return Presets().Check(code);
    case EventFamily::kNone:
      break;
  }
  return Complain(PAPI_ENOEVNT, "this is not the code of an event");
}

}  // namespace csink::papi
