#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "symbolizer/names/dwarf/lookup.h"

namespace csink::symbolizer::dwarf {

/// "None" for offsets in a unit and for indices: units of 4 GiB are not read (units.cpp).
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// An inlined function (DW_TAG_inlined_subroutine; DWARF 5, 3.3.8.2) that covers one of the
/// addresses.
struct InlineRecord {
  /// Index of the record it was inlined into; kNone: into the function itself
  std::uint32_t outer = kNone;
  /// Line and file of the call (DW_AT_call_line, DW_AT_call_file). The file is an index into the
  /// file table of the unit's line program. 0: unknown.
  std::uint32_t call_line = 0;
  std::uint64_t call_file = 0;
  /// DW_AT_abstract_origin: the DIE that has the name.
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

/// A DIE whose name may be part of the names of DIEs inside it (namespace, type, function). Offsets
/// are from the unit's start.
struct Scope {
  std::uint32_t start = 0;
  std::uint32_t end = 0;        ///< Behind its children
  std::uint32_t outer = kNone;  ///< Index of the enclosing scope
};

/// The result of ScanUnit. Names are not read by the pass; UnitNames reads those of the DIEs that
/// it found.
struct ScanResult {
  std::vector<PcRecord> pcs;  ///< One per address
  /// Outer ones before inner ones, so that `outer` is always a smaller index
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
///
/// `bytes` is the unit with its header, `table` its abbreviations, `lookup` the one for its object;
/// `pcs` may be empty, if only the scopes are wanted. A damaged unit gives what was found before
/// the damage. The work for one unit is limited to 4 Mi matches of DIEs with addresses, and 4096
/// more for each address.
ScanResult ScanUnit(const Unit& unit, Bytes bytes, const AbbreviationTable& table, Lookup& lookup,
                    std::span<const std::uint64_t> pcs);

}  // namespace csink::symbolizer::dwarf
