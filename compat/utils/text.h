#pragma once

#include <string>
#include <string_view>
#include <vector>

/// File: text on a terminal: paragraphs, lines and colours.

namespace csink::utils {

/// Splits a text at empty lines. Each line that begins with a blank is a paragraph of its own and
/// is not filled (an example in a help text). The results point into `text`.
std::vector<std::string_view> Paragraphs(std::string_view text);

/// Breaks `text` into lines of at most `width` columns. Lines after the first are indented by
/// `indent` blanks; the first begins at column `column`. Blanks and newlines separate words; a word
/// longer than a line stays whole. A column is a byte, so the texts must be ASCII to be filled
/// exactly.
std::string Filled(std::string_view text, std::size_t indent, std::size_t column,
                   std::size_t width = 80);

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
