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

/// Walks over the units of .debug_info once and tells which of them has which address.
class UnitIndex {
 public:
  /// The feed stands at the unit's start and may take it. `numbers` are those of the addresses
  /// that no unit before claimed better.
  using Visit = std::function<void(const Unit&, InfoFeed&, std::span<const std::uint32_t> numbers)>;

  UnitIndex(const DwarfObject& object, Lookup& lookup, std::span<const std::uint64_t> vaddrs);

  /// `claimed` is called for units that have addresses, `rangeless` for those that do not say what
  /// they have, while some addresses are not claimed.
  void Walk(const Visit& claimed, const Visit& rangeless);

  /// After the walk: all units, sorted.
  const std::vector<UnitPlace>& places() const { return places_; }
  /// Addresses that no unit claims.
  std::vector<std::uint32_t> Unclaimed() const;

 private:
  std::vector<std::uint32_t> Claim(const std::vector<Range>& ranges);

  const DwarfObject& object_;
  Lookup& lookup_;
  std::span<const std::uint64_t> vaddrs_;
  std::vector<std::uint64_t> sizes_;  ///< Of the range that claimed it, per address
  std::vector<UnitPlace> places_;
  std::uint64_t cost_ = 0;    ///< Of abbreviations, in bytes
  std::uint64_t budget_ = 0;  ///< Of claims
};

/// What units cost, in bytes: a hole of terabytes in a sparse file is a list of units without end,
/// and every unit may have abbreviations of its own, where the root's is found soon.
inline constexpr std::uint64_t kCostOfUnit = 64;
inline constexpr std::uint64_t kMaxRootCost = 256 << 20;

/// Reads the root DIE of the compilation unit that the feed stands at. False: it is another kind of
/// unit, or damaged. `cost` grows by the bytes of abbreviations that were looked at.
bool ReadRootAhead(Unit& unit, InfoFeed& feed, const DwarfSection& abbreviations,
                   std::uint64_t& cost);

/// Finds the unit around an offset among sorted places; null: there is none.
const UnitPlace* PlaceAround(const std::vector<UnitPlace>& places, std::uint64_t offset);

}  // namespace csink::symbolizer::dwarf
