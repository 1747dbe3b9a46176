#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace csink::papi {

/// Into a field of an interface's struct: what does not fit is cut, and a NUL always ends it.
template <std::size_t N>
void CopyText(char (&field)[N], std::string_view text) noexcept {
  const std::size_t length = std::min(text.size(), N - 1);
  std::memcpy(field, text.data(), length);
  field[length] = 0;
}

}  // namespace csink::papi
