#include "symbolizer/report/formats/parts/sink.h"

#include <charconv>

namespace csink::report {

Sink& Sink::operator<<(std::uint64_t number) {
  // 2^64 - 1 has 20 digits. std::to_chars does not depend on the locale.
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  return *this << std::string_view(digits, static_cast<std::size_t>(end.ptr - digits));
}

Sink& Sink::Hex(std::uint64_t number) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, 16);
  return *this << std::string_view(digits, static_cast<std::size_t>(end.ptr - digits));
}

}  // namespace csink::report
