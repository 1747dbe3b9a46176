#include "compat/apapi/papi_sets.h"

#include <algorithm>
#include <utility>

#include "compat/apapi/event_ops.h"
#include "compat/apapi/settings.h"

/// File: PAPI event sets by names. An event of the user's list that cannot be added is an error,
/// one of the default list is left out, because the default files name events of many machines.

namespace csink::apapi {

namespace {

/// For messages; the number if PAPI does not know the component.
std::string ComponentName(int component) {
  const PAPI_component_info_t* info = PAPI_get_component_info(component);
  return info ? info->name : std::to_string(component);
}

/// The name of an event without its component: "X" of "rapl:::X".
std::string WithoutComponent(const std::string& name) {
  const std::size_t at = name.find(":::");
  return at == std::string::npos ? name : name.substr(at + 3);
}

}  // namespace

/// An enumeration ends with an error of any kind.
std::vector<std::string> NativeEvents(int component) {
  std::vector<std::string> names;
  int code = PAPI_NATIVE_MASK;
  int found = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
  while (found == PAPI_OK) {
    char name[PAPI_HUGE_STR_LEN] = "";
    if (PAPI_event_code_to_name(code, name) == PAPI_OK) names.emplace_back(name);
    found = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component);
  }
  return names;
}

PapiSet::~PapiSet() {
  // PAPI destroys only an empty set, hence the clean-up.
  if (handle_ == PAPI_NULL) return;
  PAPI_cleanup_eventset(handle_);
  PAPI_destroy_eventset(&handle_);
}

int PapiSet::Release() noexcept { return std::exchange(handle_, PAPI_NULL); }

int PapiSet::Create(int component) {
  component_ = component;
  const int made = PAPI_create_eventset(&handle_);
  if (made != PAPI_OK) {
    Warn("PAPI cannot create an event set: " + PapiError(made));
    return made;
  }
  // At once, so that an event of another component is refused.
  const int assigned = PAPI_assign_eventset_component(handle_, component);
  if (assigned == PAPI_OK) return PAPI_OK;
  const std::string why = PapiError(assigned);  // before another call to PAPI replaces the message
  Warn("component " + ComponentName(component) + " does not accept an event set: " + why);
  return CurrentSettings().softfail ? PAPI_OK : -1;
}

bool PapiSet::Has(const std::string& name) const {
  int code = PAPI_NULL, count = static_cast<int>(names_.size());
  std::vector<int> codes(names_.size());
  if (PAPI_event_name_to_code(name.c_str(), &code) != PAPI_OK ||
      PAPI_list_events(handle_, codes.data(), &count) != PAPI_OK) {
    return false;
  }
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

bool PapiSet::TakeTurns() {
  const PAPI_component_info_t* info = PAPI_get_component_info(component_);
  // Only perf's events compete for counters.
  if (info == nullptr || info->kernel_multiplex == 0 || names_.empty()) return false;
  multiplexed_ = PAPI_set_multiplex(handle_) == PAPI_OK;
  if (multiplexed_) {
    Warn("component " + ComponentName(component_) +
         " has fewer counters than events: the events take turns, and their values are estimates "
         "that are scaled by the time in which each was counted");
  }
  return multiplexed_;
}

/// The name is remembered as it was given: operations are looked up by it.
int PapiSet::AddOne(const std::string& name, Absent absent) {
  int added = PAPI_add_named_event(handle_, name.c_str());
  // An event that is in the set already is a conflict as well, which turns would not solve.
  if (added == PAPI_ECNFLCT && !multiplexed_ && !Has(name) && TakeTurns()) {
    added = PAPI_add_named_event(handle_, name.c_str());
  }
  if (added == PAPI_OK) {
    names_.push_back(name);
    return PAPI_OK;
  }
  const std::string text = "event " + name + " cannot be measured: " + PapiError(added);
  if (absent == Absent::kLeftOut) {
    Tell(text + "; the event is not measured");
    return PAPI_OK;
  }
  Warn(text);
  return CurrentSettings().softfail ? PAPI_OK : -1;
}

int PapiSet::Add(const std::string& name, Absent absent) {
  if (name.find('*') == std::string::npos) return AddOne(name, absent);
  bool fits = false;
  for (const std::string& event : NativeEvents(component_)) {
    // The pattern may be written with or without the component, and so may PAPI's name.
    const bool fits_this = Fits(name.c_str(), event.c_str()) ||
                           Fits(WithoutComponent(name).c_str(), WithoutComponent(event).c_str());
    // Also for events that the set has already: the pattern did match something.
    fits |= fits_this;
    if (!fits_this || std::find(names_.begin(), names_.end(), event) != names_.end()) continue;
    if (const int code = AddOne(event, absent); code != PAPI_OK) return code;
  }
  if (fits || absent == Absent::kLeftOut) return PAPI_OK;
  Warn("no event of component " + ComponentName(component_) + " matches " + name);
  return CurrentSettings().softfail ? PAPI_OK : -1;
}

int PapiSet::AddAll() {
  for (const std::string& event : NativeEvents(component_)) {
    if (const int code = AddOne(event, Absent::kError); code != PAPI_OK) return code;
  }
  return PAPI_OK;
}

}  // namespace csink::apapi

using csink::apapi::AtEdge;
using csink::apapi::PapiSet;

/// The outputs are stored after everything has succeeded.
int APAPI_create_eventset_list(char** events, int cidx, int* EventSet, int* num_events) {
  return AtEdge([&] {
    if (events == nullptr || EventSet == nullptr || num_events == nullptr) return -1;
    PapiSet set;
    if (const int code = set.Create(cidx); code != PAPI_OK) return code;
    for (char** event = events; *event != nullptr; ++event) {
      const int code = set.Add(*event, csink::apapi::Absent::kError);
      if (code != PAPI_OK) return code;
    }
    *num_events = static_cast<int>(set.names().size());
    *EventSet = set.Release();
    return PAPI_OK;
  });
}

int APAPI_create_eventset_cmp_all(int cidx, int* EventSet, int* num_events) {
  return AtEdge([&] {
    if (EventSet == nullptr || num_events == nullptr) return -1;
    PapiSet set;
    if (const int code = set.Create(cidx); code != PAPI_OK) return code;
    if (const int code = set.AddAll(); code != PAPI_OK) return code;
    *num_events = static_cast<int>(set.names().size());
    *EventSet = set.Release();
    return PAPI_OK;
  });
}
