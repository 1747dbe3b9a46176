#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbolizer/dwarf/scan.h"

namespace csink::symbolizer::dwarf {

/// A DIE of one of the files that a module's debug information lies in.
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

/// Whether a text stands in the file that dwz moved it to.
inline bool IsAlternateText(std::uint16_t form) {
  return form == kFormGnuStrpAlt || form == kFormStrpSup;
}

/// What a function's DIEs call it, as far as one unit knows.
struct RawName {
  std::string linkage;  ///< Mangled; empty: none
  std::string name;     ///< Short, behind the names of its scopes
  DieKey next;          ///< Where the rest stands, in another unit
  /// The answer, once all units have been asked: demangled, and the linkage name it came from.
  bool is_shown = false;
  std::string shown;
};

/// How far a chain of origins and specifications is followed; real ones have four links.
inline constexpr int kMaxOrigins = 16;

/// Names of DIEs in one unit whose bytes are at hand.
///
/// GCC writes no linkage name for what has internal linkage; its name is then made from the
/// namespaces, types and functions that it stands in.
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
  /// The DIE that a reference leads to; none for a signature.
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
  /// With the scopes around them; of the few that are asked for.
  std::unordered_map<std::uint32_t, std::string> scope_names_;
};

}  // namespace csink::symbolizer::dwarf
