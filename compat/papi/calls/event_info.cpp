/// File: functions that describe events, and those that translate between names and codes
/// (events/event_names.h). The two highest bits of a code tell the source: native events are
/// described by their component, presets and user events by the preset tables.

#include <cstring>
#include <string>

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/boundary/copy_text.h"
#include "compat/papi/calls/calls.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/events/event_codes.h"
#include "compat/papi/events/event_names.h"
#include "compat/papi/events/preset_events.h"
#include "core/counting/presets/standard_presets.h"

namespace csink::papi {
namespace {

// PAPI's fields that have no counterpart in ComponentEvent stay 0, count among them: a native
// event has no natives.
int InfoOfNative(int code, PAPI_event_info_t& info) {
  Component* component = Components().At(NativeComponent(code));
  ComponentEvent event;
  if (component == nullptr || !component->Describe(NativeNumber(code), event)) {
    return PAPI_ENOEVNT;
  }
  CopyText(info.symbol, event.name);
  CopyText(info.short_descr, event.short_description);
  CopyText(info.long_descr, event.long_description);
  CopyText(info.units, event.units);
  info.component_index = NativeComponent(code);
  // Whose events the value contains; PAPI calls that the place of the counter.
  switch (event.scope) {
    case ComponentEvent::Scope::kThread:
    case ComponentEvent::Scope::kProcess:
      info.location = PAPI_LOCATION_CORE;
      break;
    case ComponentEvent::Scope::kCpu:
      info.location = PAPI_LOCATION_CPU;
      break;
    case ComponentEvent::Scope::kSocket:
      info.location = PAPI_LOCATION_PACKAGE;
      break;
    // PAPI has no location for a whole machine; its uncore is the widest.
    case ComponentEvent::Scope::kMachine:
      info.location = PAPI_LOCATION_UNCORE;
      break;
  }
  switch (event.value_type) {
    case ComponentEvent::Type::kUnsigned:
      info.data_type = PAPI_DATATYPE_UINT64;
      break;
    case ComponentEvent::Type::kSigned:
      info.data_type = PAPI_DATATYPE_INT64;
      break;
    case ComponentEvent::Type::kFloating:
      info.data_type = PAPI_DATATYPE_FP64;
      break;
    case ComponentEvent::Type::kBits:
      info.data_type = PAPI_DATATYPE_BIT64;
      break;
  }
  return PAPI_OK;
}

void FillTexts(const PresetDefinition& definition, PAPI_event_info_t& info) {
  CopyText(info.short_descr, definition.short_description);
  CopyText(info.long_descr, definition.long_description);
  CopyText(info.note, definition.note);
}

// A preset that can be counted: its formula and the native events that it uses here.
void FillDefinition(const ResolvedPreset& preset, PAPI_event_info_t& info) {
  const PresetDefinition& definition = *preset.definition;
  FillTexts(definition, info);
  CopyText(info.postfix, definition.postfix);
  // The formula in the field is postfix also if the file has an infix formula, so DERIVED_POSTFIX
  // is shown.
  CopyText(info.derived,
           DerivationName(definition.derivation == Derivation::kInfix ? Derivation::kPostfix
                                                                      : definition.derivation));
  info.component_index = preset.component;
  info.event_type = definition.classes;
  info.count = preset.count;
  for (std::size_t i = 0; i < preset.count; ++i) {
    info.code[i] = static_cast<unsigned>(NativeCode(preset.component, preset.natives[i]));
    CopyText(info.name[i], definition.natives[i].shown());
  }
}

// The texts of PAPI's table come first. A definition of this machine or of the user's files
// replaces them. A preset that cannot be counted is described as well, with count 0, since
// papi_avail lists all presets.
int InfoOfPreset(int code, PAPI_event_info_t& info) {
  PresetEvents& presets = Presets();
  const std::string_view name = presets.NameOf(code);
  if (name.empty()) {
    return FamilyOf(code) == EventFamily::kUser ? PAPI_ENOEVNT : PAPI_ENOTPRESET;
  }
  CopyText(info.symbol, name);
  CopyText(info.derived, DerivationName(Derivation::kNotDerived));
  if (FamilyOf(code) == EventFamily::kPreset) {
    const StandardPreset& standard =
        StandardPresetAt(static_cast<std::uint32_t>(code) & PAPI_PRESET_AND_MASK);
    CopyText(info.short_descr, standard.short_description);
    CopyText(info.long_descr, standard.long_description);
    info.event_type = standard.classes;
  }
  const ResolvedPreset* preset = presets.Find(code);
  if (preset && presets.IsAvailable(*preset)) {
    FillDefinition(*preset, info);
  } else if (const PresetDefinition* written = presets.DefinitionOf(code); written) {
    FillTexts(*written, info);
  }
  return PAPI_OK;
}

int InfoOf(int code, PAPI_event_info_t& info) {
  // All bytes, also padding, so that no old bytes of the stack reach the program.
  std::memset(&info, 0, sizeof info);
  info.event_code = static_cast<unsigned>(code);
  switch (FamilyOf(code)) {
    case EventFamily::kNative:
      return InfoOfNative(code, info);
    case EventFamily::kPreset:
    case EventFamily::kUser:
      return InfoOfPreset(code, info);
    case EventFamily::kNone:
      break;
  }
  return PAPI_ENOTPRESET;
}

// A preset code without a name is PAPI_ENOTPRESET, any other unknown code PAPI_ENOEVNT. Longer
// names than PAPI_MAX_STR_LEN are cut.
int NameOfCode(int code, char (&out)[PAPI_MAX_STR_LEN]) {
  std::string_view name;
  ComponentEvent event;
  switch (FamilyOf(code)) {
    case EventFamily::kNative: {
      Component* component = Components().At(NativeComponent(code));
      if (component && component->Describe(NativeNumber(code), event)) name = event.name;
      break;
    }
    case EventFamily::kPreset:
    case EventFamily::kUser:
      name = Presets().NameOf(code);
      break;
    case EventFamily::kNone:
      break;
  }
  if (name.empty()) {
    return FamilyOf(code) == EventFamily::kPreset ? PAPI_ENOTPRESET : PAPI_ENOEVNT;
  }
  CopyText(out, name);
  return PAPI_OK;
}

}  // namespace

int GetEventInfo(int code, PAPI_event_info_t* info) noexcept {
  return AtCBoundaryOfLibrary([&]() -> int {
    if (info == nullptr) return PAPI_EINVAL;
    PAPI_event_info_t found;  // on a failure the caller's structure is unchanged
    const int answer = InfoOf(code, found);
    if (answer == PAPI_OK) *info = found;
    return answer;
  });
}

}  // namespace csink::papi

using csink::papi::AtCBoundaryOfLibrary;

int PAPI_event_code_to_name(int EventCode, char* out) {
  return AtCBoundaryOfLibrary([&]() -> int {
    if (out == nullptr) return PAPI_EINVAL;
    char name[PAPI_MAX_STR_LEN];
    const int code = csink::papi::NameOfCode(EventCode, name);
    // A local buffer first: on a failure the caller's buffer is unchanged.
    if (code == PAPI_OK) std::strcpy(out, name);
    return code;
  });
}

int PAPI_event_name_to_code(const char* in, int* out) {
  return AtCBoundaryOfLibrary(
      [&] { return in && out ? csink::papi::CodeOfName(in, out) : PAPI_EINVAL; });
}

int PAPI_query_event(int EventCode) {
  return AtCBoundaryOfLibrary([&] { return csink::papi::CheckEvent(EventCode); });
}

int PAPI_query_named_event(const char* EventName) {
  return AtCBoundaryOfLibrary([&]() -> int {
    if (EventName == nullptr) return PAPI_EINVAL;
    int code = 0;
    const int found = csink::papi::CodeOfName(EventName, &code);
    return found == PAPI_OK ? csink::papi::CheckEvent(code) : found;
  });
}
