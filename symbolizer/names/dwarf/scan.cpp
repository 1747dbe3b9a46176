#include "symbolizer/names/dwarf/scan.h"

#include <dwarf.h>

#include <algorithm>

#include "symbolizer/names/dwarf/leap.h"

/// File: walks over the DIE tree of a unit from front to back. `frames_` is the stack of enclosing
/// DIEs that matter (scopes, functions, inlined functions); DIEs between them only change `depth_`.
/// Most DIEs are leapt over without looking at their attributes (leap.cpp). A DIE with code looks
/// up its ranges and marks the addresses in them; its inlined functions follow as children and mark
/// addresses of that function only.
///
/// Each address ends with its function and the innermost inlined function; the chain outwards is in
/// the records' `outer`.

namespace csink::symbolizer::dwarf {
namespace {

/// The attributes of a DIE with code that the pass uses.
struct CodeAttributes {
  Value low, high, ranges, origin;
  std::uint64_t call_file = 0;
  std::uint64_t call_line = 0;
  std::uint64_t sibling = 0;
};

/// Strict DWARF 2 has no range lists. A function or inlined copy that consists of several pieces is
/// described by the bounds of one piece only, and what was inlined into it may lie in another
/// piece.
bool MayHideCode(const Unit& unit) { return unit.encoding.version == 2; }

/// One pass. `beyond_functions`: see the second pass in ScanUnit.
class Scanner {
 public:
  Scanner(const Unit& unit, Bytes bytes, const AbbreviationTable& table, Lookup& lookup,
          std::span<const std::uint64_t> pcs, bool beyond_functions)
      : unit_(unit),
        bytes_(bytes),
        table_(table),
        lookup_(lookup),
        pcs_(pcs),
        beyond_functions_(beyond_functions),
        reader_(bytes),
        budget_((std::uint64_t{4} << 20) + pcs.size() * 4096) {
    result_.pcs.resize(pcs.size());
    reader_.Skip(unit.header_bytes);
  }

  ScanResult Run() {
    while (true) {
      if (depth_ != 0) LeapOverPlain();
      if (reader_.AtEnd() || depth_ >= kMaxDepth) break;
      // Units of 4 GiB and more are not read, so that offsets fit.
      const auto at = static_cast<std::uint32_t>(reader_.offset());
      const std::uint64_t code = reader_.Uleb();
      if (code == 0) {
        if (depth_ == 0 || --depth_ == 0) break;
        if (!frames_.empty() && frames_.back().depth == depth_) Leave();
        continue;
      }
      const Abbreviation* abbreviation = table_.Find(code);
      // An unknown code: the length of the DIE is unknown.
      if (abbreviation == nullptr) break;
      Visit(*abbreviation, at);
      if (depth_ == 0) break;  // A root without children
    }
    // A unit that ends too early still has ends for its scopes.
    while (!frames_.empty()) Leave();
    return std::move(result_);
  }

 private:
  /// A DIE that encloses the reader's position.
  struct Frame {
    std::uint32_t depth = 0;          ///< Depth of the DIE itself
    std::uint32_t scope = kNone;      ///< Index in result_.scopes
    std::uint32_t function = kNone;   ///< The enclosing function, if it covers one of the addresses
    std::uint32_t innermost = kNone;  ///< The innermost enclosing inlined function
  };

  // Leaps within the innermost DIE of the stack. Inlined functions may be leapt over only outside
  // functions that cover an address.
  void LeapOverPlain() {
    const std::uint32_t floor = frames_.empty() ? 0 : frames_.back().depth;
    const DiePlace from{reader_.offset(), depth_};
    const DiePlace to = LeapOver(bytes_, from, floor, Current() == kNone, table_);
    reader_.Skip(to.offset - from.offset);
    depth_ = to.depth;
  }
  void Visit(const Abbreviation& abbreviation, std::uint32_t at);
  void Enter(const Abbreviation& abbreviation, Frame frame);
  // The children of the innermost DIE of the stack have ended.
  void Leave() {
    const Frame& frame = frames_.back();
    if (frame.scope != kNone) {
      result_.scopes[frame.scope].end = static_cast<std::uint32_t>(reader_.offset());
      scope_ = result_.scopes[frame.scope].outer;
    }
    frames_.pop_back();
  }
  // Begins a scope; its end is set when its DIE is left.
  std::uint32_t AddScope(std::uint32_t at) {
    result_.scopes.push_back({at, at, scope_});
    return scope_ = static_cast<std::uint32_t>(result_.scopes.size() - 1);
  }
  // Moves the reader behind the attributes.
  void Skip(const Abbreviation& abbreviation);
  // Reads the field of a step.
  Value Field(const Step& step);
  /// The position behind the DIE's children. Does not leave the reader behind the attributes:
  /// ToSibling must follow.
  std::uint64_t ReadSibling(const Abbreviation& abbreviation);
  // Reads the wanted attributes, and moves the reader behind all of them.
  CodeAttributes Read(const Abbreviation& abbreviation);
  /// A reference as an offset from the unit's start.
  std::uint64_t Sibling(const Value& value) const {
    return value.form == DW_FORM_ref_addr ? value.number - unit_.offset : value.number;
  }
  // Moves the reader to an offset from the unit's start; false if that is not forward, which would
  // be a loop.
  bool ToSibling(std::uint64_t sibling) {
    if (sibling <= reader_.offset()) return false;
    reader_.Skip(sibling - reader_.offset());
    return true;
  }
  void VisitFunction(const Abbreviation& abbreviation, std::uint32_t at);
  void VisitInline(const Abbreviation& abbreviation);
  // The innermost function around the position, if it covers an address; else kNone.
  std::uint32_t Current() const { return frames_.empty() ? kNone : frames_.back().function; }
  // The index of the first address that is not below `vaddr`.
  std::size_t LowerBound(std::uint64_t vaddr) const {
    return static_cast<std::size_t>(std::lower_bound(pcs_.begin(), pcs_.end(), vaddr) -
                                    pcs_.begin());
  }

  const Unit& unit_;
  Bytes bytes_;
  const AbbreviationTable& table_;
  Lookup& lookup_;
  std::span<const std::uint64_t> pcs_;
  bool beyond_functions_;  ///< Inlined functions may lie outside the function that encloses them
  ByteReader reader_;
  /// Limits the work if a damaged unit has many DIEs that cover many addresses
  std::uint64_t budget_;
  std::uint32_t depth_ = 0;
  std::uint32_t scope_ = kNone;
  std::vector<Frame> frames_;
  ScanResult result_;
};

Value Scanner::Field(const Step& step) {
  Value value;
  value.form = step.form;
  switch (step.size) {
    case 0:
      value.number = static_cast<std::uint64_t>(step.implicit);
      return value;
    case 1:
      value.number = reader_.U8();
      return value;
    case 2:
      value.number = reader_.U16();
      return value;
    case 4:
      value.number = reader_.U32();
      return value;
    case 8:
      value.number = reader_.U64();
      return value;
    default:
      return ReadValue(reader_, step.form, step.implicit, unit_.encoding);
  }
}

void Scanner::Skip(const Abbreviation& abbreviation) {
  for (const Step& step : table_.Steps(abbreviation)) {
    reader_.Skip(step.bytes);
    // For example the location of a variable. Field does the same more slowly.
    if (step.form == DW_FORM_exprloc) {
      reader_.Skip(reader_.Uleb());
    } else if (step.form != 0) {
      Field(step);
    }
  }
}

std::uint64_t Scanner::ReadSibling(const Abbreviation& abbreviation) {
  if (abbreviation.sibling_at == Abbreviation::kNoSibling) return Read(abbreviation).sibling;
  reader_.Skip(abbreviation.sibling_at);
  Step step;
  step.form = abbreviation.sibling_form;
  step.size = abbreviation.sibling_size;
  return Sibling(Field(step));
}

CodeAttributes Scanner::Read(const Abbreviation& abbreviation) {
  CodeAttributes found;
  for (const Step& step : table_.Steps(abbreviation)) {
    reader_.Skip(step.bytes);
    if (step.form == 0) break;
    const Value value = Field(step);
    switch (step.wanted) {
      case DW_AT_low_pc:
        found.low = value;
        break;
      case DW_AT_high_pc:
        found.high = value;
        break;
      case DW_AT_ranges:
        found.ranges = value;
        break;
      case DW_AT_abstract_origin:
        found.origin = value;
        break;
      case DW_AT_call_file:
        found.call_file = value.number;
        break;
      case DW_AT_call_line:
        found.call_line = value.number;
        break;
      case DW_AT_sibling:
        found.sibling = Sibling(value);
        break;
      default:
        break;
    }
  }
  return found;
}

void Scanner::Enter(const Abbreviation& abbreviation, Frame frame) {
  // A DIE without children is left at once.
  if (!abbreviation.has_children) {
    if (frame.scope != kNone) {
      result_.scopes[frame.scope].end = static_cast<std::uint32_t>(reader_.offset());
      scope_ = result_.scopes[frame.scope].outer;
    }
    return;
  }
  frame.depth = depth_++;
  frames_.push_back(frame);
}

void Scanner::Visit(const Abbreviation& abbreviation, std::uint32_t at) {
  switch (abbreviation.role) {
    case Role::kPlain:
      Skip(abbreviation);
      if (abbreviation.has_children) ++depth_;
      return;
    case Role::kSkip:
      if (!abbreviation.has_children) return Skip(abbreviation);
      // A sibling reference that does not lead forward is damage: nothing behind it can be trusted.
      if (!ToSibling(ReadSibling(abbreviation))) reader_.Fail();
      return;
    case Role::kScope:
    case Role::kAbstract: {
      Skip(abbreviation);
      if (!abbreviation.has_children) return;
      Frame frame = frames_.empty() ? Frame() : frames_.back();
      // An abstract function has no code, so that inlined functions in it describe no address.
      if (abbreviation.role == Role::kAbstract) frame.function = kNone;
      frame.scope = AddScope(at);
      return Enter(abbreviation, frame);
    }
    case Role::kCode:
      return VisitFunction(abbreviation, at);
    case Role::kInline:
      return VisitInline(abbreviation);
  }
}

void Scanner::VisitFunction(const Abbreviation& abbreviation, std::uint32_t at) {
  const CodeAttributes found = Read(abbreviation);
  bool has_any = false;
  for (const Range& range : lookup_.Ranges(unit_, found.low, found.high, found.ranges)) {
    const std::uint64_t size = range.high - range.low;
    for (std::size_t i = LowerBound(range.low); i < pcs_.size() && pcs_[i] < range.high; ++i) {
      PcRecord& pc = result_.pcs[i];
      if (budget_ == 0) break;
      --budget_;
      // The smallest range wins; of equal ones the later DIE.
      if (size > pc.size) continue;
      pc = PcRecord{.function = at,
                    .innermost = kNone,
                    .start = range.low,
                    .size = size,
                    .is_leaf = !abbreviation.has_children};
      has_any = true;
    }
  }
  if (!abbreviation.has_children) return;
  Enter(abbreviation, Frame{.depth = 0,
                            .scope = AddScope(at),
                            .function = has_any || beyond_functions_ ? at : kNone,
                            .innermost = kNone});
}

void Scanner::VisitInline(const Abbreviation& abbreviation) {
  const std::uint32_t function = Current();
  // The enclosing function covers none of the addresses, so nothing inlined into it does.
  if (function == kNone && abbreviation.has_children && abbreviation.has_sibling) {
    if (!ToSibling(ReadSibling(abbreviation))) reader_.Fail();
    return;
  }
  const CodeAttributes found = Read(abbreviation);
  const auto record = static_cast<std::uint32_t>(result_.inlines.size());
  bool has_any = false;
  if (function != kNone) {
    for (const Range& range : lookup_.Ranges(unit_, found.low, found.high, found.ranges)) {
      for (std::size_t i = LowerBound(range.low); i < pcs_.size() && pcs_[i] < range.high; ++i) {
        if (budget_ == 0) break;
        --budget_;
        PcRecord& pc = result_.pcs[i];
        if (beyond_functions_ && pc.function != function && pc.is_leaf) {
          const std::uint64_t size = range.high - range.low;
          pc = PcRecord{.function = function, .start = range.low, .size = size, .is_leaf = false};
        }
        if (pc.function != function) continue;
        pc.innermost = record;
        has_any = true;
      }
    }
  }
  // In a unit that may hide code, an inlined function without a match may still be the outer one of
  // another that has one.
  const bool is_kept = has_any || (function != kNone && MayHideCode(unit_));
  if (is_kept) {
    result_.inlines.push_back({.outer = frames_.back().innermost,
                               .call_line = static_cast<std::uint32_t>(found.call_line),
                               .call_file = found.call_file,
                               .origin = found.origin});
  }
  if (!abbreviation.has_children) return;
  // The children of an inlined function lie within its ranges, so that they cover none of the other
  // addresses.
  if (!is_kept && ToSibling(found.sibling)) return;
  Enter(
      abbreviation,
      Frame{
          .depth = 0, .scope = kNone, .function = is_kept ? function : kNone, .innermost = record});
}

}  // namespace

ScanResult ScanUnit(const Unit& unit, Bytes bytes, const AbbreviationTable& table, Lookup& lookup,
                    std::span<const std::uint64_t> pcs) {
  ScanResult found = Scanner(unit, bytes, table, lookup, pcs, false).Run();
  const bool is_complete = std::none_of(found.pcs.begin(), found.pcs.end(),
                                        [](const PcRecord& pc) { return pc.is_leaf; });
  if (is_complete || !MayHideCode(unit)) return found;
  // The addresses without an answer may be in a part that was split off a function (.cold). GCC
  // describes such a part as a function without children (__second_sect_of_f), or not at all. The
  // functions inlined there are described inside the DIE of the original function.
  return Scanner(unit, bytes, table, lookup, pcs, true).Run();
}

}  // namespace csink::symbolizer::dwarf
