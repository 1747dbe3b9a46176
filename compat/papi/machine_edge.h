#pragma once

#include <new>

#include "compat/papi/include/papi.h"
#include "compat/papi/last_error.h"

namespace csink::papi {

/// True between PAPI_library_init and PAPI_shutdown. This header does not include library.h, so
/// that the functions about the machine compile without the event sets.
/// Threads: any. Signals: safe.
bool Initialized() noexcept;

/// Runs the body of a C entry point that returns a code: exceptions become codes, and a failure is
/// stored for PAPI_perror. Unlike AtCEdge (c_edge.h), the debug handler is not called and there is
/// no message. The library need not be initialised.
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

/// As CodeAtEdge, for entry points that return a pointer. nullptr: before PAPI_library_init
/// (PAPI_ENOINIT) or no memory (PAPI_ENOMEM). `body` may return nullptr itself; no code is stored
/// then.
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
