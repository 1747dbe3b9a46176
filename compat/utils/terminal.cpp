#include "compat/utils/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace csink::utils {
namespace {

// Colours only for a terminal that understands them, and only where the user has not refused them.
bool Wanted() noexcept {
  const char* refused = std::getenv("NO_COLOR");
  if (refused && *refused) return false;
  const char* kind = std::getenv("TERM");
  return kind && std::strcmp(kind, "dumb") != 0 && isatty(STDOUT_FILENO);
}

constexpr Colours kNone;
constexpr Colours kSome = {"\033[1m", "\033[32m", "\033[31m", "\033[2m", "\033[0m"};

}  // namespace

const Colours& Colour() noexcept {
  static const Colours& chosen = Wanted() ? kSome : kNone;
  return chosen;
}

}  // namespace csink::utils
