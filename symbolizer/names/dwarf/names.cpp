#include "symbolizer/names/dwarf/names.h"

#include <dwarf.h>

#include <algorithm>

/// File: a name is followed from DIE to DIE by DW_AT_abstract_origin and DW_AT_specification until
/// a linkage name is found. A short name is kept on the way; the one nearest to the start wins. The
/// scopes are those of the last DIE of the chain, because a concrete function lies outside the
/// namespace or class in which it was declared.

namespace csink::symbolizer::dwarf {
namespace {

/// Longest chain of scopes that is followed; no program nests so deep.
constexpr std::size_t kMaxScopes = 64;

/// Demanglers write an anonymous namespace in the same way.
const char* Unnamed(std::uint16_t tag) {
  return tag == DW_TAG_namespace ? "(anonymous namespace)" : "{unnamed}";
}

/// Whether DW_AT_name already contains the scopes: GNAT writes package__procedure.
bool HasFullNames(const Unit& unit) {
  return unit.language == DW_LANG_Ada83 || unit.language == DW_LANG_Ada95 ||
         unit.language == kLanguageAda2005 || unit.language == kLanguageAda2012;
}

}  // namespace

/// All attributes are read, wanted or not: DIEs that need a name are few.
std::optional<UnitNames::Names> UnitNames::Read(std::uint64_t offset) const {
  ByteReader reader(Part(context_.bytes, offset, context_.bytes.size()));
  const Abbreviation* abbreviation = context_.table.Find(reader.Uleb());
  if (abbreviation == nullptr || !reader.ok()) return std::nullopt;
  Names found;
  found.tag = abbreviation->tag;
  for (const AttributeSpec& attribute : context_.table.Attributes(*abbreviation)) {
    const Value value =
        ReadValue(reader, attribute.form, attribute.implicit, context_.unit.encoding);
    if (!reader.ok()) return std::nullopt;
    switch (attribute.name) {
      case DW_AT_name:
        found.name = value;
        break;
      case DW_AT_linkage_name:
      case DW_AT_MIPS_linkage_name:
        found.linkage = value;
        break;
      case DW_AT_abstract_origin:
      case DW_AT_specification:
        found.origin = value;
        break;
      default:
        break;
    }
  }
  return found;
}

DieKey UnitNames::Target(const Value& reference) const {
  switch (reference.form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
      // These forms count from the unit's start and cannot leave the unit (DWARF 5, 7.5.5).
      if (reference.number >= context_.unit.size) return {};
      return {&context_.object, context_.unit.offset + reference.number};
    case DW_FORM_ref_addr:
      return {&context_.object, reference.number};
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_ref_sup4:
    case DW_FORM_ref_sup8:
      return {context_.alternate, reference.number};
    default:
      return {};
  }
}

std::string UnitNames::Text(const Value& value) {
  if (IsAlternateText(value.form)) {
    return context_.alternate_lookup ? context_.alternate_lookup->TextAt(value.number)
                                     : std::string();
  }
  return context_.lookup.Text(context_.unit, value);
}

RawName UnitNames::Find(std::uint64_t offset) {
  RawName result;
  for (int link = 0; link < kMaxOrigins; ++link) {
    const auto names = Read(offset);
    if (!names) return result;
    if (names->linkage) result.linkage = Text(names->linkage);
    // A linkage name says everything; scopes are not needed.
    if (!result.linkage.empty()) return result;
    if (names->name && result.name.empty()) result.name = Text(names->name);
    if (!names->origin) break;
    const DieKey next = Target(names->origin);
    if (next.object == nullptr) break;
    if (!IsHere(next)) {
      result.next = next;
      return result;
    }
    offset = next.offset - context_.unit.offset;
  }
  if (!result.name.empty() && !HasFullNames(context_.unit)) {
    result.name = ScopeAround(offset) + result.name;
  }
  return result;
}

std::string UnitNames::ShortName(std::uint64_t offset) {
  std::uint16_t tag = 0;
  for (int link = 0; link < kMaxOrigins; ++link) {
    const auto names = Read(offset);
    if (!names) return {};
    if (tag == 0) tag = names->tag;
    if (names->name) return Text(names->name);
    if (!names->origin) break;
    const DieKey next = Target(names->origin);
    if (!IsHere(next)) break;
    offset = next.offset - context_.unit.offset;
  }
  return Unnamed(tag);
}

std::string UnitNames::ScopeAround(std::uint64_t offset) {
  const auto& scopes = context_.scopes;
  // The first scope that does not begin before `offset`: a DIE is not its own scope.
  const auto behind =
      std::lower_bound(scopes.begin(), scopes.end(), offset,
                       [](const Scope& scope, auto wanted) { return scope.start < wanted; });
  auto index = static_cast<std::uint32_t>(behind - scopes.begin()) - 1;
  // The last scope that begins before `offset` may end before it, too. Then one of its outer scopes
  // contains `offset`.
  while (index != kNone && scopes[index].end <= offset) index = scopes[index].outer;
  return index == kNone ? std::string() : ScopeName(index);
}

const std::string& UnitNames::ScopeName(std::uint32_t index) {
  // From the scope outwards to the first one whose name is known, then back inwards. Not recursive,
  // because nesting in a damaged unit has no limit but kMaxScopes.
  std::vector<std::uint32_t> missing;
  std::uint32_t at = index;
  while (at != kNone && !scope_names_.contains(at) && missing.size() < kMaxScopes) {
    missing.push_back(at);
    at = context_.scopes[at].outer;
  }
  const auto known = scope_names_.find(at);
  std::string around = known != scope_names_.end() ? known->second : std::string();
  while (!missing.empty()) {
    around += ShortName(context_.scopes[missing.back()].start) + "::";
    if (around.size() > kMaxTextBytes) around.resize(kMaxTextBytes);
    scope_names_[missing.back()] = around;
    missing.pop_back();
  }
  return scope_names_.at(index);
}

}  // namespace csink::symbolizer::dwarf
