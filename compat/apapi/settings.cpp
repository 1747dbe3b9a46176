#include "compat/apapi/settings.h"

#include <csink_papi.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "compat/apapi/include/apapi.h"

/// File: APAPI's variables, and messages in upstream's form: warnings on stderr with file and line,
/// the others on stdout.

namespace csink::apapi {

namespace {

// Read in timers' threads, too.
std::atomic<long> g_verbose{0};
std::atomic<bool> g_softfail{false};

// 0 for anything that is not completely a number.
long NumberFrom(const char* name) noexcept {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == 0) return 0;
  char* end = nullptr;
  errno = 0;
  const long value = std::strtol(text, &end, 0);
  return *end == 0 && errno == 0 ? value : 0;
}

}  // namespace

Settings ReadSettings() noexcept {
  // strtol sets errno, and the caller's value must not change.
  const int error = errno;
  g_verbose = NumberFrom("APAPI_VERBOSE");
  g_softfail = NumberFrom("APAPI_SOFTFAIL") != 0;
  errno = error;
  return CurrentSettings();
}

Settings CurrentSettings() noexcept { return {g_verbose, g_softfail}; }

void Warn(const std::string& text, const char* file, int line) noexcept {
  // The file's name alone, as upstream prints it.
  const char* slash = std::strrchr(file, '/');
  std::fprintf(stderr, "APAPI %s:%d %s\n", slash ? slash + 1 : file, line, text.c_str());
}

void Tell(const std::string& text) noexcept {
  if (g_verbose == 1) std::printf("APAPI: %s\n", text.c_str());
}

std::string PapiError(int code) {
  char why[1024] = "";  // first: the next call to PAPI replaces the message
  if (csink_papi_last_message(why, sizeof why) != PAPI_OK) why[0] = 0;
  return PapiError(code, why);
}

std::string PapiError(int code, const char* why) {
  const char* words = PAPI_strerror(code);
  std::string text = words ? words : "error " + std::to_string(code);
  if (why[0] != 0 && text != why) text.append(": ").append(why);
  return text;
}

}  // namespace csink::apapi
