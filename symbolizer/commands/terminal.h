#pragma once

#include <cstddef>
#include <string>

/// File: properties of the terminal or file that text is written to.

namespace csink::tool {

enum class Colour { kAuto, kAlways, kNever };

inline constexpr std::size_t kPlainWidth = 100;  ///< For files and pipes
inline constexpr std::size_t kLeastWidth = 20;
inline constexpr std::size_t kMostWidth = 240;

struct ScreenSize {
  std::size_t columns = kPlainWidth;
  std::size_t rows = 0;  ///< 0: unlimited
};

/// A terminal's size, within the limits above. Otherwise COLUMNS if it is a number, else
/// kPlainWidth.
ScreenSize SizeOf(int fd);

/// Whether bold and dim may be used. kAuto: only on a terminal that is not "dumb", unless NO_COLOR
/// (https://no-color.org) is set and not empty.
bool MayColour(int fd, Colour colour);

}  // namespace csink::tool
