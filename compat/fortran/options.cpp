/// File: options of event sets and of the library (PAPI_get_opt, PAPI_set_opt).

#include "compat/fortran/answers.h"
#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/events/component_table.h"

namespace csink::fortran {

int SetEventDomain(int event_set, int domain) noexcept {
  PAPI_option_t option = {};
  option.domain.eventset = event_set;
  option.domain.domain = domain;
  return PAPI_set_opt(PAPI_DOMAIN, &option);
}

// PAPI_get_opt returns a default value as its result, but stores the value of a set in the option.
int Domain(int event_set, int& domain, int mode) noexcept {
  if (mode != PAPI_DEFDOM && mode != PAPI_DOMAIN) return PAPI_EINVAL;
  PAPI_option_t option = {};
  option.domain.eventset = event_set;
  const int code = PAPI_get_opt(mode, &option);
  if (code < 0) return code;
  domain = mode == PAPI_DEFDOM ? code : option.domain.domain;
  return PAPI_OK;
}

int Granularity(int event_set, int& granularity, int mode) noexcept {
  if (mode != PAPI_DEFGRN && mode != PAPI_GRANUL) return PAPI_EINVAL;
  PAPI_option_t option = {};
  option.granularity.eventset = event_set;
  const int code = PAPI_get_opt(mode, &option);
  if (code < 0) return code;
  granularity = mode == PAPI_DEFGRN ? code : option.granularity.granularity;
  return PAPI_OK;
}

// PAPIF_set_inherit names no event set, so it sets the default for sets that are made later. papi.h
// has no call for this default; the library is asked directly.
int SetInherit(int inherit) noexcept {
  return papi::AtCBoundaryOfLibrary([&]() -> int {
    if (inherit != PAPI_INHERIT_ALL && inherit != PAPI_INHERIT_NONE) {
      return papi::Complain(PAPI_EINVAL,
                            "the value of inherit must be PAPI_INHERIT_ALL or PAPI_INHERIT_NONE");
    }
    papi::Components().set_default_inherit(inherit);
    return PAPI_OK;
  });
}

int ClockRate() noexcept { return PAPI_get_opt(PAPI_CLOCKRATE, nullptr); }

int Preload(OutText& variable) noexcept {
  PAPI_option_t option = {};
  const int code = PAPI_get_opt(PAPI_PRELOAD, &option);
  if (code == PAPI_OK) variable.Give(option.preload.lib_preload_env);
  return code;
}

}  // namespace csink::fortran
