#pragma once

#include <string_view>

namespace csink::papi {

/// The code of an event name: presets and user events first, then native events. `*code` is set on
/// success only. A name that begins with "PAPI_" is never searched among native events.
/// Errors: PAPI_ENOEVNT (with the nearest name), PAPI_EATTR, PAPI_ECOMBO, PAPI_EINVAL (an empty
/// name), each with a message.
/// Threads: any; may read preset files and open libpfm4. Signals: not safe.
int CodeOfName(std::string_view name, int* code);

/// PAPI_OK: `code` can be counted here; for a native event only that its component describes it.
/// PAPI_ENOTPRESET: a code beyond PAPI's table of presets; PAPI_ENOEVNT: no such event on this
/// machine; PAPI_ECMP_DISABLED: the program disabled the component. Errors have a message.
/// Threads: any. Signals: not safe.
int CheckEvent(int code);

}  // namespace csink::papi
