/// Program: papi_xml_event_info. Elements and attributes are those of papi-tools 7.0's. The events
/// are collected as JSON objects first, which are then printed as they are or as XML.

#include <papi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "compat/utils/events.h"
#include "compat/utils/json.h"
#include "compat/utils/message.h"
#include "compat/utils/native_event.h"
#include "compat/utils/run.h"

namespace csink::utils {
namespace {

constexpr Option kOptions[] = {
    {'p', "presets", nullptr, "Write only preset events."},
    {'n', "natives", nullptr, "Write only native events."},
    {'c', "component", "INDEX", "Write only events of the component with that index."},
};
constexpr OptionGroup kGroups[] = {{"Options", kOptions}};
constexpr ExitCode kExits[] = {{0, "the document is written"},
                               {1,
                                "an event or component is unknown, or the given events cannot be "
                                "counted together"}};
constexpr const char* kSeeAlso[] = {"papi_avail", "papi_native_avail", "papi_event_chooser"};
constexpr Tool kTool = {
    .name = "papi_xml_event_info",
    .line = "describe the machine, its components and events in XML",
    .operands = "[EVENT...]",
    .description =
        "Without arguments, all native events and all presets that can be counted are written, "
        "native events with the modifiers and unit masks that can be added. With event names, only "
        "events that can be counted together with them are written; each event is tested, which "
        "takes time.",
    .json_text =
        "\"hardware\" and \"components\": index, type, name, natives and presets (index, "
        "name, description, modifiers).",
    .groups = kGroups,
    .exits = kExits,
    .see_also = kSeeAlso};

using nlohmann::ordered_json;

/// What the command line selects.
struct Wanted {
  bool presets = true;
  bool natives = true;
  int component = -1;  ///< -1: all
};

/// The five characters that XML reserves.
std::string Escaped(const char* text) {
  std::string escaped;
  for (; *text; ++text) {
    switch (*text) {
      case '"':
        escaped += "&quot;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '\'':
        escaped += "&apos;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += *text;
    }
  }
  return escaped;
}

/// A number is the attribute `value` of an element of its own, as in PAPI's documents.
void PrintNumber(const char* element, int value, const char* indent = "  ") {
  std::printf("%s<%s value=\"%d\"/>\n", indent, element, value);
}

/// The elements in the order of papi-tools 7.0.
bool PrintHardware() {
  const PAPI_hw_info_t* hardware = PAPI_get_hardware_info();
  if (!hardware) return Say(kTool, "the library does not describe the hardware"), false;
  std::printf("<hardware>\n  <vendor string=\"%s\"/>\n", Escaped(hardware->vendor_string).c_str());
  PrintNumber("vendorCode", hardware->vendor);
  std::printf("  <model string=\"%s\"/>\n", Escaped(hardware->model_string).c_str());
  PrintNumber("modelCode", hardware->model);
  std::printf("  <cpuRevision value=\"%f\"/>\n  <cpuID>\n",
              static_cast<double>(hardware->revision));
  PrintNumber("family", hardware->cpuid_family, "    ");
  PrintNumber("model", hardware->cpuid_model, "    ");
  PrintNumber("stepping", hardware->cpuid_stepping, "    ");
  std::puts("  </cpuID>");
  PrintNumber("cpuMaxMegahertz", hardware->cpu_max_mhz);
  PrintNumber("cpuMinMegahertz", hardware->cpu_min_mhz);
  PrintNumber("threads", hardware->threads);
  PrintNumber("cores", hardware->cores);
  PrintNumber("sockets", hardware->sockets);
  PrintNumber("nodes", hardware->nnodes);
  PrintNumber("cpuPerNode", hardware->ncpu);
  PrintNumber("totalCPUs", hardware->totalcpus);
  std::puts("</hardware>");
  return true;
}

/// Tests which events can be added to the given events, or to an empty set.
class Trial {
 public:
  EventSet& given() noexcept { return given_; }
  bool beside = false;  ///< the command line named events

  // Beside given events the event is removed again at once.
  bool Fits(int code) {
    if (!beside) return CanBeAdded(code);
    return given_.Add(code) == PAPI_OK && given_.Remove(code) == PAPI_OK;
  }

 private:
  EventSet given_;
};

/// The object of one event, with those modifiers and unit masks that can be added.
ordered_json Describe(Trial& trial, int index, const PAPI_event_info_t& event) {
  ordered_json object = {
      {"index", index}, {"name", event.symbol}, {"description", event.long_descr}};
  ordered_json& modifiers = object["modifiers"] = ordered_json::array();
  // Presets have no modifiers; the list stays, so that all objects have the same keys.
  if (!IS_NATIVE(event.event_code)) return object;
  for (Qualifiers qualifiers(event); qualifiers.Next();) {
    if (!trial.Fits(qualifiers.code())) continue;
    modifiers.push_back(
        {{"name", qualifiers.symbol()}, {"description", qualifiers.long_description()}});
  }
  return object;
}

/// The presets that can be counted, with the given events if there are any.
ordered_json Presets(Trial& trial, int component) {
  ordered_json events = ordered_json::array();
  PAPI_event_info_t event;
  int code = PAPI_PRESET_MASK;
  // All presets belong to component 0. The index counts all presets, also those that are left out.
  int found = component == 0 ? PAPI_enum_event(&code, PAPI_ENUM_FIRST) : PAPI_ENOEVNT;
  for (int index = 0; found == PAPI_OK; ++index) {
    if (PAPI_query_event(code) == PAPI_OK && PAPI_get_event_info(code, &event) == PAPI_OK &&
        (!trial.beside || trial.Fits(code))) {
      events.push_back(Describe(trial, index, event));
    }
    found = PAPI_enum_event(&code, PAPI_ENUM_EVENTS);
  }
  return events;
}

/// The native events of a component.
ordered_json Natives(Trial& trial, int component) {
  ordered_json events = ordered_json::array();
  PAPI_event_info_t event;
  int code = PAPI_NATIVE_MASK;
  int found = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
  for (int index = 0; found == PAPI_OK; ++index) {
    if (PAPI_get_event_info(code, &event) == PAPI_OK) {
      // Without given events every event that the library lists is written; only its modifiers are
      // tried. An event that needs a unit mask is written if one of them fits.
      const bool fits = !trial.beside || trial.Fits(code);
      ordered_json one = Describe(trial, index, event);
      if (fits || !one["modifiers"].empty()) events.push_back(std::move(one));
    }
    found = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component);
  }
  return events;
}

/// The list of one kind of events as an element.
void PrintEvents(const char* type, const ordered_json& events) {
  std::printf("  <eventset type=\"%s\">\n", type);
  // All strings of the objects were made here, so their types are certain.
  const auto text = [](const ordered_json& object, const char* key) {
    return Escaped(object[key].get_ref<const std::string&>().c_str());
  };
  for (const ordered_json& event : events) {
    std::printf("    <event index=\"%d\" name=\"%s\" desc=\"%s\">\n", event["index"].get<int>(),
                text(event, "name").c_str(), text(event, "description").c_str());
    // An empty list prints nothing.
    for (const ordered_json& modifier : event["modifiers"]) {
      std::printf("        <modifier name=\"%s\" desc=\"%s\"> </modifier>\n",
                  text(modifier, "name").c_str(), text(modifier, "description").c_str());
    }
    std::puts("    </event>");
  }
  std::puts("  </eventset>");
}

/// Presets or natives that the command line left out have no element.
void PrintComponents(const ordered_json& components) {
  for (const ordered_json& component : components) {
    std::printf("<component index=\"%d\" type=\"%s\" id=\"%s\">\n", component["index"].get<int>(),
                component["type"].get_ref<const std::string&>().c_str(),
                Escaped(component["name"].get_ref<const std::string&>().c_str()).c_str());
    if (component.contains("natives")) PrintEvents("NATIVE", component["natives"]);
    if (component.contains("presets")) PrintEvents("PRESET", component["presets"]);
    std::puts("</component>");
  }
}

/// The objects of the components that the command line selects.
ordered_json Components(const Wanted& wanted, Trial& trial) {
  ordered_json components = ordered_json::array();
  for (const NumberedComponent& component : StartedComponents()) {
    // The index of the library, which PAPI_enum_cmp_event takes.
    const int index = component.index;
    // Disabled components are written, too, without events.
    if (wanted.component >= 0 && wanted.component != index) continue;
    ordered_json one = {
        {"index", index},
        {"type", std::strcmp(component->name, "perf_event") == 0 ? "CPU" : "Unknown"},
        {"name", component->name}};
    if (wanted.natives) one["natives"] = Natives(trial, index);
    if (wanted.presets) one["presets"] = Presets(trial, index);
    components.push_back(std::move(one));
  }
  return components;
}

/// Reads the command line and adds the given events. False, with a message: the component does not
/// exist, or an event is unknown or cannot be added.
bool Prepare(const Arguments& arguments, Trial& trial, Wanted& wanted) {
  // -p and -n together mean both.
  wanted.presets = arguments.Has('p') || !arguments.Has('n');
  wanted.natives = arguments.Has('n') || !arguments.Has('p');
  trial.beside = !arguments.operands().empty();
  if (const char* number = arguments.Value('c')) {
    // A complete number within the components that there are.
    char* end = nullptr;
    const long index = std::strtol(number, &end, 10);
    const int last = PAPI_num_components() - 1;
    if (end == number || *end != '\0' || index < 0 || index > last) {
      Say(kTool, std::string("component index ") + number + " out of bounds (0.." +
                     std::to_string(last) + ")");
      return false;
    }
    wanted.component = static_cast<int>(index);
  }
  for (const char* name : arguments.operands()) {
    int code = 0;
    if (const int found = PAPI_event_name_to_code(name, &code); found != PAPI_OK) {
      return SayCode(kTool, std::string("unknown event ") + name, found), false;
    }
    if (const int added = trial.given().Add(code); added != PAPI_OK) {
      return SayCode(kTool, std::string("event ") + name + " cannot be counted with others", added),
             false;
    }
  }
  return true;
}

int Run(const Arguments& arguments) {
  if (!StartLibrary(kTool)) return kFailed;
  // One event set for the whole run: adding to it keeps the given events open.
  Trial trial;
  Wanted wanted;
  if (!Prepare(arguments, trial, wanted)) return kFailed;
  if (arguments.json()) {
    ordered_json object = JsonHead(kTool);
    object["hardware"] = HardwareJson();
    object["components"] = Components(wanted, trial);
    PrintJson(object);
    return kFine;
  }
  std::puts("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<eventinfo>");
  if (!PrintHardware()) return kFailed;
  PrintComponents(Components(wanted, trial));
  std::puts("</eventinfo>");
  return kFine;
}

}  // namespace
}  // namespace csink::utils

int main(int argc, char** argv) {
  return csink::utils::RunTool(csink::utils::kTool, argc, argv, csink::utils::Run);
}
