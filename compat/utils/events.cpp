#include "compat/utils/events.h"

#include <cstring>

namespace csink::utils {

bool IsDerived(const PAPI_event_info_t& event) {
  return event.derived[0] != '\0' && std::strcmp(event.derived, "NOT_DERIVED") != 0 &&
         std::strcmp(event.derived, "DERIVED_CMPD") != 0;
}

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
