#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/presets/formula.h"

namespace csink {

/// Compiles the text of one formula into a program, and explains what is wrong with it. Used by
/// formula.cpp only.
/// Owns: the program; text and complaint must outlive it. Threads: one. Signals: not safe (heap).
class FormulaCompiler {
 public:
  FormulaCompiler(std::string_view text, std::size_t natives, FormulaComplaint& complaint) noexcept
      : text_(text), natives_(natives), complaint_(complaint) {}

  /// Compile the whole text in one of the notations. False: refused; error() holds the error, the
  /// complaint a phrase.
  bool ReadPostfix();
  bool ReadInfix();

  const std::vector<Formula::Op>& program() const noexcept { return program_; }
  Error error() const noexcept { return error_; }

  /// The largest number of values on the stack while `program` is evaluated.
  static std::size_t DepthOf(const std::vector<Formula::Op>& program) noexcept;

 private:
  using Op = Formula::Op;
  using OpKind = Formula::OpKind;

  bool Fail(Errc code, const char* what) noexcept;
  /// Starts the complaint with `formula "TEXT": `, for the caller to continue.
  FormulaComplaint& Complain() noexcept;

  bool EmitOperand(std::string_view token);
  bool EmitNative(std::string_view token);
  bool EmitNumber(std::string_view token);
  bool Push(const Op& op);
  bool EmitOperator(OpKind kind, char sign);
  bool Finish();

  // Infix grammar: sum = product {+- product}; product = factor {*/ factor}; factor = [-] ( operand
  // | "(" sum ")" ). The text is at most 255 bytes long, which bounds the recursion.
  bool ReadSum();
  bool ReadProduct();
  bool ReadFactor();
  void SkipBlanks() noexcept;
  char Peek() noexcept;
  std::string_view TakeOperand() noexcept;

  std::string_view text_;
  std::size_t natives_;
  FormulaComplaint& complaint_;
  std::vector<Op> program_;
  std::size_t depth_ = 0;
  std::size_t at_ = 0;
  Error error_;
};

}  // namespace csink
