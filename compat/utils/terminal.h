#pragma once

namespace csink::utils {

/// Escape sequences for standard output. They are empty unless stdout is a terminal, NO_COLOR
/// (no-color.org) is unset or empty, and TERM is not "dumb".
struct Colours {
  const char* bold = "";
  const char* good = "";
  const char* bad = "";
  const char* dim = "";
  const char* off = "";
};

/// The sequences for this process, determined by the first call. Never changes afterwards.
const Colours& Colour() noexcept;

}  // namespace csink::utils
