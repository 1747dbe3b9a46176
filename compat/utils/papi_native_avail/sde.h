#pragma once

namespace csink::utils::native {

/// Has FILE and the libraries that it needs register their software-defined events with
/// libsde.so.1, as programs that use them would: calls papi_sde_hook_list_events() of each. False
/// when that is impossible, which is said. Runs code of those libraries.
bool RegisterSoftwareEvents(const char* file);

}  // namespace csink::utils::native
