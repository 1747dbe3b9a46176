#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/counting/presets/formula.h"

/// File: the parser of formula texts, apart from Formula so that evaluation in signal handlers
/// (formula_signal.cpp) is free of heap and parsing.

namespace csink {

/// Compiles the text of one formula into a program, and explains what is wrong with it. An object
/// is used for one call of ReadPostfix or ReadInfix. Used by formula.cpp only.
/// Owns: the program; text and complaint must outlive it. Threads: one. Signals: not safe (heap).
class FormulaCompiler {
 public:
  /// `natives`: how many natives the text may name, N0 to N(natives - 1).
  FormulaCompiler(std::string_view text, std::size_t natives, FormulaComplaint& complaint) noexcept
      : text_(text), natives_(natives), complaint_(complaint) {}

  /// Compile the whole text in one of the notations. Return false if the text is refused; error()
  /// holds the error, the complaint a phrase.
  bool ReadPostfix();
  bool ReadInfix();

  /// Valid after a Read that returned true.
  const std::vector<Formula::Op>& program() const noexcept { return program_; }
  /// Valid after a Read that returned false.
  Error error() const noexcept { return error_; }

  /// The largest number of values on the stack while `program` is evaluated. The program must be
  /// valid: no operator finds fewer than two values.
  static std::size_t DepthOf(const std::vector<Formula::Op>& program) noexcept;

 private:
  using Op = Formula::Op;
  using OpKind = Formula::OpKind;

  /// Stores the error and returns false, for `return Fail(...)`.
  bool Fail(Errc code, const char* what) noexcept;
  /// Starts the complaint with `formula "TEXT": `, for the caller to continue.
  FormulaComplaint& Complain() noexcept;

  /// Append the operation for an operand: a native, a number or the clock. Return false if the
  /// token is none, or the stack is full.
  bool EmitOperand(std::string_view token);
  bool EmitNative(std::string_view token);
  bool EmitNumber(std::string_view token);
  /// Appends an operand, and counts it on the simulated stack.
  bool Push(const Op& op);
  /// Appends an operator. Returns false if fewer than two values are pending; `sign` is for the
  /// complaint.
  bool EmitOperator(OpKind kind, char sign);
  /// Checks that exactly one value is left.
  bool Finish();

  // Infix grammar: sum = product {+- product}; product = factor {*/ factor}; factor = [-] ( operand
  // | "(" sum ")" ). Each function reads its part from at_ on and appends its operations. The text
  // is at most 255 bytes long, which bounds the recursion.
  bool ReadSum();
  bool ReadProduct();
  bool ReadFactor();
  void SkipBlanks() noexcept;
  /// The next byte that is no blank; NUL: the end of the text.
  char Peek() noexcept;
  /// Takes the bytes up to a blank, an operator or a parenthesis; may be empty.
  std::string_view TakeOperand() noexcept;

  std::string_view text_;
  std::size_t natives_;
  FormulaComplaint& complaint_;
  std::vector<Op> program_;
  /// The values that are on the stack after the operations so far.
  std::size_t depth_ = 0;
  /// Position in the text, for infix notation.
  std::size_t at_ = 0;
  Error error_;
};

}  // namespace csink
