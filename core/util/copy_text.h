#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace csink {

/// Copies a text into a field of N bytes. What does not fit is cut, possibly inside a UTF-8
/// character. The rest of the field, at least one byte, is filled with NUL, so that equal texts
/// give equal fields.
/// Threads: any. Signals: safe.
template <std::size_t N>
void CopyText(char (&to)[N], std::string_view from) noexcept {
  const std::size_t bytes = from.size() < N - 1 ? from.size() : N - 1;
  std::memcpy(to, from.data(), bytes);
  std::memset(to + bytes, 0, N - bytes);
}

}  // namespace csink
