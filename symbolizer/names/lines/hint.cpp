#include "symbolizer/names/lines/hint.h"

#include <algorithm>
#include <optional>

#include "symbolizer/names/dwarf/section.h"
#include "symbolizer/names/dwarf/unit.h"

/// File: .debug_aranges has a set of address ranges for each unit of .debug_info. The sets are
/// compared with the addresses; for the units that match, the root DIE gives the offset of the line
/// table (DW_AT_stmt_list). Root DIE and abbreviation are read in small pieces, not whole sections.

namespace csink::symbolizer {
namespace {

using dwarf::DwarfSection;
using dwarf::SectionWindow;

/// Bytes that are read of a unit: header and root DIE.
constexpr std::uint64_t kUnitFrontBytes = 512;
/// GCC sorts abbreviations by frequency of use, so that the root's abbreviation is far from the
/// start of the table.
constexpr std::uint64_t kAbbreviationBytes = 16 << 10;
constexpr std::uint64_t kMostAbbreviationBytes = 256 << 10;
/// Limit for the bytes of abbreviations that are read for the hint, over all units.
constexpr std::uint64_t kMostCost = 32 << 20;

/// The header of one set of .debug_aranges (6.1.2 and 7.21). After ReadHead the reader stands at
/// the first pair.
struct SetHead {
  std::uint64_t unit = 0;  ///< Offset in .debug_info
  std::size_t address_bytes = 0;
};

/// `length_bytes`: size of the length field, which lies before the reader's bytes. nullopt: a
/// version or format that is not known.
std::optional<SetHead> ReadHead(ByteReader& reader, bool is_64bit, std::size_t length_bytes) {
  SetHead head;
  const std::uint16_t version = reader.U16();
  head.unit = reader.Unsigned(is_64bit ? 8 : 4);
  head.address_bytes = reader.U8();
  const bool has_segments = reader.U8() != 0;
  if (version != 2 || has_segments || (head.address_bytes != 4 && head.address_bytes != 8)) {
    return std::nullopt;
  }
  const std::size_t pair = 2 * head.address_bytes;
  // Pairs are aligned to their own size, counted from the start of the set.
  reader.Skip((pair - (length_bytes + reader.offset()) % pair) % pair);
  return head;
}

/// Whether one of the pairs (start, size) of a set covers an address. A pair of zeros ends the set
/// and covers nothing.
bool HasAddress(ByteReader& pairs, std::size_t bytes, std::span<const std::uint64_t> vaddrs) {
  while (pairs.left() >= 2 * bytes) {
    const std::uint64_t low = pairs.Unsigned(bytes);
    const std::uint64_t size = pairs.Unsigned(bytes);
    const auto first = std::lower_bound(vaddrs.begin(), vaddrs.end(), low);
    if (first != vaddrs.end() && *first - low < size) return true;
  }
  return false;
}

/// Offsets of the units in .debug_info that claim one of the addresses.
std::vector<std::uint64_t> ClaimingUnits(Bytes aranges, std::span<const std::uint64_t> vaddrs) {
  std::vector<std::uint64_t> units;
  ByteReader section(aranges);
  while (!section.AtEnd()) {
    std::uint64_t length = section.U32();
    const bool is_64bit = length == 0xffffffff;
    if (is_64bit) length = section.U64();
    ByteReader set(section.Take(length));
    const auto head = ReadHead(set, is_64bit, is_64bit ? 12 : 4);
    if (head && HasAddress(set, head->address_bytes, vaddrs)) units.push_back(head->unit);
  }
  return units;
}

/// Reads DW_AT_stmt_list of units.
class LinesOfUnits {
 public:
  explicit LinesOfUnits(const ElfFile& file)
      : info_(file, "info"),
        abbrev_(file, "abbrev"),
        fronts_(info_, kUnitFrontBytes),
        abbreviations_(abbrev_, kAbbreviationBytes) {}

  bool CanRead() const { return info_.IsOnDisk() && abbrev_.IsOnDisk(); }

  std::optional<std::uint64_t> Of(std::uint64_t offset) {
    if (offset >= info_.size()) return std::nullopt;
    const Bytes front = fronts_.At(offset, std::min(kUnitFrontBytes, info_.size() - offset));
    auto unit = dwarf::ReadUnitHeader(front, offset, info_.size() - offset);
    if (!unit || unit->encoding.version == 0) return std::nullopt;
    const Bytes die = Part(front, unit->header_bytes, front.size());
    const std::uint64_t table = unit->abbreviations;
    // ReadRoot is given a part of .debug_abbrev that begins with the unit's table.
    unit->abbreviations = 0;
    // Reads more of the table only if the root's abbreviation was not in the part before.
    for (std::uint64_t want = kAbbreviationBytes; want <= kMostAbbreviationBytes; want *= 4) {
      if (cost_ > kMostCost) break;
      if (dwarf::ReadRoot(*unit, die, abbreviations_.At(table, want), cost_)) break;
      // The attempt may have failed behind the attribute.
      unit->stmt_list = {};
    }
    if (unit->stmt_list.form == 0) return std::nullopt;
    return unit->stmt_list.number;
  }

 private:
  DwarfSection info_;
  DwarfSection abbrev_;
  SectionWindow fronts_;
  SectionWindow abbreviations_;
  std::uint64_t cost_ = 0;
};

}  // namespace

std::vector<HintedUnit> HintedLineUnits(const ElfFile& file,
                                        std::span<const std::uint64_t> vaddrs) {
  LinesOfUnits lines(file);
  // Compressed sections would have to be inflated as a whole, which costs more than the hint saves.
  if (!lines.CanRead()) return {};
  const Buffer aranges = file.ReadDebugSection("aranges");
  std::vector<HintedUnit> units;
  for (const std::uint64_t unit : ClaimingUnits(aranges.bytes(), vaddrs)) {
    if (const auto offset = lines.Of(unit)) units.push_back({*offset, unit});
  }
  // Stable: of several units with one line table the first stays.
  std::stable_sort(units.begin(), units.end(),
                   [](const HintedUnit& a, const HintedUnit& b) { return a.lines < b.lines; });
  const auto is_same = [](const HintedUnit& a, const HintedUnit& b) { return a.lines == b.lines; };
  units.erase(std::unique(units.begin(), units.end(), is_same), units.end());
  return units;
}

}  // namespace csink::symbolizer
