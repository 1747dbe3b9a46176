#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// File: prints constants of a "v0" name in Rust's syntax from their hexadecimal digits.

namespace csink::symbolizer::rust_v0 {

/// The value of the digits; nullopt if it does not fit into 64 bits.
std::optional<std::uint64_t> ValueOf(std::string_view digits);

/// "true" or "false"; nullopt if the value is neither 1 nor 0.
std::optional<std::string> BoolLiteral(std::string_view digits);

/// "'a'"; nullopt if the value is not a character.
std::optional<std::string> CharLiteral(std::string_view digits);

/// "\"text\"", two digits for each byte; nullopt if their number is odd or they are not UTF-8.
std::optional<std::string> StringLiteral(std::string_view digits);

}  // namespace csink::symbolizer::rust_v0
