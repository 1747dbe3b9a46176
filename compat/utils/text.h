#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace csink::utils {

/// Splits a text at empty lines. Each line that begins with a blank is a paragraph of its own and
/// is not filled.
std::vector<std::string_view> Paragraphs(std::string_view text);

/// Breaks `text` into lines of at most `width` columns. Lines after the first are indented by
/// `indent` blanks; the first begins at column `column`.
std::string Filled(std::string_view text, std::size_t indent, std::size_t column,
                   std::size_t width = 80);

}  // namespace csink::utils
