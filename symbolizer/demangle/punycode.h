#pragma once

#include <string>
#include <string_view>

namespace csink::symbolizer {

/// Decodes Punycode (RFC 3492) as Rust uses it: `basic` holds the ASCII characters, `extended` says
/// which other characters go between them. Appends UTF-8 to `out`. False: not valid Punycode.
bool DecodePunycode(std::string_view basic, std::string_view extended, std::string& out);

/// Appends a code point as UTF-8; false if `c` is not a Unicode scalar value.
bool AppendUtf8(std::string& text, char32_t c);

}  // namespace csink::symbolizer
