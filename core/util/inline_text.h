#pragma once

#include <cstddef>
#include <string_view>

namespace csink {

/// A text of at most `Bytes` - 1 bytes in a constant table, stored in the table itself.
///
/// A std::string_view holds an address, which the loader writes into every process that loads
/// libagent.so: each page of such tables costs the process a page fault.
/// Threads: any. Signals: safe.
template <std::size_t Bytes>
class InlineText {
 public:
  /// From a literal, which must fit with its NUL.
  template <std::size_t Size>
  constexpr InlineText(const char (&text)[Size]) noexcept {  // NOLINT: literals stand in tables
    static_assert(Size <= Bytes, "the text does not fit");
    for (std::size_t i = 0; i < Size; ++i) text_[i] = text[i];
  }

  constexpr operator std::string_view() const noexcept { return text_; }  // NOLINT
  constexpr std::string_view view() const noexcept { return text_; }
  constexpr bool empty() const noexcept { return text_[0] == 0; }

 private:
  char text_[Bytes] = {};
};

}  // namespace csink
