#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// File: constants of a "v0" name as Rust writes them, from the hexadecimal digits that the name
/// has.

namespace csink::symbolizer::rust_v0 {

/// The value of up to 16 digits without leading zeros; nothing when it is larger.
std::optional<std::uint64_t> ValueOf(std::string_view digits);

/// "true"; nothing when it is neither 0 nor 1.
std::optional<std::string> BoolLiteral(std::string_view digits);

/// "'a'"; nothing when it is no character.
std::optional<std::string> CharLiteral(std::string_view digits);

/// "\"text\"", from two digits a byte; nothing when they are odd.
std::optional<std::string> StringLiteral(std::string_view digits);

}  // namespace csink::symbolizer::rust_v0
