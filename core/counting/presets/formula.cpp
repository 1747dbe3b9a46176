#include "core/counting/presets/formula.h"

#include <charconv>

#include "core/counting/presets/formula_compiler.h"
#include "core/counting/presets/name_hash.h"
#include "core/util/nearest.h"

// File: Parse brings all derivations to four shapes. Sums, differences and single events need no
// program; everything else is a program in postfix order (FormulaCompiler). Evaluation is in
// formula_signal.cpp.

namespace csink {
namespace {

// In the order of Derivation.
// PAPI's names, which stand in event files and listings.
constexpr std::string_view kNames[] = {
    "NOT_DERIVED",    "DERIVED_ADD",  "DERIVED_SUB",     "DERIVED_PS",
    "DERIVED_ADD_PS", "DERIVED_CMPD", "DERIVED_POSTFIX", "DERIVED_INFIX",
};
constexpr std::size_t kNameCount = sizeof(kNames) / sizeof(kNames[0]);

// How many natives a derivation takes.
struct NativeCount {
  std::size_t least;
  std::size_t most;
};

// A single native needs no formula. A rate needs the cycles and at least one count.
NativeCount NativesOf(Derivation derivation) noexcept {
  switch (derivation) {
    case Derivation::kNotDerived:
      return {1, 1};
    case Derivation::kPs:
      return {2, 2};
    case Derivation::kAddPs:
      return {2, kMaxFormulaNatives};
    default:
      return {1, kMaxFormulaNatives};
  }
}

/// Checks that the derivation accepts `natives` native events; the complaint names the limit that
/// is exceeded.
Result<void> CheckCount(Derivation derivation, std::size_t natives, FormulaComplaint& complaint) {
  const NativeCount wanted = NativesOf(derivation);
  if (natives >= wanted.least && natives <= wanted.most) return {};
  const std::size_t limit = natives > wanted.most ? wanted.most : wanted.least;
  complaint.Clear();
  complaint.Add(DerivationName(derivation)).Add(" needs ");
  if (wanted.least != wanted.most) complaint.Add(natives > wanted.most ? "at most " : "at least ");
  complaint.Number(limit).Add(limit == 1 ? " event, not " : " events, not ").Number(natives);
  if (natives > kMaxFormulaNatives) return Error{Errc::kLimit, 0, "too many events"};
  return Error{Errc::kInvalid, 0, "wrong number of events for the derivation"};
}

}  // namespace

std::string_view DerivationName(Derivation derivation) noexcept {
  return kNames[static_cast<std::size_t>(derivation)];
}

bool DerivationFromName(std::string_view name, Derivation& derivation) noexcept {
  for (std::size_t i = 0; i < kNameCount; ++i) {
    if (!SameName(name, kNames[i])) continue;
    derivation = static_cast<Derivation>(i);
    return true;
  }
  return false;
}

std::string_view NearestDerivationName(std::string_view name) noexcept {
  return NearestName(name, kNames, kNameCount);
}

Result<Formula> Formula::Parse(Derivation derivation, std::string_view text, std::size_t natives,
                               FormulaComplaint& complaint) {
  complaint.Clear();
  // The number of natives is checked first: the texts of formulas are checked against it.
  if (const Result<void> fits = CheckCount(derivation, natives, complaint); !fits) {
    return fits.error();
  }
  Formula formula;
  // At most 12 (CheckCount).
  formula.natives_ = static_cast<std::uint8_t>(natives);
  switch (derivation) {
    case Derivation::kNotDerived:
    case Derivation::kCmpd:  // the other natives only program the counter of N0
      return formula;
    case Derivation::kAdd:
    case Derivation::kSub:
      // The sum of one native is that native, which can overflow by hardware.
      if (natives > 1) {
        formula.shape_ = derivation == Derivation::kAdd ? Shape::kSum : Shape::kDifference;
      }
      return formula;
    case Derivation::kPs:
    // (N1 + N2 + ...) * clock / N0: events per second, from cycles per second and counted cycles.
    case Derivation::kAddPs:
      formula.shape_ = Shape::kProgram;
      for (std::uint8_t i = 1; i < natives; ++i) {
        formula.program_.push_back({OpKind::kNative, i, 0});
        if (i > 1) formula.program_.push_back({OpKind::kAdd, 0, 0});
      }
      formula.program_.insert(formula.program_.end(), {{OpKind::kClock, 0, 0},
                                                       {OpKind::kMul, 0, 0},
                                                       {OpKind::kNative, 0, 0},
                                                       {OpKind::kDiv, 0, 0}});
      return formula;
    default:
      break;
  }
  // Before compiling: the length bounds the recursion of the infix compiler.
  if (text.size() > kMaxFormulaBytes) {
    complaint.Add("the formula has ").Number(text.size()).Add(" bytes, more than ");
    complaint.Number(kMaxFormulaBytes);
    return Error{Errc::kLimit, 0, "formula is too long"};
  }
  FormulaCompiler compiler(text, natives, complaint);
  const bool ok =
      derivation == Derivation::kPostfix ? compiler.ReadPostfix() : compiler.ReadInfix();
  if (!ok) return compiler.error();
  formula.shape_ = Shape::kProgram;
  formula.program_ = compiler.program();
  // The field PAPI_event_info_t::postfix has to hold the whole formula, and the postfix form is
  // often longer than the text: "N0+N0" has 5 bytes, "N0|N0|+|" has 8.
  if (const std::size_t bytes = formula.Postfix().size(); bytes > kMaxFormulaBytes) {
    complaint.Clear();
    complaint.Add("the formula has ").Number(bytes).Add(" bytes in postfix notation, more than ");
    complaint.Number(kMaxFormulaBytes);
    return Error{Errc::kLimit, 0, "formula is too long in postfix notation"};
  }
  return formula;
}

std::vector<Formula::Op> Formula::Program() const {
  if (shape_ == Shape::kProgram) return program_;
  std::vector<Op> program{{OpKind::kNative, 0, 0}};
  if (shape_ == Shape::kFirst) return program;
  for (std::uint8_t i = 1; i < natives_; ++i) {
    program.push_back({OpKind::kNative, i, 0});
    program.push_back({shape_ == Shape::kSum ? OpKind::kAdd : OpKind::kSub, 0, 0});
  }
  return program;
}

// Op by op, each with '|' behind it. Operators are in the order of OpKind.
std::string Formula::Postfix() const {
  if (shape_ == Shape::kFirst) return {};
  std::string text;
  for (const Op& op : Program()) {
    switch (op.kind) {
      case OpKind::kNative:
        text += 'N';
        text += std::to_string(op.native);
        break;
      case OpKind::kNumber: {
        // "fixed" writes no exponent, which the parser would not accept.
        char digits[64];
        const auto end =
            std::to_chars(digits, digits + sizeof(digits), op.number, std::chars_format::fixed);
        text.append(digits, end.ptr);
        break;
      }
      case OpKind::kClock:
        text += '#';
        break;
      default:
        text += "+-*/"[static_cast<int>(op.kind) - static_cast<int>(OpKind::kAdd)];
        break;
    }
    text += '|';
  }
  return text;
}

Result<Formula> Formula::Compose(std::span<const Formula* const> parts,
                                 std::span<const std::vector<std::uint8_t>> renumbered) const {
  constexpr Error kTooLong{Errc::kLimit, 0, "the formula of these events is longer than 255 bytes"};
  // Programs are in postfix order, so a part's program takes the place of the native's push.
  Formula whole;
  // A sum of sums is not recognised again: it is computed by its program, which gives the same
  // value.
  whole.shape_ = Shape::kProgram;
  for (const Op& op : Program()) {
    if (op.kind != OpKind::kNative) {
      whole.program_.push_back(op);
      continue;
    }
    for (Op inner : parts[op.native]->Program()) {
      if (inner.kind == OpKind::kNative) inner.native = renumbered[op.native][inner.native];
      whole.program_.push_back(inner);
    }
    if (whole.program_.size() > kMaxFormulaBytes) return kTooLong;  // also bounds nested growth
  }
  // Each part was within the limit; put into the middle of a formula, a part starts on a higher
  // stack.
  if (FormulaCompiler::DepthOf(whole.program_) > kMaxFormulaDepth) {
    return Error{Errc::kLimit, 0, "the formula of these events is too deep"};
  }
  if (whole.Postfix().size() > kMaxFormulaBytes) return kTooLong;
  // The formula N0 has a form of its own, because such an event can overflow by hardware.
  const bool is_first = whole.program_.size() == 1 && whole.program_[0].kind == OpKind::kNative &&
                        whole.program_[0].native == 0;
  if (is_first) return Formula();
  return whole;
}

}  // namespace csink
