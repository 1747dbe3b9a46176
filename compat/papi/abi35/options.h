#pragma once

#include "compat/papi/include/papi35_abi.h"

namespace csink::papi {

/// File: options of PAPI_get_opt and PAPI_set_opt that have another meaning in PAPI 3.5 or that 7.0
/// lacks. They are implemented by calls with 7.0's options.
/// Source: the manual of 3.5, "PAPI_get_opt, PAPI_set_opt".

/// True for PAPI_DEFDOM and PAPI_DEFGRN as papi35.h numbers them.
constexpr bool IsDefault35(int option) noexcept {
  return option == PAPI_35_DEFDOM || option == PAPI_35_DEFGRN;
}

/// True for all options that papi35_abi.h numbers.
constexpr bool IsOption35(int option) noexcept {
  return IsDefault35(option) || option == PAPI_35_MULTIPLEX || option == PAPI_35_DEF_MPX_USEC ||
         option == PAPI_35_SUBSTRATEINFO;
}

/// Implement PAPI_get_opt and PAPI_set_opt for these options, with their results and errors.
/// `option` must be one for which IsOption35 is true. PAPI_EINVAL: no place, or a time beyond
/// 2147483 us.
/// Threads: any. Signals: not safe.
int GetOption35(int option, PAPI_option_t* ptr) noexcept;
int SetOption35(int option, const PAPI_option_t* ptr) noexcept;

}  // namespace csink::papi
