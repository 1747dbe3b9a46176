#pragma once

#include "compat/papi/include/papi.h"

namespace csink::papi {

/// \file The functions whose arguments another version of PAPI changed, in PAPI 7.0's form.
/// abi7/abi_calls.cpp (7.1 to 7.3) and the files of abi35 (3.5) have the C entry points, which
/// translate and call these. Results, errors and threads: as papi.h documents for
/// PAPI_library_init, PAPI_get_opt and so on.

/// `abi`: 70 to 73. Returns `version`. PAPI_EINVAL, with a message: `version` is not the
/// number of that PAPI version (7.0.0.0, ... 7.3.0.0). PAPI compares the complete
/// number, too. Other errors: as StartUp (lifecycle.h).
int InitializeLibrary(int version, int abi) noexcept;
int GetOption(int option, PAPI_option_t* value) noexcept;
int SetOption(int option, PAPI_option_t* value) noexcept;
int GetComponentOption(int option, PAPI_option_t* value, int component) noexcept;
int EnumerateEvents(int* code, int modifier) noexcept;
int EnumerateEventsOf(int* code, int modifier, int component) noexcept;
int GetEventInfo(int code, PAPI_event_info_t* info) noexcept;
const PAPI_component_info_t* GetComponentInfo(int component) noexcept;

}  // namespace csink::papi
