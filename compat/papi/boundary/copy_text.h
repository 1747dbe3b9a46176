#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string_view>

namespace csink::papi {

/// Copies a text into a text field of a C structure. A text that does not fit is cut at N - 1
/// bytes, also inside a UTF-8 character. The rest of the field is set to zero, so the field always
/// ends with a NUL and no old bytes reach the program.
template <std::size_t N>
void CopyText(char (&field)[N], std::string_view text) noexcept {
  const std::size_t length = std::min(text.size(), N - 1);
  std::memcpy(field, text.data(), length);
  std::memset(field + length, 0, N - length);
}

/// Converts a number for an int field of PAPI's structures; larger numbers become the largest int.
/// The number must not be negative.
template <class T>
int ToInt(T value) noexcept {
  constexpr int kMax = std::numeric_limits<int>::max();
  return value > static_cast<T>(kMax) ? kMax : static_cast<int>(value);
}

}  // namespace csink::papi
