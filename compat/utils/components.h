#pragma once

#include <papi.h>

#include <vector>

namespace csink::utils {

/// A component, and its number: PAPI's own library leaves CmpIdx of some 0.
struct NumberedComponent {
  int index;
  const PAPI_component_info_t* info;

  const PAPI_component_info_t* operator->() const noexcept { return info; }
  const PAPI_component_info_t& operator*() const noexcept { return *info; }
};

/// All components, in the order of their numbers; those that start at their first use have been
/// started, so that `disabled` is the truth.
std::vector<NumberedComponent> StartedComponents();

/// The names of a component's PMUs.
std::vector<const char*> PmusOf(const PAPI_component_info_t& component);

}  // namespace csink::utils
