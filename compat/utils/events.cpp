#include "compat/utils/events.h"

#include <cstring>

namespace csink::utils {

std::vector<NumberedComponent> StartedComponents() {
  std::vector<NumberedComponent> components;
  for (int index = 0; index < PAPI_num_components(); ++index) {
    const PAPI_component_info_t* component = PAPI_get_component_info(index);
    // PAPI's own library initialises some components on first use; asking for an event starts them.
    if (component && component->disabled == PAPI_EDELAY_INIT) {
      int event = static_cast<int>(PAPI_NATIVE_MASK);
      PAPI_enum_cmp_event(&event, PAPI_ENUM_FIRST, index);
      component = PAPI_get_component_info(index);
    }
    if (component) components.push_back({index, component});
  }
  return components;
}

std::vector<const char*> PmusOf(const PAPI_component_info_t& component) {
  std::vector<const char*> names;
  for (const char* name : component.pmu_names) {
    // The array may be full, without a null pointer at its end.
    if (name == nullptr) break;
    names.push_back(name);
  }
  return names;
}

bool IsDerived(const PAPI_event_info_t& event) {
  return event.derived[0] != '\0' && std::strcmp(event.derived, "NOT_DERIVED") != 0 &&
         std::strcmp(event.derived, "DERIVED_CMPD") != 0;
}

// Without a set handle() stays PAPI_NULL, and calls on it fail with PAPI_ENOEVST.
EventSet::EventSet() { PAPI_create_eventset(&set_); }

// PAPI destroys only an empty set.
EventSet::~EventSet() {
  PAPI_cleanup_eventset(set_);
  PAPI_destroy_eventset(&set_);
}

bool CanBeAdded(int code) {
  EventSet set;
  return set.Add(code) == PAPI_OK;
}

}  // namespace csink::utils
