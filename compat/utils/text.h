#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace csink::utils {

/// Paragraphs of a text: divided by empty lines. Lines that begin with a blank are a paragraph
/// each, kept as they are.
std::vector<std::string_view> Paragraphs(std::string_view text);

/// Fills `text` to lines of `width`; the second and later ones are indented by `indent` blanks, and
/// the first is taken to begin at column `column`.
std::string Filled(std::string_view text, std::size_t indent, std::size_t column,
                   std::size_t width = 80);

}  // namespace csink::utils
