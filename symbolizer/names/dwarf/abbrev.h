#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "symbolizer/names/dwarf/form.h"

namespace csink::symbolizer::dwarf {

/// What the pass over a unit (scan.h) does at a DIE. Depends on the abbreviation alone, so that it
/// is decided once for each table and not for each DIE.
enum class Role : std::uint8_t {
  kPlain,     ///< Ignored, but its children may contain functions
  kSkip,      ///< Ignored together with its children, which DW_AT_sibling steps over
  kScope,     ///< A namespace or type: its name is part of its children's names
  kAbstract,  ///< A function without code of its own; its children may have code
  kCode,      ///< A function with code
  kInline,    ///< An inlined function
};

/// One attribute of an abbreviation as the table has it: what the attribute is (DW_AT_*), and how
/// its value is encoded (DW_FORM_*).
struct AttributeSpec {
  std::uint16_t name = 0;
  std::uint16_t form = 0;
  std::int64_t implicit = 0;  ///< Of DW_FORM_implicit_const
};

/// One step over a DIE's attributes: skip `bytes` bytes, then handle one field. The field is either
/// wanted, or has a length that only its own bytes tell (`form` 0: no field, the DIE ends).
struct Step {
  std::uint32_t bytes = 0;
  std::uint16_t form = 0;
  std::uint16_t wanted = 0;   ///< The attribute; 0: the field is only skipped
  std::uint8_t size = 0;      ///< Of the field; kVaries if only its bytes tell the length
  std::int64_t implicit = 0;  ///< The value of a form without bytes (DW_FORM_implicit_const)
  static constexpr std::uint8_t kVaries = 0xff;
};

/// How to step over a DIE that is of no interest without looking at its attributes one by one. Most
/// DIEs of a unit are types, variables and parameters; the length of their attributes is known from
/// the abbreviation.
struct Leap {
  enum class Kind : std::uint8_t {
    kNone,     ///< Not possible: the attributes must be read
    kFixed,    ///< The DIE has exactly `bytes` bytes
    kSibling,  ///< At `bytes`, four bytes (DW_AT_sibling, DW_FORM_ref4) say where its children end
    kInlined,  ///< As kSibling, but only if no function around the DIE has an address
  };
  std::uint32_t bytes = 0;  ///< Length of the attributes
  Kind kind = Kind::kNone;
  bool has_children = false;  ///< For kFixed
};

/// One entry of a table. `first_attribute` and `first_step` are indices into the table's lists, so
/// that an entry needs no memory of its own.
struct Abbreviation {
  /// The number by which DIEs refer to the entry
  std::uint64_t code = 0;
  /// DW_TAG_*
  std::uint16_t tag = 0;
  Role role = Role::kPlain;
  bool has_children = false;
  /// Has DW_AT_sibling, at any position
  bool has_sibling = false;
  std::uint32_t first_attribute = 0;
  std::uint32_t attribute_count = 0;
  std::uint32_t first_step = 0;
  std::uint32_t step_count = 0;
  /// Bytes from the first attribute to DW_AT_sibling; kNoSibling: none, or at no fixed position.
  std::uint32_t sibling_at = kNoSibling;
  std::uint16_t sibling_form = 0;
  std::uint8_t sibling_size = Step::kVaries;  ///< As Step::size
  static constexpr std::uint32_t kNoSibling = ~std::uint32_t{0};
};

/// One table of .debug_abbrev (DWARF 5, 7.5.3), prepared for units of one encoding: the sizes of
/// fields depend on the encoding. Several units may share a table.
/// Owns:    its entries; does not refer to `bytes` after construction.
/// Threads: immutable after construction, so threads may share it.
class AbbreviationTable {
 public:
  /// Reads the table at the front of `bytes`. A damaged table ends at the damage; DIEs with a code
  /// behind the damage end the pass over their unit.
  AbbreviationTable(Bytes bytes, const Encoding& encoding);

  /// The abbreviation with this code; null: the table has none. Compilers number codes 1, 2, 3,
  /// ..., so that the common case is an index.
  const Abbreviation* Find(std::uint64_t code) const {
    if (code - 1 < dense_count_) return &all_[static_cast<std::size_t>(code - 1)];
    return FindSparse(code);
  }
  /// All attributes of an entry of this table, in the order of their values.
  std::span<const AttributeSpec> Attributes(const Abbreviation& a) const {
    return {attributes_.data() + a.first_attribute, a.attribute_count};
  }
  /// The same attributes as steps: adjacent fields that are not wanted are one step.
  std::span<const Step> Steps(const Abbreviation& a) const {
    return {steps_.data() + a.first_step, a.step_count};
  }
  /// One entry for each of the dense codes 1, 2, 3, ...; the leap of code n is number n - 1.
  std::span<const Leap> leaps() const { return leaps_; }
  /// Whether units that use this table can contain functions with code: units of types and
  /// declarations alone need no pass.
  bool HasCode() const { return has_code_; }

 private:
  /// Find for tables whose codes have gaps.
  const Abbreviation* FindSparse(std::uint64_t code) const;
  /// Fills `steps_` for the entry, and where its DW_AT_sibling lies.
  void AddSteps(Abbreviation& abbreviation, const Encoding& encoding);
  Leap LeapOf(const Abbreviation& abbreviation) const;

  std::vector<Abbreviation> all_;  ///< Sorted by code
  std::uint64_t dense_count_ = 0;  ///< This many entries at the front have the codes 1, 2, 3, ...
  std::vector<AttributeSpec> attributes_;
  std::vector<Step> steps_;
  /// One for each of the first dense_count_ entries.
  std::vector<Leap> leaps_;
  /// An entry has the role kCode.
  bool has_code_ = false;
};

/// The last few tables, by their offset in .debug_abbrev and by encoding. Does not own the section.
/// Threads: one.
class AbbreviationCache {
 public:
  /// `section` is all of .debug_abbrev, and must outlive the cache.
  explicit AbbreviationCache(Bytes section) : section_(section) {}
  /// The table at `offset`; read anew if it is none of the last eight. Never null: an offset
  /// outside the section gives an empty table. Valid as long as the pointer, even after the cache
  /// has dropped it.
  std::shared_ptr<const AbbreviationTable> Get(std::uint64_t offset, const Encoding& encoding);

 private:
  /// One table, and what it was made for.
  struct Entry {
    std::uint64_t offset = 0;
    Encoding encoding;
    std::shared_ptr<const AbbreviationTable> table;
  };
  Bytes section_;
  std::vector<Entry> entries_;
  /// Counts replacements: the oldest entry goes first
  std::size_t next_ = 0;
};

}  // namespace csink::symbolizer::dwarf
