#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "symbolizer/dwarf/form.h"

namespace csink::symbolizer::dwarf {

/// What the pass over a unit does at a DIE.
enum class Role : std::uint8_t {
  kPlain,     ///< Nothing; its children may hide functions
  kSkip,      ///< Nothing, and its children are stepped over by DW_AT_sibling
  kScope,     ///< Its name is part of its children's
  kAbstract,  ///< A function without code of its own: its children may have some
  kCode,      ///< A function with code
  kInline,    ///< An inlined function
};

struct AttributeSpec {
  std::uint16_t name = 0;
  std::uint16_t form = 0;
  std::int64_t implicit = 0;  ///< Of DW_FORM_implicit_const
};

/// One step over a DIE's attributes: so many bytes that nobody wants, then one field that is
/// wanted, or that says its own length (form 0: none, the DIE ends).
struct Step {
  std::uint32_t bytes = 0;
  std::uint16_t form = 0;
  std::uint16_t wanted = 0;   ///< The attribute; 0: nobody wants it
  std::uint8_t size = 0;      ///< Of the field, kVaries when it says its own length
  std::int64_t implicit = 0;  ///< The value of a field without bytes
  static constexpr std::uint8_t kVaries = 0xff;
};

/// How a DIE that tells nothing is stepped over without a look at its attributes.
struct Leap {
  enum class Kind : std::uint8_t {
    kNone,     ///< It cannot be
    kFixed,    ///< It has so many bytes
    kSibling,  ///< So many bytes on stand four that say where its children end
    kInlined,  ///< The same, where no function around it has an address
  };
  std::uint32_t bytes = 0;  ///< Of attributes
  Kind kind = Kind::kNone;
  bool has_children = false;  ///< Of kFixed
};

struct Abbreviation {
  std::uint64_t code = 0;
  std::uint16_t tag = 0;
  Role role = Role::kPlain;
  bool has_children = false;
  bool has_sibling = false;
  std::uint32_t first_attribute = 0;
  std::uint32_t attribute_count = 0;
  std::uint32_t first_step = 0;
  std::uint32_t step_count = 0;
  std::uint32_t sibling_at = kNoSibling;  ///< DW_AT_sibling, from the first attribute on
  std::uint16_t sibling_form = 0;
  std::uint8_t sibling_size = Step::kVaries;  ///< As Step::size
  static constexpr std::uint32_t kNoSibling = ~std::uint32_t{0};
};

/// One table of .debug_abbrev, as units of one encoding read it.
class AbbreviationTable {
 public:
  /// Reads the table at the front of `bytes`. A damaged table ends at the damage.
  AbbreviationTable(Bytes bytes, const Encoding& encoding);

  const Abbreviation* Find(std::uint64_t code) const {
    if (code - 1 < dense_count_) return &all_[static_cast<std::size_t>(code - 1)];
    return FindSparse(code);
  }
  std::span<const AttributeSpec> Attributes(const Abbreviation& a) const {
    return {attributes_.data() + a.first_attribute, a.attribute_count};
  }
  std::span<const Step> Steps(const Abbreviation& a) const {
    return {steps_.data() + a.first_step, a.step_count};
  }
  /// Of the codes 1, 2, 3, ... as far as they are dense.
  std::span<const Leap> leaps() const { return leaps_; }
  /// Whether units with this table can have functions with code.
  bool HasCode() const { return has_code_; }

 private:
  const Abbreviation* FindSparse(std::uint64_t code) const;
  void AddSteps(Abbreviation& abbreviation, const Encoding& encoding);
  Leap LeapOf(const Abbreviation& abbreviation) const;

  std::vector<Abbreviation> all_;  ///< Sorted by code
  std::uint64_t dense_count_ = 0;  ///< The first so many have the codes 1, 2, 3, ...
  std::vector<AttributeSpec> attributes_;
  std::vector<Step> steps_;
  std::vector<Leap> leaps_;
  bool has_code_ = false;
};

/// Tables by their place, the last few of them.
/// Threads: one.
class AbbreviationCache {
 public:
  explicit AbbreviationCache(Bytes section) : section_(section) {}
  std::shared_ptr<const AbbreviationTable> Get(std::uint64_t offset, const Encoding& encoding);

 private:
  struct Entry {
    std::uint64_t offset = 0;
    Encoding encoding;
    std::shared_ptr<const AbbreviationTable> table;
  };
  Bytes section_;
  std::vector<Entry> entries_;
  std::size_t next_ = 0;
};

}  // namespace csink::symbolizer::dwarf
