#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "symbolizer/dwarf/lookup.h"

namespace csink::symbolizer::dwarf {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// An inlined function that covers one of the addresses.
struct InlineRecord {
  /// Index of the record it was inlined into; kNone: into the function itself
  std::uint32_t outer = kNone;
  std::uint32_t call_line = 0;
  std::uint64_t call_file = 0;
  Value origin;
};

/// What was found for one address.
struct PcRecord {
  std::uint32_t function = kNone;   ///< DIE of the function, from the unit's start; kNone: none
  std::uint32_t innermost = kNone;  ///< Index of an InlineRecord; kNone: nothing was inlined
  std::uint64_t start = 0;          ///< Start of the range of the function around the address
  std::uint64_t size = ~std::uint64_t{0};  ///< Of that range
  bool is_leaf = true;  ///< The function's DIE has no children; or no function was found
};

/// A DIE whose name may be part of the names of DIEs inside it. Offsets are from the unit's start.
struct Scope {
  std::uint32_t start = 0;
  std::uint32_t end = 0;        ///< Behind its children
  std::uint32_t outer = kNone;  ///< Index of the enclosing scope
};

struct ScanResult {
  std::vector<PcRecord> pcs;  ///< One per address
  std::vector<InlineRecord> inlines;
  std::vector<Scope> scopes;  ///< Sorted by start
};

/// One pass over a unit's DIEs for a sorted set of addresses. DWARF 2 units get a second pass if an
/// address is left.
///
/// The pass enters every DIE that may contain a function with code: GCC places the functions of
/// lambdas and local classes in types inside functions that have no code of their own. If several
/// functions cover an address, the one with the smallest range wins, among equal ranges the last
/// one; among inlined functions the last one wins.
/// `bytes` is the unit with its header. A damaged unit gives what was found before the damage.
ScanResult ScanUnit(const Unit& unit, Bytes bytes, const AbbreviationTable& table, Lookup& lookup,
                    std::span<const std::uint64_t> pcs);

}  // namespace csink::symbolizer::dwarf
