#pragma once

namespace csink::utils {

/// Escape sequences for standard output, empty unless that is a terminal and NO_COLOR
/// (no-color.org) is unset or empty and TERM is not "dumb".
struct Colours {
  const char* bold = "";
  const char* good = "";
  const char* bad = "";
  const char* dim = "";
  const char* off = "";
};

/// Asked once, then remembered.
const Colours& Colour() noexcept;

}  // namespace csink::utils
