#pragma once

#include <cstddef>
#include <string_view>

/// File: the number of terminal columns that UTF-8 text takes: two for East Asian wide and
/// fullwidth characters (Unicode Standard Annex 11) and for emoji, none for combining marks, one
/// for all other characters and for each byte that is not UTF-8. wcwidth(3) is not used, because it
/// depends on the locale.

namespace csink::report {

/// Columns of `text`. Control characters count as one; text for a terminal has none (Printable).
std::size_t DisplayWidth(std::string_view text);

/// The length in bytes of the longest beginning of `text` that takes at most `columns` columns.
std::size_t HeadBytes(std::string_view text, std::size_t columns);

/// The offset at which the longest end of `text` begins that takes at most `columns` columns.
std::size_t TailBegin(std::string_view text, std::size_t columns);

}  // namespace csink::report
