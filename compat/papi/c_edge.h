#pragma once

#include <new>

#include "compat/papi/debug.h"
#include "compat/papi/include/papi.h"
#include "compat/papi/library.h"
#include "compat/papi/to_papi.h"

namespace csink::papi {

/// Runs the body of a C entry point that returns a code. No exception leaves it. A negative code is
/// stored for PAPI_perror and given to the debug handler, whose answer is returned. Clears the
/// message of the thread's previous failure.
/// Signals: safe as far as `body` is.
template <class F>
int AtCEdge(F body) noexcept {
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

/// As AtCEdge, for functions that need an initialised library: PAPI_ENOINIT otherwise.
template <class F>
int AtCEdgeOfLibrary(F body) noexcept {
  return AtCEdge([&]() -> int { return TheLibrary().ready() ? body() : PAPI_ENOINIT; });
}

}  // namespace csink::papi
