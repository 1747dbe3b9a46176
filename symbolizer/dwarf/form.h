#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "symbolizer/bytes/bytes.h"
#include "symbolizer/dwarf/constants.h"

namespace csink::symbolizer::dwarf {

/// What the size of a field depends on: of the unit that it stands in.
struct Encoding {
  std::uint16_t version = 0;
  std::uint8_t address_bytes = 8;
  std::uint8_t offset_bytes = 4;
  bool operator==(const Encoding&) const = default;
};

/// The value of one attribute as it stands there: an address, an offset, an index, a number. What
/// it means depends on `form` (0: the attribute is not there).
struct Value {
  std::uint16_t form = 0;
  std::uint64_t number = 0;
  std::string_view text;  ///< Of DW_FORM_string; lies in the unit's bytes
  explicit operator bool() const { return form != 0; }
};

/// Reads a value and leaves the reader behind it. An unknown form fails the reader: nothing behind
/// it can be found.
Value ReadValue(ByteReader& reader, std::uint16_t form, std::int64_t implicit,
                const Encoding& encoding);

/// Bytes of a form that always has the same; nothing for one that varies or is unknown.
std::optional<std::uint32_t> FixedSize(std::uint16_t form, const Encoding& encoding);

inline bool IsAddress(std::uint16_t form) {
  return form == kFormAddr || form == kFormAddrx || form == kFormGnuAddrIndex ||
         (form >= kFormAddrx1 && form <= kFormAddrx4);
}
inline bool IsStringIndex(std::uint16_t form) {
  return form == kFormStrx || form == kFormGnuStrIndex ||
         (form >= kFormStrx1 && form <= kFormStrx4);
}

}  // namespace csink::symbolizer::dwarf
