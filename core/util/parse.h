#pragma once

#include <cstdint>
#include <string_view>

#include "core/util/result.h"

/// File: checked parsing of text that users and the kernel write. Nothing here allocates or uses
/// the locale. Overflow and trailing bytes are errors.
/// Threads: any. Signals: safe (parse_signal.cpp).

namespace csink {

/// Parses the whole of `text` as a decimal number. Errors: kInvalid (not a number, or empty),
/// kLimit (overflow).
Result<std::uint64_t> ParseUnsigned(std::string_view text) noexcept;

/// Parses the whole of `text` as a hexadecimal number without "0x". Errors as ParseUnsigned.
Result<std::uint64_t> ParseHex(std::string_view text) noexcept;

/// Accepts 1/0, yes/no, on/off, true/false in upper or lower case. Errors: kInvalid (any other
/// text, and the empty one).
Result<bool> ParseBool(std::string_view text) noexcept;

/// Parses a number with an optional SI suffix: k or K is 10^3, M 10^6, G 10^9 (4k is 4,000). No
/// binary multiples, no decimal point. Errors as ParseUnsigned; kLimit also where the product
/// overflows.
Result<std::uint64_t> ParseCount(std::string_view text) noexcept;

/// A time in ns: seconds unless a suffix says else, with up to nine decimal places: 5, 1.5s, 200ms,
/// 50us, 10ns, 2m, 2min, 1h. Digits below one nanosecond are dropped. Errors as ParseUnsigned;
/// kInvalid also for a point without digits ("1.") and for more than nine places.
Result<std::uint64_t> ParseDuration(std::string_view text) noexcept;

/// Returns the text of `rest` before the first `separator`, and moves `rest` behind that separator.
/// Without a separator the whole of `rest` is returned and `rest` becomes empty. A loop over
/// NextToken while `rest` is not empty therefore does not see an empty token at the very end.
std::string_view NextToken(std::string_view& rest, char separator) noexcept;

/// `text` without spaces, tabs, carriage returns and newlines at both ends: for words of the user,
/// in which a NUL is a mistake.
std::string_view TrimmedBlanks(std::string_view text) noexcept;

/// TrimmedBlanks without NULs at both ends, too: for the contents of files, because
/// files of /sys and of the device tree may end in one.
std::string_view Trimmed(std::string_view text) noexcept;

/// The trimmed value of the first line "key : value" or "key: value" of `text`, as in /proc/cpuinfo
/// and /proc/PID/status. Empty if there is no such line or its value is empty. `key` is compared
/// exactly, in case, too.
std::string_view FieldOf(std::string_view text, std::string_view key) noexcept;

/// The Levenshtein distance of `a` and `b`: insertions, deletions and replacements of one byte. At
/// most `cap` + 1 is returned, which means "more than `cap`". Upper and lower case are equal. Of
/// longer texts the first 64 bytes are compared. Takes |a| * |b| steps.
unsigned EditDistance(std::string_view a, std::string_view b, unsigned cap) noexcept;

}  // namespace csink
