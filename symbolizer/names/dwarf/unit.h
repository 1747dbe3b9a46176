#pragma once

#include <dwarf.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbolizer/names/dwarf/abbrev.h"
#include "symbolizer/names/dwarf/section.h"

namespace csink::symbolizer::dwarf {

/// The contents of one file's sections; an empty section is absent. For tests and fuzzing. The
/// bytes must outlive the objects made of them.
struct SectionBytes {
  Bytes info, abbrev, str, line_str, str_offsets, addr, ranges, rnglists, line;
};

/// The debug sections of one file. `suffix` is ".dwo" for the sections of split units, else "".
/// Neither movable nor copyable, as its sections; a DieKey contains its address.
/// Owns:    the file (shared) and what was inflated of it. `file` is null for bytes in memory.
struct DwarfObject {
  DwarfObject(std::shared_ptr<const ElfFile> elf, const std::string& suffix);
  explicit DwarfObject(const SectionBytes& bytes);

  std::shared_ptr<const ElfFile> file;
  DwarfSection info, abbrev, str, line_str, str_offsets, addr, ranges, rnglists, line;
};

/// The header of a unit (DWARF 5, 7.5.1), and what its root DIE says. Values are as encoded; Lookup
/// reads addresses and texts. Copyable; a DW_FORM_string value points into the bytes that ReadRoot
/// was given.
struct Unit {
  Encoding encoding;
  std::uint8_t type = DW_UT_compile;
  std::uint64_t offset = 0;  ///< In .debug_info
  std::uint64_t size = 0;    ///< With the header
  /// From the unit's start to its root DIE.
  std::uint64_t header_bytes = 0;
  /// Offset of its table in .debug_abbrev.
  std::uint64_t abbreviations = 0;
  std::uint64_t id = 0;  ///< dwo_id; 0: none

  /// What ReadRoot found: the tag and the attributes of the root DIE. A Value without a form is
  /// absent.
  std::uint16_t root_tag = 0;
  /// Bounds of the unit's code, its line table, the name of its split unit, and the folder of the
  /// compilation (DW_AT_comp_dir), its source file (DW_AT_name), and the compiler with its options
  /// (DW_AT_producer).
  Value low_pc, high_pc, ranges, stmt_list, dwo_name, folder, name, producer;
  std::uint64_t base = 0;  ///< Base address for range lists that do not set their own
  /// DW_LANG_*; 0: unknown.
  std::uint64_t language = 0;
  /// Where the unit's own part of the tables begins; indices (strx, addrx, rnglistx) count from
  /// there.
  std::uint64_t str_offsets_base = 0;
  std::uint64_t addr_base = 0;
  std::uint64_t rnglists_base = 0;
  /// DW_AT_GNU_ranges_base: applies to the DIEs of the split unit, not to the skeleton's own
  /// DW_AT_ranges.
  std::uint64_t split_ranges_base = 0;
  std::uint64_t ranges_base = 0;  ///< Of a split unit: its skeleton's split_ranges_base; else 0

  /// Whether the DIEs are in another file (split.h). By the attribute, since DWARF 4 has no type of
  /// unit for it.
  bool IsSkeleton() const { return dwo_name.form != 0; }
  /// Offset in .debug_info of the next unit.
  std::uint64_t end() const { return offset + size; }
};

/// Any unit header fits into this many bytes. The longest one, of a type unit in 64-bit DWARF 5,
/// has 40.
inline constexpr std::uint64_t kMaxUnitHeader = 48;

/// Reads the header at the front of `bytes` (kMaxUnitHeader bytes, or less at the end). The unit
/// begins at `offset` of the section, which has `left` bytes from there. nullopt: this and all
/// following units cannot be read, because the length is damaged. A unit whose length is valid, but
/// whose version or format is unknown, has version 0: callers step over it.
std::optional<Unit> ReadUnitHeader(Bytes bytes, std::uint64_t offset, std::uint64_t left);

/// Reads the root DIE into `unit`. `die` begins behind the unit header, `abbreviations` is all of
/// .debug_abbrev (or, with unit.abbreviations set to fit, a part of it). Returns false if the DIE
/// or its abbreviation is damaged or not wholly in the bytes; callers then try more bytes. `cost`
/// is increased by the number of bytes of abbreviations that were read: callers limit the sum
/// (units.h).
bool ReadRoot(Unit& unit, Bytes die, Bytes abbreviations, std::uint64_t& cost);

}  // namespace csink::symbolizer::dwarf
