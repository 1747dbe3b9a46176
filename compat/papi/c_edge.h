#pragma once

#include <new>

#include "compat/papi/debug.h"
#include "compat/papi/include/papi.h"
#include "compat/papi/library.h"
#include "compat/papi/to_papi.h"

namespace csink::papi {

/// The body of a C entry point that answers with a code: no exception leaves it, and a failure is
/// remembered and reported.
template <class F>
int AtCEdge(F body) noexcept {
  ForgetSentence();
  int code = PAPI_EBUG;
  try {
    code = body();
  } catch (const std::bad_alloc&) {
    code = PAPI_ENOMEM;
  } catch (...) {  // ours throw nothing; the standard library may
    code = PAPI_EBUG;
  }
  return code < 0 ? Report(code) : code;
}

/// The same for what needs an initialised library.
template <class F>
int AtCEdgeOfLibrary(F body) noexcept {
  return AtCEdge([&]() -> int { return TheLibrary().ready() ? body() : PAPI_ENOINIT; });
}

}  // namespace csink::papi
