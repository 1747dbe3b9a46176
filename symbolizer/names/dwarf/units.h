#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "symbolizer/names/dwarf/feed.h"
#include "symbolizer/names/dwarf/lookup.h"

namespace csink::symbolizer::dwarf {

/// Where a unit lies in .debug_info, and its line table in .debug_line (kNoLines: none). Offsets
/// and sizes in bytes.
struct UnitPlace {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t lines = kNoLines;
};

/// Walks once over the units of .debug_info and finds the unit of each address, by the ranges in
/// the units' root DIEs. .debug_aranges is not used: compilers omit it or leave it incomplete.
/// Owns:    nothing of the object, the lookup or the addresses; they must outlive it.
/// Threads: one.
class UnitIndex {
 public:
  /// Called for a unit at which the feed stands; the callback may consume the unit, or leave it to
  /// be skipped. `numbers` are the indices of the addresses for which no earlier unit had a smaller
  /// range. A later unit may still have a smaller one: of several calls for an address, the last
  /// one counts.
  using Visit = std::function<void(const Unit&, InfoFeed&, std::span<const std::uint32_t> numbers)>;

  /// `vaddrs` is sorted.
  UnitIndex(const DwarfObject& object, Lookup& lookup, std::span<const std::uint64_t> vaddrs);

  /// Calls `claimed` for units whose ranges cover addresses. While there are unclaimed addresses,
  /// also calls `rangeless` for units that have no ranges, with these addresses: such a unit may
  /// contain any of them. Call it once.
  void Walk(const Visit& claimed, const Visit& rangeless);

  /// After the walk: all units up to the first damaged one, sorted by offset.
  const std::vector<UnitPlace>& places() const { return places_; }
  /// Indices of the addresses that no unit claims.
  std::vector<std::uint32_t> Unclaimed() const;

 private:
  /// Claims the addresses in the ranges; returns those for which this unit is now the best.
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

/// Reads the root DIE of the compilation unit at which the feed stands, and does not consume it.
/// Returns false if it is a unit of another type (types, partial units: neither has code of its
/// own), damaged, or of 4 GiB and more. `cost` is increased by the number of bytes of abbreviations
/// that were read.
bool ReadRootAhead(Unit& unit, InfoFeed& feed, const DwarfSection& abbreviations,
                   std::uint64_t& cost);

}  // namespace csink::symbolizer::dwarf
