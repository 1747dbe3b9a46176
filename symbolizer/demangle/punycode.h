#pragma once

#include <string>
#include <string_view>

namespace csink::symbolizer {

/// RFC 3492 as Rust uses it: `basic` holds the ASCII characters, `extended` says what
/// goes between them. Appends UTF-8 to `out`; false when the text is none.
bool DecodePunycode(std::string_view basic, std::string_view extended, std::string& out);

/// Appends a code point in UTF-8; false for a value that is none.
bool AppendUtf8(std::string& text, char32_t c);

}  // namespace csink::symbolizer
