#pragma once

#include <string>

namespace csink::apapi {

/// The values of APAPI_VERBOSE and APAPI_SOFTFAIL: whole numbers as strtol reads them with base 0.
/// Any other text counts as 0. Most messages need verbose to be exactly 1, as upstream's do.
struct Settings {
  long verbose = 0;
  bool softfail = false;
};
/// Reads the environment and keeps the values for CurrentSettings. errno is unchanged. Threads:
/// any.
Settings ReadSettings() noexcept;
Settings CurrentSettings() noexcept;

/// Prints one line on stderr, "APAPI file:line text", as upstream does. File and line are the
/// caller's. The compiler built-ins are used because clang 14 has no std::source_location.
void Warn(const std::string& text, const char* file = __builtin_FILE(),
          int line = __builtin_LINE()) noexcept;
/// Prints one line on stdout, "APAPI: text", if APAPI_VERBOSE is 1. On stdout, since upstream does
/// so.
void Tell(const std::string& text) noexcept;

/// The text of a PAPI error code, followed by libpapi's message about this failure, if it says
/// more. Must be called directly after the failure and in the same thread, because the next call to
/// PAPI replaces the message.
std::string PapiError(int code);
/// The same with the message of the call that failed, "" if it has none.
std::string PapiError(int code, const char* why);

/// Runs the body of a function that callers in C call: an exception becomes -1.
template <class F>
int AtEdge(F body) noexcept {
  try {
    return body();
  } catch (...) {  // std::bad_alloc; our own code throws nothing
    return -1;
  }
}

}  // namespace csink::apapi
