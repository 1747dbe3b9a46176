#include <sys/auxv.h>

#include <cstdlib>

#include "core/util/parse.h"
#include "symbolizer/names/cache/folder.h"

namespace csink::symbolizer::cache {
namespace {

/// secure_getenv(3): no variables where the program has raised rights.
std::string Variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// The user's cache folder (XDG Base Directory Specification: a relative path is ignored).
std::string UsualFolder() {
  std::string base = Variable("XDG_CACHE_HOME");
  if (!base.starts_with('/')) {
    base = Variable("HOME");
    if (!base.starts_with('/')) return {};
    base += "/.cache";
  }
  return base + "/csink";
}

}  // namespace

Settings SettingsFromEnvironment(std::string* problem) {
  Settings settings{.folder = {}, .max_bytes = kDefaultMaxBytes};
  // Where a program with raised rights writes must not be chosen by the user's environment.
  if (::getauxval(AT_SECURE) != 0) return settings;
  const std::string asked = Variable("CSINK_CACHE");
  // A relative path would mean another folder for each working directory, so it is refused.
  const auto switched = ParseBool(asked);
  if (asked.starts_with('/')) {
    settings.folder = asked;
  } else if (asked.empty() || (switched && *switched)) {
    settings.folder = UsualFolder();
  } else if (!switched && problem != nullptr) {
    *problem = "CSINK_CACHE=" + asked +
               ": expected 0, 1 or the absolute path of a folder; no cache is used";
  }
  const std::string size = Variable("CSINK_CACHE_SIZE");
  if (size.empty()) return settings;
  // A mistake in the size costs no more than the default size.
  if (const auto bytes = ParseCount(size)) {
    settings.max_bytes = *bytes;
  } else if (problem != nullptr) {
    *problem = "CSINK_CACHE_SIZE=" + size +
               ": expected a number of bytes, such as 64M; the default of 256 MiB is used";
  }
  return settings;
}

}  // namespace csink::symbolizer::cache
