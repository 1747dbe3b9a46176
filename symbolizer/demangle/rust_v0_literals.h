#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// File: prints constants of a "v0" name in Rust's syntax from their hexadecimal digits. `digits`
/// are 0-9 and a-f only, as Cursor::HexDigits returns them; leading zeros and no digits at all (the
/// value 0) are accepted.

namespace csink::symbolizer::rust_v0 {

/// The value of the digits; nullopt if it does not fit into 64 bits.
std::optional<std::uint64_t> ValueOf(std::string_view digits);

/// "true" or "false"; nullopt if the value is neither 1 nor 0.
std::optional<std::string> BoolLiteral(std::string_view digits);

/// "'a'", with escapes for control characters and quotes; nullopt if the value is no Unicode scalar
/// value.
std::optional<std::string> CharLiteral(std::string_view digits);

/// "\"text\"", two digits for each byte; nullopt if their number is odd. Bytes above 0x7f are
/// copied: the text is UTF-8 if the name is valid, which is not checked.
std::optional<std::string> StringLiteral(std::string_view digits);

}  // namespace csink::symbolizer::rust_v0
