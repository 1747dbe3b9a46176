#include "compat/utils/hint.h"

#include <papi.h>

#include <cstdio>

#include "compat/utils/events.h"
#include "compat/utils/message.h"
#include "compat/utils/text.h"

/// File: what a tool says where nothing can be counted: the reason, and the events that can be
/// counted instead.

namespace csink::utils {
namespace {

// The kernel's software events, as libpfm4 names them. The kernel permits all of them or none, so
// only the first is tried: opening most of the others changes code in the kernel, for which all
// CPUs wait.
constexpr const char* kKernelEvents[] = {
    "perf::TASK-CLOCK",     "perf::CPU-CLOCK",        "perf::PAGE-FAULTS",
    "perf::MINOR-FAULTS",   "perf::MAJOR-FAULTS",     "perf::CONTEXT-SWITCHES",
    "perf::CPU-MIGRATIONS", "perf::ALIGNMENT-FAULTS", "perf::EMULATION-FAULTS"};

/// Presets may be hardware events, or events of a file that PAPI_CSV_EVENT_FILE names.
std::vector<std::string> PresetsThatCount() {
  std::vector<std::string> names;
  int code = static_cast<int>(PAPI_PRESET_MASK);
  if (PAPI_enum_event(&code, PAPI_ENUM_FIRST) != PAPI_OK) return names;
  do {
    char name[PAPI_MAX_STR_LEN] = "";
    // The first step returns the first preset also where it is not available.
    if (PAPI_query_event(code) == PAPI_OK && CanBeAdded(code) &&
        PAPI_event_code_to_name(code, name) == PAPI_OK) {
      names.emplace_back(name);
    }
  } while (names.size() < kMostPresets &&
           PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK);
  return names;
}

}  // namespace

Hint FindHint(int code) {
  Hint hint;
  // First: the library keeps the message of the last failure only.
  if (const int asked = PAPI_query_event(code); asked != PAPI_OK) hint.why = WhyFailed(asked);
  hint.presets = PresetsThatCount();
  for (const char* name : kKernelEvents) {
    int event = 0;
    // A name that another library does not know is left out; a kernel that permits no event ends
    // the list.
    const bool known = PAPI_event_name_to_code(name, &event) == PAPI_OK;
    if (known && hint.instead.empty() && !CanBeAdded(event)) break;
    if (known) hint.instead.emplace_back(name);
  }
  return hint;
}

void PrintHint(const Hint& hint) {
  if (!hint.why.empty()) std::printf("Why: %s.\n", Filled(hint.why, 5, 5).c_str());
  std::string names;
  for (const std::vector<std::string>* some : {&hint.presets, &hint.instead}) {
    for (const std::string& name : *some) names += (names.empty() ? "" : " ") + name;
  }
  if (names.empty()) return;
  std::printf("What can be counted here: %s\n", Filled(names, 26, 26).c_str());
}

nlohmann::ordered_json HintJson(const Hint& hint) {
  return {{"why", hint.why}, {"presets", hint.presets}, {"instead", hint.instead}};
}

}  // namespace csink::utils
