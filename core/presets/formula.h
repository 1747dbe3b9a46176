#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/util/result.h"
#include "core/util/text.h"

/// File: how the value of a preset is made of the counts of its native events.
///
/// The kinds of derivation and the two notations are those of PAPI's event files
/// (man page PAPI_derived_event_files). With natives N0, N1, ... :
///   NOT_DERIVED, DERIVED_CMPD   N0 (CMPD: the others only help to program N0's counter)
///   DERIVED_ADD                 N0 + N1 + ...
///   DERIVED_SUB                 N0 - N1 - ...
///   DERIVED_PS                  N1 per second; N0 are the cycles
///   DERIVED_ADD_PS              (N1 + N2 + ...) per second; N0 are the cycles
///   DERIVED_POSTFIX             "N0|N1|2|*|+|"     tokens, each ended by '|'
///   DERIVED_INFIX               "N0 + N1 * 2"      with ( ), unary minus, * and / before + and -
/// Both notations know N0..N11, decimal numbers (also 0.5), + - * / and '#', the
/// cycles per second of the CPU's highest clock rate.

namespace csink {

enum class Derivation : std::uint8_t {
  kNotDerived,
  kAdd,
  kSub,
  kPs,
  kAddPs,
  kCmpd,
  kPostfix,
  kInfix,
};

/// "NOT_DERIVED", "DERIVED_ADD", ...: the spelling of files and of
/// PAPI_event_info_t::derived.
std::string_view DerivationName(Derivation derivation) noexcept;

/// True and fills `derivation` when `name` is one of the names above, in any case.
bool DerivationFromName(std::string_view name, Derivation& derivation) noexcept;

/// The name that was probably meant, or empty.
std::string_view NearestDerivationName(std::string_view name) noexcept;

/// Natives of one event: PAPI_MAX_INFO_TERMS of PAPI 7.0.
inline constexpr std::size_t kMaxFormulaNatives = 12;
/// Bytes of a formula's text: PAPI_event_info_t::postfix without its NUL.
inline constexpr std::size_t kMaxFormulaBytes = 255;
/// Values that are pending at once while a formula is evaluated.
inline constexpr std::size_t kMaxFormulaDepth = 32;

/// Why a formula was refused, as the rest of a sentence: `formula "N0|N9|+" names N9, but ...`.
using FormulaComplaint = Text<512>;

/// What a formula needs to know besides counts.
struct FormulaContext {
  double cycles_per_second = 0;  ///< '#': the CPU's highest rate in Hz; 0 when unknown
};

/// A formula, compiled.
/// Owns:    its program (heap).
/// Threads: immutable after Parse; any number may evaluate it.
class Formula {
 public:
  /// N0 alone.
  Formula() noexcept = default;

  /// Compiles the formula of `derivation` over `natives` native events; `text` is read for
  /// kPostfix and kInfix only.
  /// Errors, each with a complaint: kInvalid (syntax; a native that is not there; too few or
  /// too many natives for the derivation; an empty formula), kLimit (longer than
  /// kMaxFormulaBytes, deeper than kMaxFormulaDepth, more than kMaxFormulaNatives).
  static Result<Formula> Parse(Derivation derivation, std::string_view text, std::size_t natives,
                               FormulaComplaint& complaint);

  /// The value for the counts `natives`, in the order of the definition; natives that are
  /// missing at the end count as 0.
  ///
  /// Computed in long double (exact for every 64-bit integer on x86-64 and aarch64), the
  /// end result cut towards zero. A division by zero gives 0 as its quotient (nothing
  /// happened, so nothing per nothing); what does not fit becomes LLONG_MAX or LLONG_MIN.
  /// Sums and differences without a formula text are computed in integers and saturate.
  /// Signals: safe (formula_signal.cpp).
  long long Evaluate(std::span<const long long> natives,
                     const FormulaContext& context) const noexcept;

  /// True when the value is N0's count: such an event can overflow by hardware.
  bool IsFirstNative() const noexcept { return shape_ == Shape::kFirst; }

  /// The same formula in postfix notation, "N0|N1|+|", whatever it was written in;
  /// empty for N0 alone. Needed where only a postfix string fits (PAPI_event_info_t).
  std::string Postfix() const;

  /// This formula with each native i replaced by `parts[i]`, whose own natives are numbered
  /// anew: native j of parts[i] becomes `renumbered[i][j]`. For events made of events.
  /// Errors: kLimit (the result is too deep, or longer than kMaxFormulaBytes in postfix).
  Result<Formula> Compose(std::span<const Formula* const> parts,
                          std::span<const std::vector<std::uint8_t>> renumbered) const;

 private:
  enum class Shape : std::uint8_t { kFirst, kSum, kDifference, kProgram };
  enum class OpKind : std::uint8_t { kNative, kNumber, kClock, kAdd, kSub, kMul, kDiv };
  struct Op {
    OpKind kind = OpKind::kNative;
    std::uint8_t native = 0;
    double number = 0;
  };
  friend class FormulaCompiler;

  /// The program of any shape.
  std::vector<Op> Program() const;
  long long EvaluateProgram(std::span<const long long> natives,
                            const FormulaContext& context) const noexcept;

  Shape shape_ = Shape::kFirst;
  std::uint8_t natives_ = 1;  ///< Of kSum and kDifference: N0 .. N(natives_ - 1)
  std::vector<Op> program_;   ///< Of kProgram, in postfix order
};

}  // namespace csink
