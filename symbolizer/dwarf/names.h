#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbolizer/dwarf/scan.h"

namespace csink::symbolizer::dwarf {

/// Identifies a DIE in any of the files that hold a module's debug information.
struct DieKey {
  const DwarfObject* object = nullptr;  ///< Null: none
  std::uint64_t offset = 0;             ///< In .debug_info
  bool operator==(const DieKey&) const = default;
};
struct DieKeyHash {
  std::size_t operator()(const DieKey& key) const {
    return std::hash<const void*>()(key.object) ^ (key.offset * 0x9e3779b97f4a7c15u);
  }
};

/// Whether the string is in the supplementary file that dwz wrote.
inline bool IsAlternateText(std::uint16_t form) {
  return form == kFormGnuStrpAlt || form == kFormStrpSup;
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
/// GCC writes no linkage name for functions with internal linkage. Their name is then built from
/// the enclosing namespaces, types and functions.
/// Threads: one.
class UnitNames {
 public:
  struct Context {
    const DwarfObject& object;
    const DwarfObject* alternate;  ///< May be null
    const Unit& unit;
    Bytes bytes;
    const AbbreviationTable& table;
    Lookup& lookup;
    Lookup* alternate_lookup;  ///< Null where `alternate` is
    const std::vector<Scope>& scopes;
  };
  explicit UnitNames(const Context& context) : context_(context) {}

  /// `offset` is from the unit's start.
  RawName Find(std::uint64_t offset);
  /// The DIE that a reference points to. No DIE for DW_FORM_ref_sig8: type units are not searched.
  DieKey Target(const Value& reference) const;
  bool IsHere(const DieKey& key) const {
    return key.object == &context_.object && key.offset >= context_.unit.offset &&
           key.offset < context_.unit.end();
  }

 private:
  struct Names {
    Value linkage, name, origin;
    std::uint16_t tag = 0;
  };
  std::optional<Names> Read(std::uint64_t offset) const;
  std::string Text(const Value& value);
  std::string ShortName(std::uint64_t offset);
  std::string ScopeAround(std::uint64_t offset);
  const std::string& ScopeName(std::uint32_t index);

  Context context_;
  /// Names of scopes with their outer scopes, by index; filled on demand.
  std::unordered_map<std::uint32_t, std::string> scope_names_;
};

}  // namespace csink::symbolizer::dwarf
