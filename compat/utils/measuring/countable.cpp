#include "compat/utils/measuring/countable.h"

#include <cstring>

#include "compat/utils/events.h"
#include "compat/utils/hint.h"
#include "compat/utils/measuring/multiplexed_set.h"

/// File: the events with which the tools measure. They are tried and not only looked up: the kernel
/// may refuse an event that the library knows.

namespace csink::utils {
namespace {

/// papi_cost measures sets of two events, as that of papi-tools does.
constexpr std::size_t kCounters = 2;

/// "" if the library has no name for the code.
std::string NameOf(int code) {
  char name[PAPI_MAX_STR_LEN] = "";
  return PAPI_event_code_to_name(code, name) == PAPI_OK ? name : "";
}

/// At most kCounters of the named events that can be counted together. An event that does not fit
/// is left out, and the next one is tried.
std::vector<CountableEvent> Together(const std::vector<std::string>& names) {
  std::vector<CountableEvent> events;
  EventSet set;
  for (const std::string& name : names) {
    int code = 0;
    if (events.size() == kCounters || PAPI_event_name_to_code(name.c_str(), &code) != PAPI_OK ||
        set.Add(code) != PAPI_OK) {
      continue;
    }
    events.push_back({code, name});
  }
  return events;
}

/// Adds to `events` the events, from `code` on, that can be added to `set`; at most `most`.
void AddAll(MultiplexedSet& set, int code, int step, std::size_t most,
            std::vector<CountableEvent>& events) {
  if (PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, 0) != PAPI_OK) return;
  do {
    if (events.size() == most) return;
    if (set.Add(code) == PAPI_OK) events.push_back({code, NameOf(code)});
  } while (PAPI_enum_cmp_event(&code, step, 0) == PAPI_OK);
}

}  // namespace

Choice ChooseEvents() {
  Choice choice = {Together({"PAPI_TOT_CYC", "PAPI_TOT_INS"}), ""};
  // Cycles can be counted, so no event of the kernel has to take their place.
  if (!choice.events.empty() && choice.events[0].code == static_cast<int>(PAPI_TOT_CYC)) {
    return choice;
  }
  // Without cycles the other preset would say little: software events take the place of both.
  const Hint hint = FindHint(static_cast<int>(PAPI_TOT_CYC));
  choice.why = hint.why.empty() ? "this machine does not count PAPI_TOT_CYC" : hint.why;
  choice.events = Together(hint.instead);
  return choice;
}

bool FindDerived(std::initializer_list<const char*> derived, PAPI_event_info_t& found) {
  int code = static_cast<int>(PAPI_PRESET_MASK);
  if (PAPI_enum_event(&code, PAPI_ENUM_FIRST) != PAPI_OK) return false;
  do {
    // The first step of the enumeration returns the first preset also if it is not available.
    if (PAPI_get_event_info(code, &found) != PAPI_OK || found.count == 0) continue;
    for (const char* kind : derived) {
      if (std::strcmp(found.derived, kind) == 0 && CanBeAdded(code)) return true;
    }
  } while (PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK);
  return false;
}

std::vector<CountableEvent> MultiplexedEvents(std::size_t most) {
  std::vector<CountableEvent> events;
  MultiplexedSet set(PAPI_MULTIPLEX_DEFAULT);
  if (set.code() != PAPI_OK) return events;
  // Presets first: their names are the same on all machines.
  AddAll(set, static_cast<int>(PAPI_PRESET_MASK), PAPI_PRESET_ENUM_AVAIL, most, events);
  AddAll(set, static_cast<int>(PAPI_NATIVE_MASK), PAPI_ENUM_EVENTS, most, events);
  return events;
}

}  // namespace csink::utils
