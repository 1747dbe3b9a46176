#pragma once

#include <new>

#include "compat/papi/include/papi.h"
#include "compat/papi/last_error.h"

namespace csink::papi {

/// True between PAPI_library_init and PAPI_shutdown.
bool Initialized() noexcept;

/// The body of a C entry point that answers with a code: what the standard library throws becomes
/// one, and a failure is remembered.
template <class F>
int CodeAtEdge(F body) noexcept {
  try {
    return Failed(body());
  } catch (const std::bad_alloc&) {
    return Failed(PAPI_ENOMEM);
  } catch (...) {
    return Failed(PAPI_EBUG);
  }
}

/// The same for an entry point that answers with a pointer: null before PAPI_library_init and when
/// there is no memory.
template <class F>
auto PointerAtEdge(F body) noexcept -> decltype(body()) {
  if (!Initialized()) {
    Failed(PAPI_ENOINIT);
    return nullptr;
  }
  try {
    return body();
  } catch (...) {
    Failed(PAPI_ENOMEM);
    return nullptr;
  }
}

}  // namespace csink::papi
