#pragma once

#include <cstdint>
#include <string_view>

#include "core/util/result.h"

/// File: checked parsing of what people and the kernel write. Nothing here
/// allocates or consults the locale; overflow and trailing bytes are errors.
/// Signals: safe (parse_signal.cpp).

namespace csink {

/// Decimal, whole string. Errors: kInvalid (not a number), kLimit (overflow).
Result<std::uint64_t> ParseUnsigned(std::string_view text) noexcept;

/// Hexadecimal without 0x, whole string. Errors as above.
Result<std::uint64_t> ParseHex(std::string_view text) noexcept;

/// 1/0, yes/no, on/off, true/false, any case. Errors: kInvalid.
Result<bool> ParseBool(std::string_view text) noexcept;

/// A number with an optional SI suffix: 4k = 4,000, 2M, 1G. Errors as ParseUnsigned.
Result<std::uint64_t> ParseCount(std::string_view text) noexcept;

/// A time in ns: seconds unless a suffix says else, with up to nine decimal places: 5, 1.5s, 200ms,
/// 50us, 10ns, 2m, 2min, 1h. Errors as ParseUnsigned.
Result<std::uint64_t> ParseDuration(std::string_view text) noexcept;

/// Takes the text up to (not including) `separator` from the front of `rest`
/// and moves `rest` behind it; the whole of `rest` when there is none.
std::string_view NextToken(std::string_view& rest, char separator) noexcept;

/// `text` without spaces, tabs, newlines and NULs at both ends.
std::string_view Trimmed(std::string_view text) noexcept;

/// The value of the first line "key : value" or "key: value" of `text`, trimmed; "" without one.
std::string_view FieldOf(std::string_view text, std::string_view key) noexcept;

/// The Levenshtein distance, capped: returns `cap` + 1 when it is larger.
/// Case-insensitive; texts longer than 64 bytes are compared by their first 64.
unsigned EditDistance(std::string_view a, std::string_view b, unsigned cap) noexcept;

}  // namespace csink
