// Components by name, and counting another process: what APAPI lacks and its clients need.
#include <cstring>

#include "compat/apapi/include/apapi_csink.h"
#include "compat/apapi/settings.h"

int csink_apapi_find_component(const char* name) {
  if (name == nullptr) return PAPI_ENOCMP;
  // A look-up by the name opens no component. PAPI_get_component_info opens the component, so a
  // look-up by the short name opens all components up to the one that matches.
  if (const int index = PAPI_get_component_index(name); index >= 0) return index;
  const int count = PAPI_num_components();
  for (int i = 0; i < count; ++i) {
    const PAPI_component_info_t* info = PAPI_get_component_info(i);
    if (info != nullptr && std::strcmp(info->short_name, name) == 0) return i;
  }
  return PAPI_ENOCMP;
}

int csink_apapi_follow(apapi_eventset* set, pid_t pid) {
  if (set == nullptr) return -1;
  const PAPI_component_info_t* info =
      PAPI_get_component_info(PAPI_get_eventset_component(set->EventSet));
  // Components of devices measure the whole machine.
  if (info == nullptr || info->attach == 0) return PAPI_ECMP;
  PAPI_option_t inherit = {};
  inherit.inherit.eventset = set->EventSet;
  inherit.inherit.inherit = PAPI_INHERIT_ALL;
  // Each of the two calls opens the counters anew.
  int code = info->inherit != 0 ? PAPI_set_opt(PAPI_INHERIT, &inherit) : PAPI_OK;
  if (code == PAPI_OK) code = PAPI_attach(set->EventSet, static_cast<unsigned long>(pid));
  if (code != PAPI_OK) {
    csink::apapi::Warn(std::string("component ") + set->cmp_name + " cannot follow process " +
                       std::to_string(pid) + ": " + csink::apapi::PapiError(code));
  }
  return code;
}
