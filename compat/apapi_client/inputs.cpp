#include "compat/apapi_client/inputs.h"

#include <cstdlib>

#include "compat/apapi_client/message.h"

/// File: the user's files in the form that libapapi takes: C arrays, which must not move while
/// event sets use them.

namespace csink::apapi {

Inputs::~Inputs() {
  // The pointers before the texts that they point into.
  APAPI_free_sorted_eventlist(&used_components_, &events_);
  std::free(list_text_);
  std::free(ops_);
  std::free(ops_text_);
}

// libapapi's functions return a code for a variable that is not set, too, so that is asked first.
bool Inputs::Read(const char* who, const std::vector<Component>& components) {
  int count = 0;
  if (const char* file = std::getenv("APAPI_EVENTOPS");
      file && APAPI_read_env_eventops(&ops_text_, &ops_, &count) != 0) {
    Say(who, std::string("event operations cannot be read from APAPI_EVENTOPS=") + file);
    return false;
  }
  for (const Component& component : components) names_.push_back(component.name);
  // In a second loop: name_list_ points into strings that must not move any more.
  for (std::string& name : names_) name_list_.push_back(name.data());
  name_list_.push_back(nullptr);
  if (const char* file = std::getenv("APAPI_EVENTLIST");
      file &&
      APAPI_read_env_eventlist(name_list_.data(), &list_text_, &events_, &used_components_) != 0) {
    Say(who, std::string("the event list cannot be read from APAPI_EVENTLIST=") + file);
    return false;
  }
  return true;
}

char** Inputs::EventsOf(const Component& component) const {
  // `events_` has the order of used_components_: only components that have events of the user.
  const int place =
      used_components_ ? APAPI_cmp_cmplist_index(component.name.c_str(), used_components_) : -1;
  return place < 0 ? nullptr : events_[place];
}

apapi_eventset* MakeEventSet(const char* who, const Component& component, const Inputs& inputs) {
  apapi_eventset* set = nullptr;
  const int code = APAPI_init_apapi_eventset_cmp(&set, component.index, inputs.EventsOf(component),
                                                 inputs.ops());
  if (code == PAPI_OK && set && set->num_events > 0) return set;
  // A set without events would be a thread that measures nothing.
  if (set) APAPI_destroy_apapi_eventset(&set);
  Say(who, "failed to create an event set for component " + component.name +
               (code == PAPI_OK ? ": the component has none of the requested events" : ""));
  return nullptr;
}

}  // namespace csink::apapi
