#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "symbolizer/dwarf/feed.h"
#include "symbolizer/dwarf/lookup.h"

namespace csink::symbolizer::dwarf {

/// Where a unit lies in .debug_info, and its line table in .debug_line.
struct UnitPlace {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t lines = kNoLines;
};

/// Walks once over the units of .debug_info and finds the unit of each address.
/// Threads: one. Does not own the object, the lookup or the addresses.
class UnitIndex {
 public:
  /// Called for a unit at which the feed stands; the callback may consume the unit. `numbers` are
  /// the indices of the addresses for which no earlier unit had a smaller range.
  using Visit = std::function<void(const Unit&, InfoFeed&, std::span<const std::uint32_t> numbers)>;

  UnitIndex(const DwarfObject& object, Lookup& lookup, std::span<const std::uint64_t> vaddrs);

  /// Calls `claimed` for units whose ranges cover addresses. While there are unclaimed addresses,
  /// also calls `rangeless` for units that have no ranges.
  void Walk(const Visit& claimed, const Visit& rangeless);

  /// After the walk: all units, sorted by offset.
  const std::vector<UnitPlace>& places() const { return places_; }
  /// Indices of the addresses that no unit claims.
  std::vector<std::uint32_t> Unclaimed() const;

 private:
  std::vector<std::uint32_t> Claim(const std::vector<Range>& ranges);

  const DwarfObject& object_;
  Lookup& lookup_;
  std::span<const std::uint64_t> vaddrs_;
  std::vector<std::uint64_t> sizes_;  ///< Per address: size of the range that claimed it
  std::vector<UnitPlace> places_;
  std::uint64_t cost_ = 0;    ///< Bytes of abbreviations read so far
  std::uint64_t budget_ = 0;  ///< Of claims: bounds the work for overlapping ranges
};

/// Cost of one unit, and the total cost after which the walk ends, in bytes of abbreviations.
/// Limits the time for damaged files: a hole of terabytes in a sparse file reads as an endless list
/// of units, and every unit may have a large abbreviation table of its own.
inline constexpr std::uint64_t kCostOfUnit = 64;
inline constexpr std::uint64_t kMaxRootCost = 256 << 20;

/// Reads the root DIE of the compilation unit at which the feed stands. False: it is a unit of
/// another type, or damaged. `cost` is increased by the number of bytes of abbreviations that were
/// read.
bool ReadRootAhead(Unit& unit, InfoFeed& feed, const DwarfSection& abbreviations,
                   std::uint64_t& cost);

/// Finds the unit that contains `offset`; null: none does. `places` is sorted.
const UnitPlace* PlaceAround(const std::vector<UnitPlace>& places, std::uint64_t offset);

}  // namespace csink::symbolizer::dwarf
