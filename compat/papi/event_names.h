#pragma once

#include <string_view>

namespace csink::papi {

/// PAPI_event_name_to_code: presets and user events first, natives after. `*code` is written on
/// success alone. Errors: PAPI_ENOEVNT, PAPI_EATTR, PAPI_ECOMBO, PAPI_EINVAL, with a sentence.
int CodeOfName(std::string_view name, int* code);

/// PAPI_OK when `code` can be counted here, PAPI_ENOTPRESET, PAPI_ENOEVNT or PAPI_ECMP_DISABLED.
int CheckEvent(int code);

}  // namespace csink::papi
