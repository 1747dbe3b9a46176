#pragma once

#include <papi.h>

#include <vector>

/// File: components, events and event sets of the library, as the tools need them.

namespace csink::utils {

/// A component and its index. PAPI's own library leaves CmpIdx of some components 0, so the index
/// is kept here. The description is the library's and stays valid until PAPI_shutdown.
struct NumberedComponent {
  int index;
  const PAPI_component_info_t* info;

  const PAPI_component_info_t* operator->() const noexcept { return info; }
  const PAPI_component_info_t& operator*() const noexcept { return *info; }
};

/// All components in the order of their indices. Components that start on first use are started, so
/// `disabled` is final. The library must be initialised. May take milliseconds: descriptions have
/// the numbers of events.
std::vector<NumberedComponent> StartedComponents();

/// The PMU names of a component; empty if it has none. Valid as long as the description.
std::vector<const char*> PmusOf(const PAPI_component_info_t& component);

/// True if a preset or user event is computed from several native events. As in PAPI's tools,
/// neither NOT_DERIVED nor DERIVED_CMPD count as derived. False for a native event, whose field is
/// empty.
bool IsDerived(const PAPI_event_info_t& event);

/// True if the event can be added to an event set of its own now. Opens the event and closes it.
bool CanBeAdded(int code);

/// An event set that is destroyed with this object. Add and Remove return PAPI's codes. If the set
/// cannot be made, handle() is PAPI_NULL and every call on it fails with PAPI_ENOEVST.
/// Owns:    the set, which must be stopped before the object goes.
/// Threads: one at a time.
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
