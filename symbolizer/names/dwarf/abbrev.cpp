#include "symbolizer/names/dwarf/abbrev.h"

#include <dwarf.h>

#include <algorithm>

/// File: reads a table of abbreviations and prepares three views of each entry: its role, its
/// attributes joined to steps, and, if possible, a leap over the whole DIE. The pass over a unit
/// (scan.cpp) visits many DIEs that share few abbreviations, so all work that depends on the
/// abbreviation alone is done here.

namespace csink::symbolizer::dwarf {
namespace {

/// Tables are kept for units that share one. The number limits the memory, because each thread has
/// a cache.
constexpr std::size_t kCachedTables = 8;

/// Tags whose children never contain a function with code: enumerators, bounds of arrays,
/// parameters.
bool CannotContainCode(std::uint16_t tag) {
  return tag == DW_TAG_enumeration_type || tag == DW_TAG_array_type ||
         tag == DW_TAG_subroutine_type || tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

/// DIEs whose name is put before the names of the functions inside ("space::Type::function").
bool IsScope(std::uint16_t tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
         tag == DW_TAG_union_type || tag == DW_TAG_interface_type || tag == DW_TAG_module;
}

/// The attributes of functions that the pass over a unit reads. Names are not among them: they are
/// read afterwards, for the few functions that were found (names.cpp).
bool IsWanted(std::uint16_t name) {
  return name == DW_AT_low_pc || name == DW_AT_high_pc || name == DW_AT_ranges ||
         name == DW_AT_sibling || name == DW_AT_abstract_origin || name == DW_AT_call_file ||
         name == DW_AT_call_line;
}

/// Scanner::Field reads sizes of 0, 1, 2, 4 and 8 directly; a field of 16 bytes goes the slow way.
std::uint8_t StepSize(std::optional<std::uint32_t> size) {
  return size && *size <= 8 ? static_cast<std::uint8_t>(*size) : Step::kVaries;
}

/// The role of DIEs with these attributes. A DIE has code if it has DW_AT_low_pc or DW_AT_ranges;
/// an inlined function without them has no code, but its children are still looked at.
Role RoleOf(const Abbreviation& abbreviation, std::span<const AttributeSpec> attributes) {
  bool has_code = false;
  bool is_declaration = false;
  for (const AttributeSpec& attribute : attributes) {
    has_code = has_code || attribute.name == DW_AT_low_pc || attribute.name == DW_AT_ranges;
    is_declaration = is_declaration || attribute.name == DW_AT_declaration;
  }
  if (abbreviation.tag == DW_TAG_inlined_subroutine) return has_code ? Role::kInline : Role::kPlain;
  if (abbreviation.tag == DW_TAG_subprogram) {
    if (has_code) return Role::kCode;
    // A declaration has no code inside. Without DW_AT_sibling, its children must be read to find
    // their end.
    if (is_declaration && abbreviation.has_sibling) return Role::kSkip;
    return Role::kAbstract;
  }
  if (CannotContainCode(abbreviation.tag) && abbreviation.has_sibling) return Role::kSkip;
  return IsScope(abbreviation.tag) ? Role::kScope : Role::kPlain;
}

}  // namespace

AbbreviationTable::AbbreviationTable(Bytes bytes, const Encoding& encoding) {
  ByteReader reader(bytes);
  while (!reader.AtEnd()) {
    Abbreviation abbreviation;
    abbreviation.code = reader.Uleb();
    if (abbreviation.code == 0) break;
    abbreviation.tag = static_cast<std::uint16_t>(reader.Uleb());
    abbreviation.has_children = reader.U8() != 0;
    abbreviation.first_attribute = static_cast<std::uint32_t>(attributes_.size());
    while (reader.ok()) {
      AttributeSpec attribute;
      attribute.name = static_cast<std::uint16_t>(reader.Uleb());
      attribute.form = static_cast<std::uint16_t>(reader.Uleb());
      if (attribute.form == DW_FORM_implicit_const) attribute.implicit = reader.Sleb();
      // Two zeros end the list (7.5.3).
      if (attribute.name == 0 && attribute.form == 0) break;
      abbreviation.has_sibling = abbreviation.has_sibling || attribute.name == DW_AT_sibling;
      attributes_.push_back(attribute);
    }
    if (!reader.ok()) break;
    abbreviation.attribute_count =
        static_cast<std::uint32_t>(attributes_.size()) - abbreviation.first_attribute;
    abbreviation.role = RoleOf(abbreviation, Attributes(abbreviation));
    has_code_ = has_code_ || abbreviation.role == Role::kCode;
    AddSteps(abbreviation, encoding);
    all_.push_back(abbreviation);
  }
  // Compilers number the codes 1, 2, 3, ... in order; other orders are valid.
  const auto by_code = [](const auto& a, const auto& b) { return a.code < b.code; };
  if (!std::is_sorted(all_.begin(), all_.end(), by_code)) {
    // Stable: if a damaged table has a code twice, the first entry is used.
    std::stable_sort(all_.begin(), all_.end(), by_code);
  }
  while (dense_count_ < all_.size() && all_[dense_count_].code == dense_count_ + 1) {
    leaps_.push_back(LeapOf(all_[dense_count_++]));
  }
}

/// How a DIE with this abbreviation can be stepped over: by its fixed length, or by DW_AT_sibling
/// if that is a DW_FORM_ref4 at a fixed position (what GCC and clang write).
Leap AbbreviationTable::LeapOf(const Abbreviation& abbreviation) const {
  const bool HasSiblingLink = abbreviation.has_children &&
                              abbreviation.sibling_form == DW_FORM_ref4 &&
                              abbreviation.sibling_at != Abbreviation::kNoSibling;
  // Functions with code are never leapt over. A scope or an abstract function with children must be
  // entered: code may be inside, and the scope must be recorded. Without children both are fixed.
  switch (abbreviation.role) {
    case Role::kCode:
      return {};
    case Role::kInline:
      if (!HasSiblingLink) return {};
      return {abbreviation.sibling_at, Leap::Kind::kInlined, true};
    case Role::kSkip:
      if (HasSiblingLink) return {abbreviation.sibling_at, Leap::Kind::kSibling, true};
      if (abbreviation.has_children) return {};
      break;
    case Role::kScope:
    case Role::kAbstract:
      if (abbreviation.has_children) return {};
      break;
    case Role::kPlain:
      break;
  }
  Leap leap{0, Leap::Kind::kFixed, abbreviation.has_children};
  for (const Step& step : Steps(abbreviation)) {
    // One field of unknown length, and the DIE has no fixed length.
    if (step.size == Step::kVaries && step.form != 0) return {};
    leap.bytes += step.bytes + (step.form != 0 ? step.size : 0);
  }
  return leap;
}

void AbbreviationTable::AddSteps(Abbreviation& abbreviation, const Encoding& encoding) {
  abbreviation.first_step = static_cast<std::uint32_t>(steps_.size());
  const bool is_read = abbreviation.role == Role::kCode || abbreviation.role == Role::kInline ||
                       abbreviation.role == Role::kSkip;
  Step step;
  std::optional<std::uint32_t> at = 0;  // Offset; nullopt after a field of variable length
  for (const AttributeSpec& attribute : Attributes(abbreviation)) {
    const auto size = FixedSize(attribute.form, encoding);
    const bool is_wanted = is_read && IsWanted(attribute.name);
    if (attribute.name == DW_AT_sibling && at) {
      abbreviation.sibling_at = *at;
      abbreviation.sibling_form = attribute.form;
      abbreviation.sibling_size = StepSize(size);
    }
    at = at && size ? std::optional(*at + *size) : std::nullopt;
    if (size && !is_wanted) {
      // Fields of known size that are not wanted are added up; a wanted field, or one of variable
      // length, closes the step.
      step.bytes += *size;
      continue;
    }
    step.form = attribute.form;
    step.wanted = is_wanted ? attribute.name : std::uint16_t{0};
    step.size = StepSize(size);
    step.implicit = attribute.implicit;
    steps_.push_back(step);
    step = Step();
  }
  if (step.bytes != 0) steps_.push_back(step);
  abbreviation.step_count = static_cast<std::uint32_t>(steps_.size()) - abbreviation.first_step;
}

const Abbreviation* AbbreviationTable::FindSparse(std::uint64_t code) const {
  const auto found = std::lower_bound(all_.begin(), all_.end(), code,
                                      [](const auto& a, auto wanted) { return a.code < wanted; });
  return found != all_.end() && found->code == code ? &*found : nullptr;
}

std::shared_ptr<const AbbreviationTable> AbbreviationCache::Get(std::uint64_t offset,
                                                                const Encoding& encoding) {
  for (const Entry& entry : entries_) {
    if (entry.offset == offset && entry.encoding == encoding) return entry.table;
  }
  auto table =
      std::make_shared<const AbbreviationTable>(Part(section_, offset, section_.size()), encoding);
  if (entries_.size() < kCachedTables) {
    entries_.push_back({offset, encoding, table});
  } else {
    entries_[next_++ % kCachedTables] = {offset, encoding, table};
  }
  return table;
}

}  // namespace csink::symbolizer::dwarf
