#include "symbolizer/commands/console/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/util/parse.h"

namespace csink::tool {

ScreenSize SizeOf(int fd) {
  ScreenSize size;
  winsize window = {};
  // Terminals on serial lines may have the size 0 x 0; then COLUMNS decides.
  if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
    size.columns = std::clamp<std::size_t>(window.ws_col, kLeastWidth, kMostWidth);
    size.rows = window.ws_row;
    return size;
  }
  // Shells set COLUMNS, and scripts may ask for a width where there is no terminal.
  const char* columns = std::getenv("COLUMNS");
  const auto wanted = ParseUnsigned(columns ? columns : "");
  if (wanted && *wanted > 0) {
    size.columns = std::clamp<std::size_t>(*wanted, kLeastWidth, kMostWidth);
  }
  return size;
}

bool MayColour(int fd, Colour colour) {
  if (colour != Colour::kAuto) return colour == Colour::kAlways;
  // no-color.org: any value but the empty one.
  const char* no_colour = std::getenv("NO_COLOR");
  // Without TERM, nothing is known about the terminal.
  const char* terminal = std::getenv("TERM");
  return isatty(fd) && !(no_colour && *no_colour) && terminal && std::strcmp(terminal, "dumb") != 0;
}

bool LocaleIsUtf8() {
  // The order of setlocale(3): the first variable that is set decides.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* locale = std::getenv(name);
    if (locale && *locale) return strcasestr(locale, "utf-8") || strcasestr(locale, "utf8");
  }
  return false;
}

}  // namespace csink::tool
