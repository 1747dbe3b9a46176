#pragma once

#include <string>

namespace csink::apapi {

/// What APAPI_VERBOSE and APAPI_SOFTFAIL say: whole numbers, as strtol reads them with base 0;
/// anything else is as if they were not set. Read anew by APAPI_init and by all that read files.
struct Settings {
  long verbose = 0;
  bool softfail = false;
};
Settings ReadSettings() noexcept;
Settings CurrentSettings() noexcept;

/// One line on stderr, "APAPI file:line text", as upstream says it.
/// The caller's place: clang 14 does not know std::source_location.
void Warn(const std::string& text, const char* file = __builtin_FILE(),
          int line = __builtin_LINE()) noexcept;
/// One line on stdout, "APAPI: text", when APAPI_VERBOSE is 1.
void Tell(const std::string& text) noexcept;

/// The sentence of a PAPI error, and behind it what libpapi says of this failure, where it says
/// more. To be asked right after the failure, in its thread.
std::string PapiError(int code);

/// The body of a function of C's that answers with a number: no exception leaves it.
template <class F>
int AtEdge(F body) noexcept {
  try {
    return body();
  } catch (...) {  // no memory; ours throw nothing
    return -1;
  }
}

}  // namespace csink::apapi
