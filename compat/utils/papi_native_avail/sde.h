#pragma once

namespace csink::utils::native {

/// Makes FILE and the libraries that it needs register their software-defined events with
/// libsde.so.1, by calling papi_sde_hook_list_events() of each. This runs code of those libraries.
/// False, with a message: FILE cannot be read, or libsde.so.1 is missing.
bool RegisterSoftwareEvents(const char* file);

}  // namespace csink::utils::native
