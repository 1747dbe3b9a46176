#pragma once

#include <new>

#include "compat/papi/boundary/debug.h"
#include "compat/papi/boundary/library_call.h"
#include "compat/papi/boundary/library_state.h"
#include "compat/papi/include/papi.h"
#include "compat/papi/threads/last_error.h"

/// File: the bodies of C entry points. Every exported function that can fail runs its body in one
/// of these templates, except where the comment of the function says why not.

namespace csink::papi {

/// Runs the body of a C entry point that returns a code. No exception leaves it: a C program cannot
/// catch one. std::bad_alloc becomes PAPI_ENOMEM, any other exception PAPI_EBUG. A negative code is
/// stored for PAPI_perror and given to the debug handler, whose answer is returned. Other results
/// of `body` are returned as they are. Clears the message of the thread's previous failure first,
/// so that a message always belongs to the last call.
/// Threads: any. Signals: safe as far as `body` is.
template <class F>
int AtCBoundary(F body) noexcept {
  ForgetSentence();
  int code = PAPI_EBUG;
  try {
    code = body();
  } catch (const std::bad_alloc&) {
    code = PAPI_ENOMEM;
  } catch (...) {  // our code throws nothing; the standard library may
    code = PAPI_EBUG;
  }
  return code < 0 ? Report(code) : code;
}

/// As AtCBoundary, for functions that need an initialised library: PAPI_ENOINIT before
/// PAPI_library_init and after PAPI_shutdown. `body` is not run then.
template <class F>
int AtCBoundaryOfLibrary(F body) noexcept {
  return AtCBoundary([&]() -> int { return TheLibrary().ready() ? body() : PAPI_ENOINIT; });
}

/// As AtCBoundaryOfLibrary, for calls that use or change event sets (LibraryCall). PAPI_ENOINIT
/// also if another thread is in PAPI_shutdown. PAPI_ENOMEM.
template <class F>
int AtCBoundaryOfSets(F body) noexcept {
  return AtCBoundary([&]() -> int {
    const LibraryCall call;
    return call.code() == PAPI_OK ? body() : call.code();
  });
}

/// As AtCBoundary, without a message and without a call of the debug handler: for functions about
/// the machine, which have no event to name. The library need not be initialised.
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
  if (!TheLibrary().ready()) {
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
