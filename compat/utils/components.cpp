#include "compat/utils/components.h"

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

}  // namespace csink::utils
