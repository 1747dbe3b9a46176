#pragma once

#include <papi.h>

#include <vector>

namespace csink::utils {

/// A component and its index. PAPI's own library leaves CmpIdx of some components 0, so the index
/// is kept here.
struct NumberedComponent {
  int index;
  const PAPI_component_info_t* info;

  const PAPI_component_info_t* operator->() const noexcept { return info; }
  const PAPI_component_info_t& operator*() const noexcept { return *info; }
};

/// All components in the order of their indices. Components that start on first use are started, so
/// `disabled` is final.
std::vector<NumberedComponent> StartedComponents();

/// The PMU names of a component.
std::vector<const char*> PmusOf(const PAPI_component_info_t& component);

}  // namespace csink::utils
