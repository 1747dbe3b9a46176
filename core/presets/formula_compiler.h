#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/presets/formula.h"

namespace csink {

/// Turns one formula's text into a program, and finds what is wrong with it.
/// Only formula.cpp uses it.
class FormulaCompiler {
 public:
  FormulaCompiler(std::string_view text, std::size_t natives, FormulaComplaint& complaint) noexcept
      : text_(text), natives_(natives), complaint_(complaint) {}

  /// Reads the whole text; false: refused, with a complaint in error().
  bool ReadPostfix();
  bool ReadInfix();

  const std::vector<Formula::Op>& program() const noexcept { return program_; }
  Error error() const noexcept { return error_; }

  /// The most values that `program` holds at once.
  static std::size_t DepthOf(const std::vector<Formula::Op>& program) noexcept;

 private:
  using Op = Formula::Op;
  using OpKind = Formula::OpKind;

  bool Fail(Errc code, const char* what) noexcept;
  /// Starts the complaint: `formula "TEXT": `, to be continued.
  FormulaComplaint& Complain() noexcept;

  bool EmitOperand(std::string_view token);
  bool EmitNative(std::string_view token);
  bool EmitNumber(std::string_view token);
  bool Push(const Op& op);
  bool EmitOperator(OpKind kind, char sign);
  bool Finish();

  // Infix: sum = product {+- product}; product = factor {*/ factor};
  // factor = [-] ( operand | "(" sum ")" ). The text is short, so recursion is, too.
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
