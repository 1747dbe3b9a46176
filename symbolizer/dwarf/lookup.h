#pragma once

#include <optional>
#include <string>
#include <vector>

#include "symbolizer/dwarf/unit.h"

namespace csink::symbolizer::dwarf {

/// Code from `low` up to `high`.
struct Range {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// Looks up what DIEs refer to in the sections beside .debug_info: addresses, lists of ranges and
/// texts. A split unit takes its addresses (and before DWARF 5 its ranges) from `code`.
///
/// Owns:    a piece of each section. The objects outlive it.
/// Threads: one.
class Lookup {
 public:
  explicit Lookup(const DwarfObject& object) : Lookup(object, object) {}
  Lookup(const DwarfObject& object, const DwarfObject& code);

  /// Fills unit.base, which needs addresses.
  void SetBase(Unit& unit);

  /// The ranges of a DIE by its three attributes; those that the linker threw away are left out.
  /// The answer is valid until the next call.
  const std::vector<Range>& Ranges(const Unit& unit, const Value& low, const Value& high,
                                   const Value& ranges);

  /// A text that stands in this file; empty when it stands in the alternate one.
  std::string Text(const Unit& unit, const Value& value);
  /// The same for DW_FORM_strp_sup and its like: a text of this file at `offset`.
  std::string TextAt(std::uint64_t offset) { return std::string(str_.Text(offset)); }

 private:
  std::optional<std::uint64_t> Address(const Unit& unit, const Value& value);
  std::optional<std::uint64_t> AddressAt(const Unit& unit, std::uint64_t index);
  bool ReadRanges(ByteReader reader, const Unit& unit);
  bool ReadRnglist(ByteReader reader, const Unit& unit);
  std::optional<std::uint64_t> RnglistOffset(const Unit& unit, std::uint64_t index);
  void Add(std::uint64_t low, std::uint64_t high, const Unit& unit);

  SectionWindow str_, line_str_, str_offsets_, addr_, ranges_, rnglists_;
  std::vector<Range> found_;
  std::uint64_t budget_;  ///< Bytes of lists that may still be read; a hostile file has loops
};

}  // namespace csink::symbolizer::dwarf
