/// File: options of sets and of the library that papi.h gives by PAPI_get_opt and PAPI_set_opt.

#include "compat/fortran/answers.h"
#include "compat/papi/c_edge.h"
#include "compat/papi/library.h"

namespace csink::fortran {

int SetEventDomain(int event_set, int domain) noexcept {
  PAPI_option_t option = {};
  option.domain.eventset = event_set;
  option.domain.domain = domain;
  return PAPI_set_opt(PAPI_DOMAIN, &option);
}

// PAPI_get_opt returns a default as its result, and puts a set's own into the option.
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

// PAPI's Fortran call names no set, so it can only mean those to come.
int SetInherit(int inherit) noexcept {
  return papi::AtCEdgeOfLibrary([&]() -> int {
    if (inherit != PAPI_INHERIT_ALL && inherit != PAPI_INHERIT_NONE) {
      return papi::Complain(PAPI_EINVAL, "inheriting is PAPI_INHERIT_ALL or PAPI_INHERIT_NONE");
    }
    papi::TheLibrary().components.set_default_inherit(inherit);
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
