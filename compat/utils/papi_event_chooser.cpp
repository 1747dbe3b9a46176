/// Program: papi_event_chooser. Layout of papi-tools 7.0's. Every candidate is added to the set of
/// the given events and removed again, so that the kernel itself decides what fits.

#include <papi.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>

#include "compat/utils/events.h"
#include "compat/utils/header.h"
#include "compat/utils/json.h"
#include "compat/utils/message.h"
#include "compat/utils/native_event.h"
#include "compat/utils/run.h"

namespace csink::utils {
namespace {

constexpr ExitCode kExits[] = {
    {0, "the events were listed; the list may be empty"},
    {1, "an event is unknown, or the given events cannot be counted together"}};
constexpr const char* kSeeAlso[] = {"papi_avail", "papi_native_avail", "papi_command_line"};
constexpr Section kSections[] = {{"Examples",
                                  "  papi_event_chooser PRESET PAPI_TOT_CYC PAPI_TOT_INS\n"
                                  "  papi_event_chooser NATIVE perf::TASK-CLOCK"}};
constexpr Tool kTool = {
    .name = "papi_event_chooser",
    .line = "list the events that can be counted with given events",
    .operands = "NATIVE|PRESET EVENT...",
    .description =
        "Adds the given events, preset or native, to an event set, and then tests each preset, or "
        "each native event of the first event's component. Events that can be added are listed; a "
        "native event is also listed if it can be added with one of its unit masks.",
    .json_text =
        "\"hardware\", \"kind\", \"given\", \"events\" (name, code, description; of presets also "
        "derived and note) and \"count\".",
    .exits = kExits,
    .sections = kSections,
    .see_also = kSeeAlso};

constexpr char kRule[] =
    "-------------------------------------------------------------------------";

using Use = std::function<void(const PAPI_event_info_t&)>;

/// True if the event can be added to the set. The set is unchanged afterwards.
bool Fits(EventSet& set, int code) {
  if (set.Add(code) != PAPI_OK) return false;
  // An event that stays in the set would make every later answer wrong.
  if (const int removed = set.Remove(code); removed != PAPI_OK) {
    SayCode(kTool, "an event cannot be removed again", removed);
  }
  return true;
}

/// Calls `use` for each preset that can be added.
void ForEachPreset(EventSet& set, const Use& use) {
  PAPI_event_info_t event;
  int code = PAPI_PRESET_MASK;
  // The first preset need not be available, hence the test of its count.
  int found = PAPI_enum_event(&code, PAPI_ENUM_FIRST);
  for (; found == PAPI_OK; found = PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL)) {
    if (PAPI_get_event_info(code, &event) == PAPI_OK && event.count != 0 && Fits(set, code)) {
      use(event);
    }
  }
}

/// True if a native event, or the event with one of its unit masks, can be added.
bool FitsSomehow(EventSet& set, const PAPI_event_info_t& event) {
  if (Fits(set, static_cast<int>(event.event_code))) return true;
  for (Qualifiers qualifiers(event); qualifiers.Next();) {
    if (qualifiers.is_unit_mask() && Fits(set, qualifiers.code())) return true;
  }
  return false;
}

/// Events of one component, each with its unit masks.
void ForEachNative(EventSet& set, int component, const Use& use) {
  PAPI_event_info_t event;
  int code = PAPI_NATIVE_MASK;
  int found = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
  for (; found == PAPI_OK; found = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
    if (PAPI_get_event_info(code, &event) == PAPI_OK && FitsSomehow(set, event)) use(event);
  }
}

/// A line of the table: name, code, whether derived, description and note.
void PrintPreset(const PAPI_event_info_t& event) {
  std::printf("%-13s%#x  %-5s%s", event.symbol, event.event_code, IsDerived(event) ? "Yes" : "No",
              event.long_descr);
  if (event.note[0] != '\0') std::printf(" (%s)", event.note);
  std::putchar('\n');
}

/// An event with its unit masks and modifiers, whether or not each of them fits.
void PrintNative(const PAPI_event_info_t& event) {
  std::printf("%s\t%#x\n |%s|\n", event.symbol, event.event_code, event.long_descr);
  for (Qualifiers qualifiers(event); qualifiers.Next();) {
    // PAPI's own tool prints the name from its first colon on, which may be the one of "perf::".
    const char* colon = std::strchr(qualifiers.symbol(), ':');
    std::printf("    %#-10x%s  |%s|\n", static_cast<unsigned>(qualifiers.code()),
                colon ? colon : qualifiers.symbol(), std::string(qualifiers.description()).c_str());
  }
  std::puts(kRule);
}

/// The facts of the text. Natives have neither a derivation nor a note.
nlohmann::ordered_json EventJson(const PAPI_event_info_t& event, bool presets) {
  nlohmann::ordered_json object = {
      {"name", event.symbol}, {"code", event.event_code}, {"description", event.long_descr}};
  if (!presets) return object;
  object["derived"] = IsDerived(event);
  object["note"] = event.note;
  return object;
}

/// Adds the given events to the set; `component` becomes that of the first. False, with a message:
/// an event is unknown or cannot be added.
bool AddGiven(const Arguments& arguments, EventSet& set, int& component) {
  component = -1;
  for (std::size_t i = 1; i < arguments.operands().size(); ++i) {
    const char* name = arguments.operands()[i];
    int code = 0;
    if (const int found = PAPI_event_name_to_code(name, &code); found != PAPI_OK) {
      SayCode(kTool, std::string("Event ") + name + " can't be found", found);
      return false;
    }
    // One after the other: the message names the first event that does not fit beside those before
    // it.
    if (const int added = set.Add(code); added != PAPI_OK) {
      SayCode(
          kTool,
          std::string("Event ") + name + " can't be counted with others " + std::to_string(added),
          added);
      return false;
    }
    // The native events to try are those of the first event's component: a set has one component.
    if (component < 0) component = PAPI_get_event_component(code);
  }
  return true;
}

int Run(const Arguments& arguments) {
  const std::string kind = arguments.operands().empty() ? "" : arguments.operands()[0];
  const bool presets = kind == "PRESET";
  if ((!presets && kind != "NATIVE") || arguments.operands().size() < 2) {
    Say(kTool, "NATIVE or PRESET and at least one event are needed");
    return Misuse(kTool);
  }
  if (!StartLibrary(kTool)) return kFailed;
  const bool text = !arguments.json();
  if (text && !PrintHeader(kTool,
                           "Event Chooser: Available events which can be added with given "
                           "events.")) {
    return kFailed;
  }
  EventSet set;
  // Only NATIVE uses the component.
  int component = 0;
  if (!AddGiven(arguments, set, component)) return kFailed;
  if (text && presets) std::puts("    Name        Code    Deriv Description (Note)");
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  int count = 0;
  // The same loop serves text and JSON.
  const Use use = [&](const PAPI_event_info_t& event) {
    ++count;
    if (!text) return events.push_back(EventJson(event, presets));
    return presets ? PrintPreset(event) : PrintNative(event);
  };
  if (presets) {
    ForEachPreset(set, use);
  } else {
    ForEachNative(set, component, use);
  }
  if (text) {
    std::printf("%s\nTotal events reported: %d\n", kRule, count);
    return kFine;
  }
  nlohmann::ordered_json object = JsonHead(kTool);
  object["hardware"] = HardwareJson();
  object["kind"] = presets ? "preset" : "native";
  for (std::size_t i = 1; i < arguments.operands().size(); ++i) {
    object["given"].push_back(arguments.operands()[i]);
  }
  // Behind the given events, although the loop above has filled it before.
  object["events"] = std::move(events);
  object["count"] = count;
  PrintJson(object);
  return kFine;
}

}  // namespace
}  // namespace csink::utils

int main(int argc, char** argv) {
  return csink::utils::RunTool(csink::utils::kTool, argc, argv, csink::utils::Run);
}
