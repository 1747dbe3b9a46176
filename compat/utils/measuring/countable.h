#pragma once

#include <papi.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace csink::utils {

/// An event that can be counted on this machine.
struct CountableEvent {
  int code = 0;
  std::string name;
};

/// The events that a measurement of the library counts.
struct Choice {
  std::vector<CountableEvent> events;
  std::string why;  ///< why PAPI_TOT_CYC is not among the events; else empty
};

/// PAPI_TOT_CYC and PAPI_TOT_INS, or, if the first cannot be counted, software events of the
/// kernel; at most two events that count together. No event: nothing can be counted here.
Choice ChooseEvents();

/// Finds the first available preset with one of the derivations (such as "DERIVED_POSTFIX") that
/// can really be added. Returns false if there is none; `found` then has any contents.
bool FindDerived(std::initializer_list<const char*> derived, PAPI_event_info_t& found);

/// Up to `most` events of component 0 that can be counted together in a set that the kernel
/// multiplexes: presets first, then native events. Empty: nothing can be multiplexed here.
std::vector<CountableEvent> MultiplexedEvents(std::size_t most);

}  // namespace csink::utils
