#pragma once

#include <papi.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace csink::utils {

/// An event that counts here, by its name.
struct CountableEvent {
  int code = 0;
  std::string name;
};

/// The events that a measurement of the library itself is to count.
struct Choice {
  std::vector<CountableEvent> events;
  std::string why;  ///< empty, or why they are not PAPI_TOT_CYC and PAPI_TOT_INS
};

/// PAPI_TOT_CYC and PAPI_TOT_INS; where the first is not counted, what the kernel counts instead,
/// two events at most. None: nothing is counted here.
Choice ChooseEvents();

/// The first of the presets that are available and computed as `derived` says
/// ("DERIVED_POSTFIX"); false: there is none.
bool FindDerived(std::initializer_list<const char*> derived, PAPI_event_info_t& found);

/// Up to `most` events of component 0 that can be counted together in a multiplexed set: presets
/// first, then native ones.
std::vector<CountableEvent> MultiplexedEvents(std::size_t most);

}  // namespace csink::utils
