/// Program: papi_component_avail. Layout of papi-tools 7.0's, with 7.2's line for components that
/// are partially disabled.

#include <papi.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "compat/utils/events.h"
#include "compat/utils/header.h"
#include "compat/utils/json.h"
#include "compat/utils/run.h"
#include "compat/utils/text.h"

namespace csink::utils {
namespace {

constexpr Option kOptions[] = {
    {'d', "detail", nullptr,
     "Also show each component's version, its numbers of events, and whether counters are read "
     "without a system call."},
};
constexpr OptionGroup kGroups[] = {{"Options", kOptions}};
constexpr ExitCode kExits[] = {{0, "the components are listed"},
                               {1, "the library does not answer, or no component is active"}};
constexpr const char* kSeeAlso[] = {"papi_avail", "papi_native_avail", "papi_hardware_avail"};
constexpr Tool kTool = {
    .name = "papi_component_avail",
    .line = "list PAPI's components, and why some are disabled",
    .description =
        "A component is one source of counts: the processor's counters, energy meters, boards. The "
        "first list has all components that the library was built with. The second list has the "
        "components that can be used on this machine now, with the numbers of their events and "
        "counters.",
    .json_text =
        "\"hardware\" and \"components\": index, name, description, version, disabled, reason, "
        "native_events, preset_events, counters, pmus, user_space_reads, partially_disabled.",
    .groups = kGroups,
    .exits = kExits,
    .see_also = kSeeAlso};

constexpr int kLineWidth = 130;  // the list of PMUs continues on the next line after this column
constexpr int kPmuColumn = 48;

/// The first line of a component in both lists.
void PrintName(const PAPI_component_info_t& component) {
  std::printf("Name:   %s%-23s%s %s\n", Colour().bold, component.name, Colour().off,
              component.description);
}

/// PMU names in as many lines as needed.
void PrintPmus(const std::vector<const char*>& pmus) {
  std::printf("        %-23s PMUs supported: ", "");
  // The column is that of the text so far, which printf cannot tell.
  int column = kPmuColumn;
  for (const char* pmu : pmus) {
    const int length = static_cast<int>(std::strlen(pmu));
    if (pmu == pmus.front()) {
      // first name of the line
    } else if (column + 2 + length > kLineWidth) {
      std::printf("\n        %-23s                 ", "");
      column = kPmuColumn;
    } else {
      std::fputs(", ", stdout);
      column += 2;
    }
    std::fputs(pmu, stdout);
    column += length;
  }
  std::putchar('\n');
}

/// True for a component some of whose events cannot be counted. PAPI 7.2 has members for this; in
/// 7.0's structure our library sets disabled_reason of a component that is not disabled.
bool WorksInPart(const PAPI_component_info_t& component) {
  return !component.disabled && component.disabled_reason[0] != '\0';
}

/// The first list has all components, the second (PrintActive) those that work.
void PrintCompiledIn(const PAPI_component_info_t& component, bool detail) {
  PrintName(component);
  if (component.disabled) {
    std::printf("   %s\\-> Disabled: %s%s\n", Colour().bad, component.disabled_reason,
                Colour().off);
  } else if (WorksInPart(component)) {
    std::printf("   %s\\-> Partially disabled: %s%s\n", Colour().dim, component.disabled_reason,
                Colour().off);
  }
  if (!detail) return;
  std::printf("        %-23s Version:\t\t\t%s\n", "", component.version);
  std::printf("        %-23s Number of native events:\t%d\n", "", component.num_native_events);
  std::printf("        %-23s Number of preset events:\t%d\n\n", "", component.num_preset_events);
}

/// Numbers of events and counters as they are on this machine.
void PrintActive(const PAPI_component_info_t& component, bool detail) {
  PrintName(component);
  // As PAPI 7.3's tool: sysdetect describes the machine and counts nothing.
  if (std::strcmp(component.name, "sysdetect") != 0) {
    std::printf("        %-23s Native: %d, Preset: %d, Counters: %d\n", "",
                component.num_native_events, component.num_preset_events, component.num_cntrs);
  }
  const std::vector<const char*> pmus = PmusOf(component);
  if (!pmus.empty()) PrintPmus(pmus);
  std::putchar('\n');
  if (!detail) return;
  std::printf("        %-23s Version:\t\t\t%s\n", "", component.version);
  std::printf("        %-23s Fast counter read:\t\t%d\n\n", "", component.fast_counter_read);
}

/// Both lists; only the second leaves out components that do not work.
void PrintText(const std::vector<NumberedComponent>& components, bool detail) {
  std::puts("Compiled-in components:");
  for (const NumberedComponent& component : components) PrintCompiledIn(*component, detail);
  std::puts("\nActive components:");
  for (const NumberedComponent& component : components) {
    if (!component->disabled) PrintActive(*component, detail);
  }
  std::puts("\n--------------------------------------------------------------------------------");
}

/// The same facts as both lists of the text.
void ListJson(const std::vector<NumberedComponent>& components) {
  nlohmann::ordered_json object = JsonHead(kTool);
  object["hardware"] = HardwareJson();
  object["components"] = nlohmann::ordered_json::array();
  for (const NumberedComponent& component : components) {
    object["components"].push_back({{"index", component.index},
                                    {"name", component->name},
                                    {"description", component->description},
                                    {"version", component->version},
                                    {"disabled", component->disabled != 0},
                                    {"reason", component->disabled_reason},
                                    {"native_events", component->num_native_events},
                                    {"preset_events", component->num_preset_events},
                                    {"counters", component->num_cntrs},
                                    {"pmus", PmusOf(*component)},
                                    {"user_space_reads", component->fast_counter_read != 0},
                                    {"partially_disabled", WorksInPart(*component)}});
  }
  PrintJson(object);
}

int Run(const Arguments& arguments) {
  if (!StartLibrary(kTool)) return kFailed;
  const std::vector<NumberedComponent> components = StartedComponents();
  if (arguments.json()) {
    ListJson(components);
  } else {
    if (!PrintHeader(kTool, "Available components and hardware information.")) return kFailed;
    PrintText(components, arguments.Has('d'));
  }
  // Exit code: one component that works is enough.
  for (const NumberedComponent& component : components) {
    if (!component->disabled) return kFine;
  }
  return kFailed;
}

}  // namespace
}  // namespace csink::utils

int main(int argc, char** argv) {
  return csink::utils::RunTool(csink::utils::kTool, argc, argv, csink::utils::Run);
}
