#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string_view>

namespace csink::papi {

/// Into a text field of an interface's struct: what does not fit is cut; the rest of the field is
/// zero, so that a NUL always ends it.
template <std::size_t N>
void CopyText(char (&field)[N], std::string_view text) noexcept {
  const std::size_t length = std::min(text.size(), N - 1);
  std::memcpy(field, text.data(), length);
  std::memset(field + length, 0, N - length);
}

/// A number for an int field; the largest int stands for everything larger.
template <class T>
int ToInt(T value) noexcept {
  constexpr int kMax = std::numeric_limits<int>::max();
  return value > static_cast<T>(kMax) ? kMax : static_cast<int>(value);
}

}  // namespace csink::papi
