#include "symbolizer/names/dwarf/lookup.h"

#include <dwarf.h>

/// File: strings are read through windows of 512 bytes, lists and addresses through windows of 4
/// KiB. A list has no length, so that a part is parsed, and if it does not end there, a part
/// sixteen times as large. The bytes of all lists together are limited by a budget, because each of
/// a million damaged DIEs could name the longest list.

namespace csink::symbolizer::dwarf {
namespace {

/// Each list is read for its DIE, and again if another unit claims the same code. The budget allows
/// eight reads of every list, and 16 MiB in addition, so that the sizes that a damaged file claims
/// do not matter for small sections.
constexpr std::uint64_t kReadsOfEachList = 8;
constexpr std::uint64_t kLeastBudget = 16 << 20;

/// Strings are accessed in no order, so that reading ahead does not help; 512 bytes hold a long
/// name.
constexpr std::uint64_t kTextPiece = 512;
/// The lists and addresses of one function lie together; those of the next function are far away.
constexpr std::uint64_t kListPiece = 4 << 10;

/// The largest address of the unit, which marks base addresses in .debug_ranges.
std::uint64_t Largest(const Unit& unit) {
  return unit.encoding.address_bytes == 4 ? 0xffffffff : ~std::uint64_t{0};
}

/// Addresses that linkers write for discarded code: 0 (GNU ld), 1 (GNU ld in range lists, where 0
/// ends the list), -1 and -2 (lld).
bool IsDead(std::uint64_t address, const Unit& unit) {
  return address <= 1 || (address >= Largest(unit) - 1 && address <= Largest(unit));
}

}  // namespace

Lookup::Lookup(const DwarfObject& object, const DwarfObject& code)
    : str_(object.str, kTextPiece),
      line_str_(object.line_str, kTextPiece),
      str_offsets_(object.str_offsets, kListPiece),
      addr_(code.addr, kListPiece),
      ranges_(code.ranges, kListPiece),
      rnglists_(object.rnglists, kListPiece),
      budget_(kLeastBudget + kReadsOfEachList * (code.ranges.size() + object.rnglists.size())) {}

/// Without DW_AT_low_pc the base is 0: lists then contain addresses.
void Lookup::SetBase(Unit& unit) { unit.base = Address(unit, unit.low_pc).value_or(0); }

std::optional<std::uint64_t> Lookup::AddressAt(const Unit& unit, std::uint64_t index) {
  const std::uint64_t size = unit.encoding.address_bytes;
  // The product with the entry size must not overflow.
  if (index >= ~std::uint64_t{0} / 16) return std::nullopt;
  ByteReader reader(addr_.At(unit.addr_base + index * size, size));
  const std::uint64_t address = reader.Unsigned(size);
  return reader.ok() ? std::optional(address) : std::nullopt;
}

std::optional<std::uint64_t> Lookup::Address(const Unit& unit, const Value& value) {
  if (value.form == DW_FORM_addr) return value.number;
  if (IsAddress(value.form)) return AddressAt(unit, value.number);
  return std::nullopt;
}

void Lookup::Add(std::uint64_t low, std::uint64_t high, const Unit& unit) {
  if (low < high && !IsDead(low, unit)) found_.push_back({low, high});
}

const std::vector<Range>& Lookup::Ranges(const Unit& unit, const Value& low, const Value& high,
                                         const Value& ranges) {
  found_.clear();
  if (!ranges) {
    const auto start = high ? Address(unit, low) : std::nullopt;
    if (!start) return found_;
    const std::uint64_t end =
        IsAddress(high.form) ? Address(unit, high).value_or(0) : *start + high.number;
    Add(*start, end, unit);
    return found_;
  }
  const bool is_list5 = unit.encoding.version >= 5;
  std::uint64_t offset = ranges.number;
  if (ranges.form == DW_FORM_rnglistx) {
    const auto listed = RnglistOffset(unit, ranges.number);
    if (!listed) return found_;
    offset = *listed;
  } else if (!is_list5) {
    offset += unit.ranges_base;
  }
  SectionWindow& window = is_list5 ? rnglists_ : ranges_;
  std::size_t before = 0;
  // The length of a list is not stored, so a growing part is read until the list ends.
  for (std::uint64_t want = 256;; want *= 16) {
    const Bytes bytes = window.At(offset, want);
    // A larger `want` may return the same bytes again (the window's end); then there is nothing new
    // to parse.
    if (bytes.size() > before) {
      before = bytes.size();
      found_.clear();
      const ByteReader reader(bytes);
      if (is_list5 ? ReadRnglist(reader, unit) : ReadRanges(reader, unit)) break;
    }
    if (bytes.size() < want || budget_ == 0) break;
  }
  return found_;
}

/// Reads a list of .debug_ranges (DWARF 4, 2.17.3). True: the list was read to its end.
bool Lookup::ReadRanges(ByteReader reader, const Unit& unit) {
  const std::size_t size = unit.encoding.address_bytes;
  std::uint64_t base = unit.base;
  bool is_dead = false;
  while (!reader.AtEnd() && budget_ > 2 * size) {
    budget_ -= 2 * size;
    const std::uint64_t low = reader.Unsigned(size);
    const std::uint64_t high = reader.Unsigned(size);
    if (!reader.ok()) return false;
    if (low == 0 && high == 0) return true;
    // A base address selection entry (DWARF 4, 2.17.3).
    if (low == Largest(unit)) {
      base = high;
      is_dead = IsDead(base, unit) && base != 0;
    } else if (!is_dead && low != Largest(unit) - 1) {
      Add(base + low, base + high, unit);
    }
  }
  if (!reader.AtEnd()) budget_ = 0;
  return false;
}

/// Reads a list of .debug_rnglists (DWARF 5, 7.25). True: the list was read to its end, or cannot
/// be continued.
bool Lookup::ReadRnglist(ByteReader reader, const Unit& unit) {
  const std::size_t size = unit.encoding.address_bytes;
  std::uint64_t base = unit.base;
  bool is_dead = false;
  const auto set_base = [&](std::uint64_t address) {
    base = address;
    is_dead = IsDead(address, unit) && address != 0;
  };
  while (!reader.AtEnd()) {
    const std::size_t at = reader.offset();
    const std::uint8_t kind = reader.U8();
    if (kind == DW_RLE_end_of_list) return true;
    const bool is_indexed = kind <= DW_RLE_startx_length;
    std::uint64_t first = 0;
    if (is_indexed || kind == DW_RLE_offset_pair) {
      first = reader.Uleb();
    } else {
      first = reader.Unsigned(size);
    }
    const bool has_second = kind != DW_RLE_base_addressx && kind != DW_RLE_base_address;
    std::uint64_t second = 0;
    if (has_second) second = kind == DW_RLE_start_end ? reader.Unsigned(size) : reader.Uleb();
    if (!reader.ok() || kind > DW_RLE_start_length) return !reader.ok() ? false : true;
    if (budget_ < reader.offset() - at) return budget_ = 0, true;
    budget_ -= reader.offset() - at;
    if (is_indexed) first = AddressAt(unit, first).value_or(0);
    if (kind == DW_RLE_startx_endx) second = AddressAt(unit, second).value_or(0);
    if (!has_second) {
      set_base(first);
    } else if (kind == DW_RLE_offset_pair) {
      if (!is_dead) Add(base + first, base + second, unit);
    } else {
      const bool is_length = kind == DW_RLE_startx_length || kind == DW_RLE_start_length;
      Add(first, is_length ? first + second : second, unit);
    }
  }
  return false;
}

std::optional<std::uint64_t> Lookup::RnglistOffset(const Unit& unit, std::uint64_t index) {
  const std::uint64_t size = unit.encoding.offset_bytes;
  if (index >= ~std::uint64_t{0} / 16) return std::nullopt;
  ByteReader reader(rnglists_.At(unit.rnglists_base + index * size, size));
  const std::uint64_t offset = reader.Unsigned(size);
  return reader.ok() ? std::optional(unit.rnglists_base + offset) : std::nullopt;
}

std::string Lookup::Text(const Unit& unit, const Value& value) {
  if (value.form == DW_FORM_string) return std::string(value.text);
  if (value.form == DW_FORM_strp) return std::string(str_.Text(value.number));
  if (value.form == DW_FORM_line_strp) return std::string(line_str_.Text(value.number));
  if (!IsStringIndex(value.form)) return {};
  const std::uint64_t size = unit.encoding.offset_bytes;
  if (value.number >= ~std::uint64_t{0} / 16) return {};
  ByteReader reader(str_offsets_.At(unit.str_offsets_base + value.number * size, size));
  const std::uint64_t offset = reader.Unsigned(size);
  return reader.ok() ? std::string(str_.Text(offset)) : std::string();
}

}  // namespace csink::symbolizer::dwarf
