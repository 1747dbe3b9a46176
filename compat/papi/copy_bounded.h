#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string_view>

namespace csink::papi {

/// Fills a text field of a structure of PAPI's: cut where it is too long, always ended.
template <std::size_t N>
void CopyBounded(char (&field)[N], std::string_view text) noexcept {
  const std::size_t size = std::min(text.size(), N - 1);
  std::memcpy(field, text.data(), size);
  std::memset(field + size, 0, N - size);
}

/// A number for an int field; the largest int stands for everything larger.
template <class T>
int ToInt(T value) noexcept {
  constexpr int kMax = std::numeric_limits<int>::max();
  return value > static_cast<T>(kMax) ? kMax : static_cast<int>(value);
}

}  // namespace csink::papi
