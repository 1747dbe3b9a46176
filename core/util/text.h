#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace csink {

/// Builds a text in a fixed buffer of N bytes, without libc, locale or heap. Text that does not fit
/// is cut without an error, possibly inside a UTF-8 character; the buffer always ends in a NUL, so
/// size() is at most N - 1. The Add functions return the object, so that calls can be chained:
///   Text<64> path;
///   path.Add("/proc/").Signed(pid).Add("/maps");
/// Owns: the bytes, inside the object; copying copies them. Threads: one. Signals: safe.
template <std::size_t N>
class Text {
 public:
  /// An empty text. The other bytes are not initialised.
  Text() noexcept { buffer_[0] = 0; }

  /// Appends a text; what does not fit is cut.
  Text& Add(std::string_view s) noexcept {
    for (char c : s) {
      if (used_ + 1 >= N) break;
      buffer_[used_++] = c;
    }
    buffer_[used_] = 0;
    return *this;
  }
  /// Appends one byte, if there is room.
  Text& Add(char c) noexcept { return Add(std::string_view(&c, 1)); }
  /// Decimal, filled up with zeros to `min_digits` digits (20 at most).
  Text& Number(std::uint64_t v, int min_digits = 1) noexcept {
    char digits[24];
    int n = 0;
    do {
      digits[n++] = static_cast<char>('0' + v % 10);
      v /= 10;
    } while (v != 0);
    while (n < min_digits && n < 20) digits[n++] = '0';
    while (n > 0) Add(digits[--n]);
    return *this;
  }
  /// Decimal, with a '-' where it is negative. The negation is unsigned, so that INT64_MIN works,
  /// whose negation an int64_t cannot hold.
  Text& Signed(std::int64_t v) noexcept {
    if (v < 0) return Add('-').Number(0 - static_cast<std::uint64_t>(v));
    return Number(static_cast<std::uint64_t>(v));
  }
  /// Hexadecimal in lower case, without "0x" and without leading zeros.
  Text& Hex(std::uint64_t v) noexcept {
    int shift = 60;
    while (shift > 0 && ((v >> shift) & 15) == 0) shift -= 4;
    // Begins at the highest digit that is not 0; 0 itself has one digit.
    for (; shift >= 0; shift -= 4) Add("0123456789abcdef"[(v >> shift) & 15]);
    return *this;
  }
  /// `value` / `scale` with `decimals` digits after the point, rounded down: Fixed(1999, 1000, 2)
  /// is "1.99". `scale` must not be 0, and must be below 2^64 / 10, otherwise the digits are wrong.
  Text& Fixed(std::uint64_t value, std::uint64_t scale, int decimals) noexcept {
    Number(value / scale).Add('.');
    std::uint64_t rest = value % scale;
    for (int i = 0; i < decimals; ++i) {
      rest *= 10;
      Add(static_cast<char>('0' + rest / scale));
      rest %= scale;
    }
    return *this;
  }
  /// Makes the text empty.
  void Clear() noexcept { buffer_[used_ = 0] = 0; }

  /// The text, NUL-terminated; valid until the next change.
  const char* c_str() const noexcept { return buffer_; }
  /// The buffer, for a caller that changes bytes in place. size() stays as it is.
  char* data() noexcept { return buffer_; }
  /// Bytes without the NUL.
  std::size_t size() const noexcept { return used_; }
  /// The text without its NUL; valid until the next change.
  std::string_view view() const noexcept { return {buffer_, used_}; }

 private:
  char buffer_[N];
  /// buffer_[0, used_) is the text, and buffer_[used_] is 0.
  std::size_t used_ = 0;
};

}  // namespace csink
