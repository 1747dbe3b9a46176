#pragma once

#include <new>

#include "compat/papi/debug.h"
#include "compat/papi/include/papi.h"
#include "compat/papi/library.h"
#include "compat/papi/to_papi.h"

namespace csink::papi {

/// Runs the body of a C entry point that returns a code. No exception leaves it: a C program cannot
/// catch one. std::bad_alloc becomes PAPI_ENOMEM, any other exception PAPI_EBUG. A negative code is
/// stored for PAPI_perror and given to the debug handler, whose answer is returned. Other results
/// of `body` are returned as they are. Clears the message of the thread's previous failure first,
/// so that a message always belongs to the last call.
/// Threads: any. Signals: safe as far as `body` is.
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

/// As AtCEdge, for functions that need an initialised library: PAPI_ENOINIT before
/// PAPI_library_init and after PAPI_shutdown. `body` is not run then.
template <class F>
int AtCEdgeOfLibrary(F body) noexcept {
  return AtCEdge([&]() -> int { return TheLibrary().ready() ? body() : PAPI_ENOINIT; });
}

}  // namespace csink::papi
