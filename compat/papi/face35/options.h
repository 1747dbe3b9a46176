#pragma once

#include "compat/papi/include/papi35_abi.h"

namespace csink::papi {

/// File: options of PAPI_get_opt and PAPI_set_opt that mean something else in PAPI 3.5, or nothing
/// in 7.0. They are made of 7.0's options by calling those.
/// Source: the manual of 3.5, "PAPI_get_opt, PAPI_set_opt".

/// PAPI_DEFDOM and PAPI_DEFGRN under the switch.
constexpr bool IsDefault35(int option) noexcept {
  return option == PAPI_35_DEFDOM || option == PAPI_35_DEFGRN;
}

/// True for the numbers that papi35_abi.h gives them.
constexpr bool IsOption35(int option) noexcept {
  return IsDefault35(option) || option == PAPI_35_MULTIPLEX || option == PAPI_35_DEF_MPX_USEC ||
         option == PAPI_35_SUBSTRATEINFO;
}

/// What PAPI_get_opt and PAPI_set_opt answer to them.
int GetOption35(int option, PAPI_option_t* ptr) noexcept;
int SetOption35(int option, const PAPI_option_t* ptr) noexcept;

}  // namespace csink::papi
