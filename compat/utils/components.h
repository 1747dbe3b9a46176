#pragma once

#include <papi.h>

#include <vector>

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

}  // namespace csink::utils
