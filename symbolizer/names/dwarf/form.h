#pragma once

#include <dwarf.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "symbolizer/names/bytes/bytes.h"
#include "symbolizer/names/dwarf/constants.h"

namespace csink::symbolizer::dwarf {

/// The properties of a unit that field sizes depend on. `version` is that of DWARF (2 to 5);
/// `address_bytes` is 4 or 8; `offset_bytes` is 4 or 8 (32-bit or 64-bit DWARF, DWARF 5, 7.4).
struct Encoding {
  /// 0: unknown; the unit is stepped over.
  std::uint16_t version = 0;
  std::uint8_t address_bytes = 8;
  std::uint8_t offset_bytes = 4;
  /// Tables of abbreviations are prepared for one encoding (AbbreviationCache).
  bool operator==(const Encoding&) const = default;
};

/// The value of one attribute as encoded: an address, an offset, an index or a number. The meaning
/// depends on `form` (0: the DIE does not have the attribute). Lookup (lookup.h) turns values into
/// addresses and texts. The contents of blocks and expressions are not kept; `number` is then 0.
struct Value {
  std::uint16_t form = 0;
  /// Of signed forms the two's complement; 0 for texts, blocks and 16-byte values.
  std::uint64_t number = 0;
  std::string_view text;  ///< Of DW_FORM_string; points into the unit's bytes
  /// Whether the DIE has the attribute.
  explicit operator bool() const { return form != 0; }
};

/// Reads a value and moves the reader behind it. `form` is any form, also DW_FORM_indirect, whose
/// real form is in the value. `implicit` is the abbreviation's value for DW_FORM_implicit_const. An
/// unknown form fails the reader: its length is unknown, so nothing behind it can be read.
Value ReadValue(ByteReader& reader, std::uint16_t form, std::int64_t implicit,
                const Encoding& encoding);

/// The size in bytes of a form whose size is constant within a unit (DWARF 5, 7.5.5 and 7.5.6).
/// nullopt: the size varies, or the form is unknown.
std::optional<std::uint32_t> FixedSize(std::uint16_t form, const Encoding& encoding);

/// Whether the value is an address or an index into .debug_addr. DW_AT_high_pc of another form is a
/// length.
inline bool IsAddress(std::uint16_t form) {
  return form == DW_FORM_addr || form == DW_FORM_addrx || form == DW_FORM_GNU_addr_index ||
         (form >= DW_FORM_addrx1 && form <= DW_FORM_addrx4);
}
/// Whether the value is an index into .debug_str_offsets.
inline bool IsStringIndex(std::uint16_t form) {
  return form == DW_FORM_strx || form == DW_FORM_GNU_str_index ||
         (form >= DW_FORM_strx1 && form <= DW_FORM_strx4);
}

}  // namespace csink::symbolizer::dwarf
