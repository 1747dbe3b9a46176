#include "symbolizer/names/dwarf/units.h"

#include <dwarf.h>

#include <algorithm>
#include <limits>

/// File: for each unit, reads header and root DIE (512 bytes suffice for most), looks up its
/// ranges, and compares them with the sorted addresses. The smallest range of an address wins,
/// because an address may be in the ranges of several units (COMDAT functions). Equal ranges go to
/// the first unit.

namespace csink::symbolizer::dwarf {
namespace {

constexpr std::uint64_t kUnclaimed = std::numeric_limits<std::uint64_t>::max();
/// Bytes of a unit that are read to find its root DIE: first the size that is enough for most
/// units, then at most the second.
constexpr std::uint64_t kFrontBytes = 512;
constexpr std::uint64_t kMaxFrontBytes = 64 << 10;
/// How many claims each address may receive before the work is cut off: in a damaged file every
/// unit may cover every address.
constexpr std::uint64_t kClaimsOfEach = 1024;

}  // namespace

UnitIndex::UnitIndex(const DwarfObject& object, Lookup& lookup,
                     std::span<const std::uint64_t> vaddrs)
    : object_(object),
      lookup_(lookup),
      vaddrs_(vaddrs),
      sizes_(vaddrs.size(), kUnclaimed),
      budget_((1 << 20) + vaddrs.size() * kClaimsOfEach) {}

bool ReadRootAhead(Unit& unit, InfoFeed& feed, const DwarfSection& abbreviations,
                   std::uint64_t& cost) {
  if (unit.encoding.version == 0 || unit.size > std::numeric_limits<std::uint32_t>::max()) {
    return false;
  }
  if (unit.type != DW_UT_compile && unit.type != DW_UT_skeleton) return false;
  for (std::uint64_t want = kFrontBytes; want <= kMaxFrontBytes; want *= 16) {
    const Bytes front = Part(feed.Peek(std::min(want, unit.size)), 0, unit.size);
    const Bytes die = Part(front, unit.header_bytes, front.size());
    if (ReadRoot(unit, die, abbreviations.Whole(), cost)) {
      return unit.root_tag == DW_TAG_compile_unit || unit.root_tag == DW_TAG_skeleton_unit;
    }
    // The whole unit was tried.
    if (want >= unit.size) break;
  }
  return false;
}

std::vector<std::uint32_t> UnitIndex::Claim(const std::vector<Range>& ranges) {
  std::vector<std::uint32_t> numbers;
  for (const Range& range : ranges) {
    const std::uint64_t size = range.high - range.low;
    auto i = static_cast<std::size_t>(std::lower_bound(vaddrs_.begin(), vaddrs_.end(), range.low) -
                                      vaddrs_.begin());
    for (; i < vaddrs_.size() && vaddrs_[i] < range.high && budget_ != 0; ++i, --budget_) {
      if (size >= sizes_[i]) continue;
      sizes_[i] = size;
      numbers.push_back(static_cast<std::uint32_t>(i));
    }
  }
  std::sort(numbers.begin(), numbers.end());
  // Overlapping ranges of one unit may claim an address twice.
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

void UnitIndex::Walk(const Visit& claimed, const Visit& rangeless) {
  InfoFeed feed(object_.info);
  while (feed.left() != 0 && cost_ < kMaxRootCost) {
    const std::uint64_t offset = feed.offset();
    auto unit = ReadUnitHeader(feed.Peek(kMaxUnitHeader), offset, feed.left());
    if (!unit || unit->size == 0) return;
    // Units that cannot be used have a place, too: the list has every unit of the section.
    places_.push_back({.offset = offset, .size = unit->size});
    cost_ += kCostOfUnit;
    if (ReadRootAhead(*unit, feed, object_.abbrev, cost_)) {
      if (unit->stmt_list) places_.back().lines = unit->stmt_list.number;
      lookup_.SetBase(*unit);
      const auto& ranges = lookup_.Ranges(*unit, unit->low_pc, unit->high_pc, unit->ranges);
      if (!ranges.empty()) {
        const auto numbers = Claim(ranges);
        if (!numbers.empty()) claimed(*unit, feed, numbers);
      } else if (!unit->ranges && !unit->high_pc) {
        const auto numbers = Unclaimed();
        if (!numbers.empty()) rangeless(*unit, feed, numbers);
      }
    }
    // The callback may have consumed the unit.
    if (feed.offset() < unit->end() && !feed.Skip(unit->end() - feed.offset())) return;
  }
}

std::vector<std::uint32_t> UnitIndex::Unclaimed() const {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    if (sizes_[i] == kUnclaimed) numbers.push_back(static_cast<std::uint32_t>(i));
  }
  return numbers;
}

}  // namespace csink::symbolizer::dwarf
