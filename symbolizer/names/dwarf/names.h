#pragma once

#include <dwarf.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbolizer/names/dwarf/scan.h"

namespace csink::symbolizer::dwarf {

/// Identifies a DIE in any of the files that hold a module's debug information: the module, its
/// split units, the supplementary file.
struct DieKey {
  const DwarfObject* object = nullptr;  ///< Null: none
  std::uint64_t offset = 0;             ///< In .debug_info
  bool operator==(const DieKey&) const = default;
};
/// Mixes both members; the constant is 2^64 divided by the golden ratio, which spreads neighbouring
/// offsets.
struct DieKeyHash {
  std::size_t operator()(const DieKey& key) const {
    return std::hash<const void*>()(key.object) ^ (key.offset * 0x9e3779b97f4a7c15u);
  }
};

/// Whether the string is in the supplementary file that dwz wrote; Lookup::TextAt of that file
/// reads it.
inline bool IsAlternateText(std::uint16_t form) {
  return form == DW_FORM_GNU_strp_alt || form == DW_FORM_strp_sup;
}

/// The names of a function as far as one unit has them.
struct RawName {
  std::string linkage;  ///< Mangled; empty: none
  std::string name;     ///< Short name, with the names of its scopes before it
  DieKey next;          ///< The DIE in another unit that has the rest of the names
  /// The result after all units were read: the demangled name, and the linkage name it was made
  /// from.
  bool is_shown = false;
  std::string shown;
};

/// Longest chain of DW_AT_abstract_origin and DW_AT_specification that is followed. Compilers write
/// at most four links; a damaged file may have a loop.
inline constexpr int kMaxOrigins = 16;

/// Finds the names of DIEs in one unit whose bytes are in memory.
///
/// The name of a concrete or inlined function is usually not in its own DIE: DW_AT_abstract_origin
/// and DW_AT_specification lead to the DIE that has it (DWARF 5, 3.3.8 and 2.13.2), in this unit or
/// another one. GCC writes no linkage name for functions with internal linkage. Their name is then
/// built from the enclosing namespaces, types and functions.
/// Owns:    the names of scopes that were put together so far.
/// Threads: one.
class UnitNames {
 public:
  /// What belongs to the unit. Everything must outlive the UnitNames.
  struct Context {
    const DwarfObject& object;
    const DwarfObject* alternate;  ///< May be null
    /// With the bases of its tables
    const Unit& unit;
    /// The whole unit with its header
    Bytes bytes;
    const AbbreviationTable& table;
    Lookup& lookup;
    Lookup* alternate_lookup;  ///< Null where `alternate` is
    /// Of the unit, from ScanUnit; empty: names get no scopes
    const std::vector<Scope>& scopes;
  };
  explicit UnitNames(const Context& context) : context_(context) {}

  /// The names of the DIE at `offset` (from the unit's start): its linkage name if there is one,
  /// else its short name behind those of its scopes. If the chain of references leads to another
  /// unit, `next` says where to go on. All empty if there is no DIE.
  RawName Find(std::uint64_t offset);
  /// The DIE that a reference points to. No DIE for DW_FORM_ref_sig8 (type units are not searched),
  /// for a reference out of the unit that must be inside, and for other forms. The offset itself is
  /// not checked.
  DieKey Target(const Value& reference) const;
  /// Whether the DIE lies in this unit.
  bool IsHere(const DieKey& key) const {
    return key.object == &context_.object && key.offset >= context_.unit.offset &&
           key.offset < context_.unit.end();
  }

 private:
  /// The attributes of one DIE that its name depends on.
  struct Names {
    Value linkage, name, origin;
    std::uint16_t tag = 0;
  };
  /// nullopt: no DIE can be read at the offset.
  std::optional<Names> Read(std::uint64_t offset) const;
  /// A string, from this file or the supplementary one.
  std::string Text(const Value& value);
  /// The short name of a scope, or what stands for it if it has none.
  std::string ShortName(std::uint64_t offset);
  /// "outer::inner::" for the innermost scope around a DIE; "" for none.
  std::string ScopeAround(std::uint64_t offset);
  /// The same for a scope itself, with its own name at the end.
  const std::string& ScopeName(std::uint32_t index);

  Context context_;
  /// Names of scopes with their outer scopes, by index; filled on demand.
  std::unordered_map<std::uint32_t, std::string> scope_names_;
};

}  // namespace csink::symbolizer::dwarf
