#pragma once

#include <cstddef>
#include <string_view>

/// File: columns that text takes on a terminal: two for East Asian characters (Unicode Standard
/// Annex 11: wide and fullwidth) and for emoji, none for combining marks, one for all others and
/// for each byte that is no UTF-8.

namespace csink::report {

std::size_t DisplayWidth(std::string_view text);

/// Bytes of the longest beginning of `text` that takes at most `columns`.
std::size_t HeadBytes(std::string_view text, std::size_t columns);

/// Where the longest end of `text` begins that takes at most `columns`.
std::size_t TailBegin(std::string_view text, std::size_t columns);

}  // namespace csink::report
