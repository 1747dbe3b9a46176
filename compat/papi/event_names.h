#pragma once

#include <string_view>

namespace csink::papi {

/// The code of an event name: presets and user events first, then native events. `*code` is set on
/// success only. Errors: PAPI_ENOEVNT, PAPI_EATTR, PAPI_ECOMBO, PAPI_EINVAL, each with a message.
int CodeOfName(std::string_view name, int* code);

/// PAPI_OK: `code` can be counted here. PAPI_ENOTPRESET: not a preset; PAPI_ENOEVNT: no such event
/// on this machine; PAPI_ECMP_DISABLED: the program disabled the component.
int CheckEvent(int code);

}  // namespace csink::papi
