#pragma once

#include <papi.h>

namespace csink::utils {

/// Whether a preset or user event is computed from several native ones (PAPI's tools call neither
/// NOT_DERIVED nor DERIVED_CMPD so).
bool IsDerived(const PAPI_event_info_t& event);

/// Whether an event can be added to a set of its own, here and now.
bool CanBeAdded(int code);

/// An event set that exists as long as this. `Add` and `Remove` give PAPI's codes.
/// Owns: the set.
class EventSet {
 public:
  EventSet();
  ~EventSet();
  EventSet(const EventSet&) = delete;
  EventSet& operator=(const EventSet&) = delete;

  int Add(int code) { return PAPI_add_event(set_, code); }
  int Remove(int code) { return PAPI_remove_event(set_, code); }
  int handle() const noexcept { return set_; }

 private:
  int set_ = PAPI_NULL;
};

}  // namespace csink::utils
