// Builds an event set: chooses its events, and finds the operations for each of them.
#include <cstring>

#include "compat/apapi/defaults.h"
#include "compat/apapi/derived_ops.h"
#include "compat/apapi/event_set.h"
#include "compat/apapi/papi_sets.h"
#include "compat/apapi/settings.h"

namespace csink::apapi {

namespace {

/// The user's events: each of them must be measurable.
int AddNamed(PapiSet& set, char** names) {
  for (; *names != nullptr; ++names) {
    if (const int code = set.Add(*names, Absent::kError); code != PAPI_OK) return code;
  }
  return PAPI_OK;
}

/// Adds the component's default events. A component without a default list gets all its events,
/// except perf_event, whose events never fit into one set.
int AddDefaults(PapiSet& set, const PAPI_component_info_t& component) {
  const auto events = TheDefaults().EventsOf(component.name, component.short_name);
  if (events.empty()) {
    if (std::strncmp(component.name, "perf_event", 10) != 0) return set.AddAll();
    Warn(std::string("component ") + component.name +
         " has no default event list: list the events in the file APAPI_EVENTLIST");
    return -1;
  }
  for (const std::string& event : events) {
    if (const int code = set.Add(event, Absent::kLeftOut); code != PAPI_OK) return code;
  }
  // Some of the default events are enough: the list names those of many machines.
  if (!set.names().empty() || CurrentSettings().softfail) return PAPI_OK;
  Warn(std::string("none of the default events of component ") + component.name +
       " can be measured here: list other events in the file APAPI_EVENTLIST");
  return -1;
}

/// What PAPI knows of an event of a set.
struct Known {
  std::string name;  ///< As PAPI spells it; "" if PAPI has no name
  std::string units;
  int code = 0;
  int data_type = PAPI_DATATYPE_INT64;
};

/// In the order of the set. PAPI spells an event completely, so its name may differ from the one
/// that was asked for.
std::vector<Known> KnownOf(const PapiSet& set) {
  int count = static_cast<int>(set.names().size());
  std::vector<int> codes(set.names().size());
  std::vector<Known> known(codes.size());
  if (count == 0 || PAPI_list_events(set.handle(), codes.data(), &count) != PAPI_OK) return known;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    char name[PAPI_HUGE_STR_LEN] = "";
    PAPI_event_info_t info = {};
    if (PAPI_event_code_to_name(codes[i], name) == PAPI_OK) known[i].name = name;
    known[i].code = codes[i];
    if (PAPI_get_event_info(codes[i], &info) != PAPI_OK) continue;
    known[i].data_type = info.data_type;
    known[i].units = info.units;
  }
  return known;
}

/// Not const: the structure of APAPI has char*.
char kUnknown[] = "unknown";

/// The operations of an event that neither file nor component describes, used with APAPI_SOFTFAIL
/// only.
apapi_event_ops Fallback() noexcept {
  return {.event_name = nullptr,
          .op1 = APAPI_OP1_NOP,
          .value0 = APAPI_STAT_ALL,
          .value1 = APAPI_STAT_NO,
          .max_sample = 0,
          .value0_type = kUnknown,
          .value0_unit = kUnknown,
          .value0_prefix = 1,
          .value1_type = kUnknown,
          .value1_unit = kUnknown,
          .value1_prefix = 1,
          .data_type = PAPI_DATATYPE_INT64};
}

/// Copies a text into memory that the set owns.
char* Keep(EventSetObject& object, const char* text) {
  const std::size_t size = std::strlen(text) + 1;
  object.strings.push_back(std::make_unique<char[]>(size));
  return static_cast<char*>(std::memcpy(object.strings.back().get(), text, size));
}

/// Finds the operations of an event and appends them to the set. The event is looked up by the name
/// that the user gave, by PAPI's name, and by PAPI's name after the component's name
/// ("perf_event:::perf::PAGE-FAULTS"), because PAPI omits the component of perf_event's events. The
/// user's operations precede the defaults; for an event in neither the component's description is
/// used. False: no operations, and APAPI_SOFTFAIL is not set.
bool FindOpsOf(EventSetObject& object, const std::string& asked, const Known& known,
               const std::string& component, const apapi_event_ops* user) {
  const std::string full = component + ":::" + known.name;
  const char* const names[] = {asked.c_str(), known.name.c_str(), full.c_str(), nullptr};
  const apapi_event_ops* found = FindOps(user, names);
  if (found == nullptr) found = FindOps(TheDefaults().ops(), names);
  // What the files say precedes what the component says of itself.
  const auto facts = found ? std::nullopt : FactsOf(known.code, component, known.units);
  if (found == nullptr && facts) {
    Tell("the operations of event " + asked + " are derived from its unit '" + known.units + "'");
  } else if (found == nullptr) {
    Warn("there are no operations for event " + asked +
         ": add a line for this event to the file APAPI_EVENTOPS");
    if (!CurrentSettings().softfail) return false;
  }
  // The strings are copied: the caller may free the file's text while the set lives.
  apapi_event_ops ops = found ? *found : facts ? DeriveOps(*facts) : Fallback();
  ops.event_name = Keep(object, asked.c_str());
  for (char** text : {&ops.value0_type, &ops.value0_unit, &ops.value1_type, &ops.value1_unit}) {
    *text = Keep(object, *text);
  }
  // Not that of the file: an entry with a pattern has none (FindDataTypes).
  ops.data_type = known.data_type;
  object.ops.push_back(ops);
  return true;
}

/// Prints the operations of an event if APAPI_VERBOSE is 1, in upstream's form.
void TellOf(const apapi_event_ops& ops) {
  char numbers[100];
  std::snprintf(numbers, sizeof numbers, " %d %x %x %llx ", ops.op1,
                static_cast<unsigned>(ops.value0), static_cast<unsigned>(ops.value1),
                static_cast<unsigned long long>(ops.max_sample));
  Tell(std::string(ops.event_name) + numbers + ops.value0_type + " " + ops.value0_unit + " " +
       std::to_string(ops.value0_prefix) + " " + ops.value1_type + " " + ops.value1_unit + " " +
       std::to_string(ops.value1_prefix));
}

/// All or nothing: PAPI's set and the object are freed on every error.
int Build(apapi_eventset** out, int cidx, char** names, const apapi_event_ops* user) {
  const PAPI_component_info_t* component = PAPI_get_component_info(cidx);
  if (component == nullptr) {
    Warn("PAPI has no component with number " + std::to_string(cidx));
    return -1;
  }
  PapiSet set;
  if (set.Create(cidx) != PAPI_OK) return -1;
  if ((names ? AddNamed(set, names) : AddDefaults(set, *component)) != PAPI_OK) return -1;

  auto object = std::make_unique<EventSetObject>();
  // Until the end PapiSet owns PAPI's set.
  object->open.EventSet = PAPI_NULL;
  object->open.cmp_name = Keep(*object, component->short_name);
  Tell(std::string("event set of component ") + component->name);
  const std::vector<Known> known = KnownOf(set);
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!FindOpsOf(*object, set.names()[i], known[i], component->name, user)) return -1;
    TellOf(object->ops.back());
  }
  // The entry that ends the list.
  object->ops.push_back({});
  object->Arrange();
  object->open.EventSet = set.Release();
  *out = &object.release()->open;
  return PAPI_OK;
}

}  // namespace

}  // namespace csink::apapi

int APAPI_init_apapi_eventset_cmp(apapi_eventset** set, int cidx, char** names,
                                  apapi_event_ops* user_eventops) {
  if (set == nullptr) return -1;
  // A caller that frees the set after an error then frees nothing.
  *set = nullptr;
  return csink::apapi::AtEdge([&] { return csink::apapi::Build(set, cidx, names, user_eventops); });
}

int APAPI_destroy_apapi_eventset(apapi_eventset** set) {
  if (set != nullptr && *set != nullptr) delete csink::apapi::ObjectOf(*set);
  if (set != nullptr) *set = nullptr;
  return PAPI_OK;
}

int APAPI_apapi_eventset_find_event(apapi_eventset* set, char* event_name) {
  if (set == nullptr || event_name == nullptr) return -1;
  for (int i = 0; i < set->num_events; ++i) {
    if (std::strcmp(set->event_ops[i].event_name, event_name) == 0) return i;
  }
  return -1;
}
