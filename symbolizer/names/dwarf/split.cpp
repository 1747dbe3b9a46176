#include "symbolizer/names/dwarf/split.h"

#include <dwarf.h>

#include <algorithm>
#include <array>
#include <optional>

#include "symbolizer/names/dwarf/feed.h"

/// File: a package has an index, a hash table from ids to the parts of each section that belong to
/// a unit. A .dwo file has one unit or a few; their headers, before DWARF 5 their root DIEs, are
/// compared with the id one by one.
///
/// A split unit has neither addresses nor a line program of its own: both stay in the program and
/// are reached through the skeleton (Complete).

namespace csink::symbolizer::dwarf {
namespace {

/// Where the contributions of one unit lie in the sections of a package: offsets and one size, in
/// bytes.
struct Contribution {
  std::uint64_t info = 0, info_size = 0, abbrev = 0, str_offsets = 0, rnglists = 0;
};

// Section identifiers: DWARF 5, 7.3.5.3, table 7.1. The GNU package format of DWARF 4 has the same
// numbers for these sections.
enum : std::uint32_t { kSectInfo = 1, kSectAbbrev = 3, kSectStrOffsets = 6, kSectRnglists = 8 };

/// Looks up an id in .debug_cu_index (DWARF 5, 7.3.5.3): a hash table of 64-bit ids with open
/// addressing, whose second hash is the upper half of the id.
std::optional<Contribution> LookUp(Bytes index, std::uint64_t id) {
  ByteReader reader(index);
  reader.U32();  // 2, or 5 with two bytes of padding
  const std::uint64_t columns = reader.U32();
  const std::uint64_t units = reader.U32();
  const std::uint64_t slots = reader.U32();
  const Bytes ids = reader.Take(slots * 8);
  const Bytes rows = reader.Take(slots * 4);
  const Bytes kinds = reader.Take(columns * 4);
  const Bytes offsets = reader.Take(units * columns * 4);
  const Bytes sizes = reader.Take(units * columns * 4);
  // The number of slots is a power of two (7.3.5.3), which the masks below need.
  if (!reader.ok() || slots == 0 || (slots & (slots - 1)) != 0) return std::nullopt;
  const auto u32 = [](Bytes bytes, std::uint64_t i) {
    return ByteReader(Part(bytes, i * 4, 4)).U32();
  };
  std::uint64_t slot = id & (slots - 1);
  const std::uint64_t step = ((id >> 32) & (slots - 1)) | 1;
  std::uint64_t row = 0;
  // A damaged table may have no free slot, so the number of probes is limited.
  for (std::uint64_t tries = 0; tries < slots; ++tries) {
    row = u32(rows, slot);
    if (row == 0) return std::nullopt;
    if (ByteReader(Part(ids, slot * 8, 8)).U64() == id) break;
    row = 0;
    slot = (slot + step) & (slots - 1);
  }
  if (row == 0 || row > units) return std::nullopt;
  Contribution found;
  for (std::uint64_t column = 0; column < columns; ++column) {
    const std::uint64_t cell = (row - 1) * columns + column;
    const std::uint32_t kind = u32(kinds, column);
    if (kind == kSectInfo) found.info = u32(offsets, cell), found.info_size = u32(sizes, cell);
    if (kind == kSectAbbrev) found.abbrev = u32(offsets, cell);
    if (kind == kSectStrOffsets) found.str_offsets = u32(offsets, cell);
    if (kind == kSectRnglists) found.rnglists = u32(offsets, cell);
  }
  return found;
}

/// Sets what a split unit takes from its skeleton unit, and the bases of its own tables.
void Complete(Unit& unit, const Unit& skeleton, const Contribution& at) {
  unit.addr_base = skeleton.addr_base;
  unit.ranges_base = skeleton.split_ranges_base;
  unit.stmt_list = skeleton.stmt_list;
  unit.base = skeleton.base;
  unit.str_offsets_base = at.str_offsets;
  unit.rnglists_base = at.rnglists;
  if (unit.encoding.version < 5) return;
  // The tables begin behind their headers (DWARF 5, 7.26 and 7.28).
  const bool is_64bit = unit.encoding.offset_bytes == 8;
  unit.str_offsets_base += is_64bit ? 16 : 8;
  unit.rnglists_base += is_64bit ? 20 : 12;
}

/// Reads the header and root at `found.bytes`.
bool ReadFront(SplitUnit& found, std::uint64_t offset, std::uint64_t abbreviations) {
  const auto unit = ReadUnitHeader(found.bytes, offset, found.bytes.size());
  if (!unit || unit->encoding.version == 0) return false;
  found.unit = *unit;
  // Offsets in the header count from the unit's own part of the section.
  found.unit.abbreviations += abbreviations;
  std::uint64_t cost = 0;
  return ReadRoot(found.unit, Part(found.bytes, unit->header_bytes, found.bytes.size()),
                  found.object->abbrev.Whole(), cost);
}

}  // namespace

bool SplitUnits::FindInPackage(const Unit& skeleton, std::uint64_t id, SplitUnit& found) {
  if (!has_asked_package_) {
    has_asked_package_ = true;
    if (auto file = files_.Package()) {
      package_ = std::make_shared<DwarfObject>(file, ".dwo");
      package_index_ = file->ReadDebugSection("cu_index");
      objects_.push_back(package_);
    }
  }
  if (!package_) return false;
  const auto at = LookUp(package_index_.bytes(), id);
  if (!at) return false;
  found.object = package_;
  found.bytes = TakeInfo(package_->info, at->info, at->info_size, found.room);
  if (!ReadFront(found, at->info, at->abbrev) || found.unit.id != id) return false;
  Complete(found.unit, skeleton, *at);
  return true;
}

bool SplitUnits::FindInObject(const Unit& skeleton, std::uint64_t id, SplitUnit& found) {
  const DwarfSection& info = found.object->info;
  std::uint64_t offset = 0;
  // Type units have no functions with code and no dwo_id.
  while (offset < info.size()) {
    Buffer front;
    const std::uint64_t left = info.size() - offset;
    const Bytes bytes = TakeInfo(info, offset, std::min(left, kMaxUnitHeader), front);
    const auto unit = ReadUnitHeader(bytes, offset, left);
    if (!unit || unit->size == 0) return false;
    const bool is_type = unit->type == DW_UT_type || unit->type == DW_UT_split_type;
    if (unit->encoding.version != 0 && !is_type) {
      found.bytes = TakeInfo(info, offset, unit->size, found.room);
      if (ReadFront(found, offset, 0) && found.unit.id == id) {
        Complete(found.unit, skeleton, {});
        return true;
      }
    }
    offset += unit->size;
  }
  return false;
}

bool SplitUnits::Find(const Unit& skeleton, const SplitName& name, SplitUnit& found) {
  const std::lock_guard lock(mutex_);
  if (FindInPackage(skeleton, name.id, found)) return true;
  const auto file = files_.Split(name);
  if (!file) return false;
  found.object = std::make_shared<DwarfObject>(file, ".dwo");
  if (!FindInObject(skeleton, name.id, found)) return false;
  objects_.push_back(found.object);
  return true;
}

void SplitUnits::Release(const SplitUnit& unit) {
  const std::lock_guard lock(mutex_);
  if (unit.object != package_) unit.object->file.reset();
}

}  // namespace csink::symbolizer::dwarf
