#pragma once

#include <cstddef>
#include <string>

/// File: properties of the terminal or file that text is written to.

namespace csink::tool {

/// --color.
enum class Colour { kAuto, kAlways, kNever };

/// Columns for files and pipes.
inline constexpr std::size_t kPlainWidth = 100;
/// Narrower terminals are treated as having this many columns: tables cannot be narrower.
inline constexpr std::size_t kLeastWidth = 20;
/// Wider terminals are not used completely.
inline constexpr std::size_t kMostWidth = 240;

struct ScreenSize {
  /// kLeastWidth to kMostWidth.
  std::size_t columns = kPlainWidth;
  /// 0 if it is not a terminal: unlimited.
  std::size_t rows = 0;
};

/// The size of the terminal `fd`, its columns within the limits above. If it is not a terminal:
/// COLUMNS if it is a number, else kPlainWidth.
ScreenSize SizeOf(int fd);

/// Whether bold and dim may be used. kAuto: only on a terminal that is not "dumb", unless NO_COLOR
/// (https://no-color.org) is set and not empty.
bool MayColour(int fd, Colour colour);

/// Whether the locale's character encoding is UTF-8, by LC_ALL, LC_CTYPE or LANG: the first one
/// that is set and not empty. setlocale(3) is not used, because the locale may not be installed.
bool LocaleIsUtf8();

}  // namespace csink::tool
