#pragma once

#include <string>
#include <string_view>

namespace csink::symbolizer {

/// Decodes Punycode (RFC 3492) as Rust uses it: `basic` holds the ASCII characters, `extended` says
/// which other characters go between them. Appends UTF-8 to `out`. Returns false for text that is
/// not valid Punycode, or has more than 1024 characters; `out` may then have a part of the text.
/// RFC 3492 has one text with '-' between the two; Rust's mangling writes '_' (rust_v0_cursor.cpp
/// splits it).
bool DecodePunycode(std::string_view basic, std::string_view extended, std::string& out);

/// Appends a code point as UTF-8; false if `c` is not a Unicode scalar value.
bool AppendUtf8(std::string& text, char32_t c);

}  // namespace csink::symbolizer
