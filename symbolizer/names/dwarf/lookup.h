#pragma once

#include <optional>
#include <string>
#include <vector>

#include "symbolizer/names/dwarf/unit.h"

namespace csink::symbolizer::dwarf {

/// Code addresses [low, high) in the file's own address space.
struct Range {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// Looks up what DIEs refer to in the sections beside .debug_info: addresses, range lists and
/// strings. A split unit takes its addresses (and before DWARF 5 its ranges) from `code`, the
/// object that holds the skeleton units.
///
/// Uncompressed sections are read in small pieces around what is wanted: strings and lists of a
/// large program have hundreds of megabytes, of which few are needed.
/// Owns:    a window of each section. The objects must outlive it.
/// Threads: one; threads have a Lookup each over shared objects.
class Lookup {
 public:
  /// For units that are not split.
  explicit Lookup(const DwarfObject& object) : Lookup(object, object) {}
  /// For the split units of `object`, whose skeletons are in `code`.
  Lookup(const DwarfObject& object, const DwarfObject& code);

  /// Sets unit.base, the base address of range lists. It may be an index into .debug_addr, so that
  /// it cannot be read with the root DIE alone.
  void SetBase(Unit& unit);

  /// The code ranges of a DIE from its attributes DW_AT_low_pc, DW_AT_high_pc and DW_AT_ranges
  /// (DWARF 5, 2.17); DW_AT_ranges counts if it is there. Empty ranges and ranges that the linker
  /// discarded are left out. `unit` must have its bases set (SetBase, split.h). Valid until the
  /// next call.
  const std::vector<Range>& Ranges(const Unit& unit, const Value& low, const Value& high,
                                   const Value& ranges);

  /// A string of this file. Empty if the string is in the supplementary file (IsAlternateText), the
  /// reference is damaged, or the value is no string.
  std::string Text(const Unit& unit, const Value& value);
  /// The string at `offset` of this file's .debug_str, for DW_FORM_strp_sup and
  /// DW_FORM_GNU_strp_alt.
  std::string TextAt(std::uint64_t offset) { return std::string(str_.Text(offset)); }

 private:
  /// The address that an attribute gives, directly or by index; nullopt: the value is no address.
  std::optional<std::uint64_t> Address(const Unit& unit, const Value& value);
  /// Entry number `index` of the unit's part of .debug_addr (DWARF 5, 7.27).
  std::optional<std::uint64_t> AddressAt(const Unit& unit, std::uint64_t index);
  /// Add the ranges of a list to `found_`.
  bool ReadRanges(ByteReader reader, const Unit& unit);
  bool ReadRnglist(ByteReader reader, const Unit& unit);
  /// The offset in .debug_rnglists of list number `index` (DW_FORM_rnglistx; DWARF 5, 7.28).
  std::optional<std::uint64_t> RnglistOffset(const Unit& unit, std::uint64_t index);
  /// Adds a range, unless it is empty or discarded.
  void Add(std::uint64_t low, std::uint64_t high, const Unit& unit);

  SectionWindow str_, line_str_, str_offsets_, addr_, ranges_, rnglists_;
  /// The result of Ranges. Reused, because most DIEs have one range.
  std::vector<Range> found_;
  /// Bytes of range lists that may still be read; lists of a damaged file may form loops
  std::uint64_t budget_;
};

}  // namespace csink::symbolizer::dwarf
