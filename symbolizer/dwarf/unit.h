#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbolizer/dwarf/abbrev.h"
#include "symbolizer/dwarf/section.h"

namespace csink::symbolizer::dwarf {

/// The sections of one file by their contents; what is empty is absent. For tests and fuzzing.
struct SectionBytes {
  Bytes info, abbrev, str, line_str, str_offsets, addr, ranges, rnglists, line;
};

/// The debug sections of one file. `suffix` is ".dwo" for those of split units.
struct DwarfObject {
  DwarfObject(std::shared_ptr<const ElfFile> elf, const std::string& suffix);
  explicit DwarfObject(const SectionBytes& bytes);

  std::shared_ptr<const ElfFile> file;
  DwarfSection info, abbrev, str, line_str, str_offsets, addr, ranges, rnglists, line;
};

/// The header of a unit, and what its root DIE says of it.
struct Unit {
  Encoding encoding;
  std::uint8_t type = kUnitCompile;
  std::uint64_t offset = 0;  ///< In .debug_info
  std::uint64_t size = 0;    ///< With the header
  std::uint64_t header_bytes = 0;
  std::uint64_t abbreviations = 0;
  std::uint64_t id = 0;  ///< dwo_id; 0: none

  std::uint16_t root_tag = 0;
  Value low_pc, high_pc, ranges, stmt_list, dwo_name, folder;
  std::uint64_t base = 0;  ///< Address that range lists without one of their own start from
  std::uint64_t language = 0;
  std::uint64_t str_offsets_base = 0;
  std::uint64_t addr_base = 0;
  std::uint64_t rnglists_base = 0;
  /// DW_AT_GNU_ranges_base: for the DIEs of the split unit, not for the skeleton's own
  /// DW_AT_ranges.
  std::uint64_t split_ranges_base = 0;
  std::uint64_t ranges_base = 0;  ///< Of a split unit: its skeleton's split_ranges_base; else 0

  bool IsSkeleton() const { return dwo_name.form != 0; }
  std::uint64_t end() const { return offset + size; }
};

/// Bytes at the front of a unit that always hold its header.
inline constexpr std::uint64_t kMaxUnitHeader = 48;

/// Reads the header at the front of `bytes`, which lies at `offset` of a section that has `left`
/// bytes from there. Nothing: the rest of the section cannot be read. A unit that can be stepped
/// over but not read has version 0.
std::optional<Unit> ReadUnitHeader(Bytes bytes, std::uint64_t offset, std::uint64_t left);

/// Reads the root DIE. `die` begins behind the header, `abbreviations` is all of .debug_abbrev.
/// False: damaged. `cost` grows by the bytes of abbreviations that were looked at.
bool ReadRoot(Unit& unit, Bytes die, Bytes abbreviations, std::uint64_t& cost);

}  // namespace csink::symbolizer::dwarf
