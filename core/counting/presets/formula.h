#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/util/result.h"
#include "core/util/text.h"

/// File: formulas that compute the value of a preset from the counts of its native events.
///
/// Derivations and notations are those of PAPI's event files (man page PAPI_derived_event_files).
/// With natives N0, N1, ...:
///   NOT_DERIVED, DERIVED_CMPD   N0 (CMPD: the other natives only program N0's counter)
///   DERIVED_ADD                 N0 + N1 + ...
///   DERIVED_SUB                 N0 - N1 - ...
///   DERIVED_PS                  N1 per second; N0 counts cycles
///   DERIVED_ADD_PS              (N1 + N2 + ...) per second; N0 counts cycles
///   DERIVED_POSTFIX             "N0|N1|2|*|+|"     tokens, each followed by '|'
///   DERIVED_INFIX               "N0 + N1 * 2"      with ( ), unary minus; * and / bind closer
/// Both notations know N0 to N11, decimal numbers (also 0.5), + - * / and '#', which is the CPU's
/// highest clock rate in cycles per second.

namespace csink {

/// The values are indices into the names in formula.cpp.
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

/// The name of a derivation in files and in PAPI_event_info_t::derived: "NOT_DERIVED",
/// "DERIVED_ADD", ... Static text. Threads: any. Signals: safe.
std::string_view DerivationName(Derivation derivation) noexcept;

/// Finds a derivation by its name, without regard to case. Returns false, with `derivation`
/// unchanged, if there is none.
bool DerivationFromName(std::string_view name, Derivation& derivation) noexcept;

/// The nearest name of a derivation, for a hint to the user; "": none is close.
std::string_view NearestDerivationName(std::string_view name) noexcept;

/// The most natives of one event: PAPI_MAX_INFO_TERMS of PAPI 7.0. Natives are numbered N0 to N11.
inline constexpr std::size_t kMaxFormulaNatives = 12;
/// The longest formula in bytes, as a text and in postfix notation: PAPI_event_info_t::postfix
/// without its NUL.
inline constexpr std::size_t kMaxFormulaBytes = 255;
/// The most values on the stack while a formula is evaluated. The stack is an array in Evaluate,
/// which runs in signal handlers: 32 values of 16 bytes.
inline constexpr std::size_t kMaxFormulaDepth = 32;

/// Why a formula was refused, as a phrase for the end of a sentence: `formula "N0|N9|+|": N9 is not
/// there: ...`.
using FormulaComplaint = Text<512>;

/// Inputs of a formula besides counts. The caller passes them, so that Evaluate needs nothing of
/// the machine.
struct FormulaContext {
  double cycles_per_second = 0;  ///< '#': the CPU's highest rate in Hz; 0: unknown
};

/// A compiled formula.
///   const auto rate = Formula::Parse(Derivation::kInfix, "N0 / N1 * 100", 2, complaint);
///   if (!rate) return complaint.c_str();
///   const long long percent = rate->Evaluate(counts, {});
/// Owns:    its program (heap). Copies are independent.
/// Threads: immutable after Parse; any number of threads may evaluate it. Signals: Evaluate and
/// IsFirstNative are safe; the other members use the heap.
class Formula {
 public:
  /// The formula N0. Allocates nothing.
  Formula() noexcept = default;

  /// Compiles the formula of `derivation` over `natives` native events. `text` is used for kPostfix
  /// and kInfix only; it is not kept.
  /// Errors: each with a phrase in `complaint`, which is empty on success: kInvalid (syntax, a
  /// native that does not exist, too few or too many natives for the derivation, an empty formula),
  /// kLimit (longer than kMaxFormulaBytes, as `text` or in postfix notation, deeper than
  /// kMaxFormulaDepth, more than kMaxFormulaNatives).
  static Result<Formula> Parse(Derivation derivation, std::string_view text, std::size_t natives,
                               FormulaComplaint& complaint);

  /// The value for the counts `natives`, in the order of the definition. Missing counts at the end
  /// are 0.
  ///
  /// Computed in long double, which represents every 64-bit integer exactly on x86-64 and aarch64;
  /// the result is rounded towards zero. The quotient of a division by zero is 0 (nothing was
  /// counted). A result out of range becomes LLONG_MAX or LLONG_MIN. Sums and differences without a
  /// formula text are computed in integers with saturation.
  /// Signals: safe (formula_signal.cpp).
  long long Evaluate(std::span<const long long> natives,
                     const FormulaContext& context) const noexcept;

  /// Whether the value is N0's count, unchanged. Such an event can overflow by hardware.
  bool IsFirstNative() const noexcept { return shape_ == Shape::kFirst; }

  /// The formula in postfix notation, "N0|N1|+|", whatever its original notation; "" for N0 alone.
  /// For PAPI_event_info_t, which holds only a postfix string. Computing it gives
  /// the same value.
  std::string Postfix() const;

  /// This formula with each native i replaced by `parts[i]`, for events that are made of events.
  /// Native j of parts[i] becomes native `renumbered[i][j]`: `parts` and `renumbered` have an
  /// element for each native of this formula. A result that is N0 alone becomes the plain formula
  /// N0.
  /// Errors: kLimit (the result is too deep, or longer than kMaxFormulaBytes in postfix notation).
  Result<Formula> Compose(std::span<const Formula* const> parts,
                          std::span<const std::vector<std::uint8_t>> renumbered) const;

 private:
  /// The common formulas have a shape of their own, which needs no program and is computed in
  /// integers.
  enum class Shape : std::uint8_t { kFirst, kSum, kDifference, kProgram };
  enum class OpKind : std::uint8_t { kNative, kNumber, kClock, kAdd, kSub, kMul, kDiv };
  /// One step of a program: pushes a value, or takes two and pushes the result.
  struct Op {
    OpKind kind = OpKind::kNative;
    /// kNative: which native.
    std::uint8_t native = 0;
    /// kNumber: the value. Numbers of formulas have 20 digits at most; a double keeps the first 15.
    double number = 0;
  };
  friend class FormulaCompiler;

  /// The formula as a program, whatever its shape. Allocates.
  std::vector<Op> Program() const;
  /// Runs program_ on a stack of kMaxFormulaDepth values.
  long long EvaluateProgram(std::span<const long long> natives,
                            const FormulaContext& context) const noexcept;

  Shape shape_ = Shape::kFirst;
  std::uint8_t natives_ = 1;  ///< For kSum and kDifference: N0 .. N(natives_ - 1)
  std::vector<Op> program_;   ///< For kProgram, in postfix order
};

}  // namespace csink
