#include "core/counting/presets/formula_compiler.h"

#include <charconv>

#include "core/counting/presets/csv_line.h"
#include "core/util/parse.h"

// File: both notations are compiled to the same postfix program: postfix text directly, infix text
// by recursive descent, which emits operands first and operators behind them. Pushes and pops are
// counted while compiling, so that evaluation needs no checks.

namespace csink {
namespace {

// As many digits as 2^64 has.
constexpr std::size_t kMaxNumberBytes = 20;

bool IsDigit(char c) noexcept { return c >= '0' && c <= '9'; }
bool IsBlank(char c) noexcept { return c == ' ' || c == '\t'; }

}  // namespace

bool FormulaCompiler::Fail(Errc code, const char* what) noexcept {
  error_ = {code, 0, what};
  return false;
}

FormulaComplaint& FormulaCompiler::Complain() noexcept {
  // An earlier complaint of this text is dropped: the last one is reported.
  complaint_.Clear();
  return complaint_.Add("formula \"").Add(text_).Add("\": ");
}

// `token` begins with N or n. "N" alone is no native.
bool FormulaCompiler::EmitNative(std::string_view token) {
  const Result<std::uint64_t> number = ParseUnsigned(token.substr(1));
  if (!number) {
    Complain().Add('"').Add(token).Add("\" is not a native event; native events are N0, N1, ...");
    return Fail(Errc::kInvalid, "bad operand in a formula");
  }
  // Compared before the number becomes 8 bits.
  if (*number >= natives_) {
    Complain().Add(token).Add(" does not exist: ");
    if (natives_ == 0) {
      complaint_.Add("the event has no native event");
    } else if (natives_ == 1) {
      complaint_.Add("the only native event is N0");
    } else {
      complaint_.Add("the native events are N0 to N").Number(natives_ - 1);
    }
    return Fail(Errc::kInvalid, "formula uses a native event that does not exist");
  }
  return Push({OpKind::kNative, static_cast<std::uint8_t>(*number), 0});
}

// "fixed" refuses exponents and hexadecimal; from_chars uses no locale. No sign: a number begins
// with a digit or a point.
bool FormulaCompiler::EmitNumber(std::string_view token) {
  double number = 0;
  const char* end = token.data() + token.size();
  const auto [stop, problem] = std::from_chars(token.data(), end, number, std::chars_format::fixed);
  // from_chars stops at the first byte that is no part of a number, so "2x" is refused by `stop`.
  // from_chars reads "inf" and "nan", too; EmitOperand lets only digits and points through to here.
  if (problem != std::errc() || stop != end || token.size() > kMaxNumberBytes) {
    Complain().Add('"').Add(token).Add("\" is not a number of at most 20 digits");
    return Fail(Errc::kInvalid, "bad number in a formula");
  }
  return Push({OpKind::kNumber, 0, number});
}

bool FormulaCompiler::EmitOperand(std::string_view token) {
  if (token == "#") return Push({OpKind::kClock, 0, 0});
  if (token[0] == 'N' || token[0] == 'n') return EmitNative(token);
  if (IsDigit(token[0]) || token[0] == '.') return EmitNumber(token);
  Complain().Add('"').Add(token).Add(
      "\" is not known; a formula consists of N0, N1, ..., numbers, #, + - * /");
  return Fail(Errc::kInvalid, "unknown word in a formula");
}

// The depth is checked while compiling, so that evaluation in a signal handler needs no check.
bool FormulaCompiler::Push(const Op& op) {
  if (depth_ == kMaxFormulaDepth) {
    Complain().Add("more than ").Number(kMaxFormulaDepth).Add(" values are on the stack");
    return Fail(Errc::kLimit, "formula is too deep");
  }
  program_.push_back(op);
  ++depth_;
  return true;
}

// Counted as in evaluation: an operator takes two values and leaves one.
bool FormulaCompiler::EmitOperator(OpKind kind, char sign) {
  if (depth_ < 2) {
    Complain()
        .Add('"')
        .Add(sign)
        .Add("\" needs two values before it; the number of values is ")
        .Number(depth_);
    return Fail(Errc::kInvalid, "a value is missing in the formula");
  }
  program_.push_back({kind, 0, 0});
  --depth_;
  return true;
}

// One value must be left: the result.
bool FormulaCompiler::Finish() {
  if (depth_ == 1) return true;
  if (depth_ == 0) {
    Complain().Add("the formula is empty");
  } else {
    Complain().Number(depth_).Add(
        " values are left at the end instead of one: an operator is missing");
  }
  return Fail(Errc::kInvalid, "formula does not give one value");
}

bool FormulaCompiler::ReadPostfix() {
  std::string_view rest = text_;
  // A last token without a '|' behind it is accepted.
  while (!rest.empty()) {
    const std::string_view token = TrimBlanks(NextToken(rest, '|'));
    if (token.empty()) continue;  // "|N0|" and "N0||" occur in existing tables
    const bool is_operator = token.size() == 1 && std::string_view("+-*/").find(token[0]) < 4;
    if (!is_operator) {
      if (!EmitOperand(token)) return false;
      continue;
    }
    const OpKind kind = token[0] == '+'   ? OpKind::kAdd
                        : token[0] == '-' ? OpKind::kSub
                        : token[0] == '*' ? OpKind::kMul
                                          : OpKind::kDiv;
    if (!EmitOperator(kind, token[0])) return false;
  }
  return Finish();
}

void FormulaCompiler::SkipBlanks() noexcept {
  while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
}

char FormulaCompiler::Peek() noexcept {
  SkipBlanks();
  return at_ < text_.size() ? text_[at_] : '\0';
}

std::string_view FormulaCompiler::TakeOperand() noexcept {
  const std::size_t start = at_;
  while (at_ < text_.size() && !IsBlank(text_[at_]) &&
         std::string_view("+-*/()").find(text_[at_]) == std::string_view::npos) {
    ++at_;
  }
  return text_.substr(start, at_ - start);
}

bool FormulaCompiler::ReadInfix() {
  // NUL may also stand in the text; only at its end does it mean that the formula is empty.
  if (Peek() == '\0' && at_ >= text_.size()) return Finish();
  if (!ReadSum()) return false;
  SkipBlanks();
  if (at_ < text_.size()) {
    Complain().Add('"').Add(text_.substr(at_)).Add("\" follows the end of the formula");
    return Fail(Errc::kInvalid, "text follows the end of the formula");
  }
  return Finish();
}

// The usual recursive descent: a sum of products of factors.
bool FormulaCompiler::ReadSum() {
  if (!ReadProduct()) return false;
  for (char sign = Peek(); sign == '+' || sign == '-'; sign = Peek()) {
    ++at_;
    if (!ReadProduct()) return false;
    if (!EmitOperator(sign == '+' ? OpKind::kAdd : OpKind::kSub, sign)) return false;
  }
  return true;
}

bool FormulaCompiler::ReadProduct() {
  if (!ReadFactor()) return false;
  for (char sign = Peek(); sign == '*' || sign == '/'; sign = Peek()) {
    ++at_;
    if (!ReadFactor()) return false;
    if (!EmitOperator(sign == '*' ? OpKind::kMul : OpKind::kDiv, sign)) return false;
  }
  return true;
}

bool FormulaCompiler::ReadFactor() {
  const char first = Peek();
  if (first == '-') {
    ++at_;
    // Unary minus is compiled as 0 - factor: PAPI's postfix notation has no such operator.
    return Push({OpKind::kNumber, 0, 0}) && ReadFactor() && EmitOperator(OpKind::kSub, '-');
  }
  if (first == '(') {
    ++at_;
    if (!ReadSum()) return false;
    if (Peek() != ')') {
      Complain().Add("a \")\" is missing");
      return Fail(Errc::kInvalid, "formula has no closing parenthesis");
    }
    ++at_;
    return true;
  }
  const std::string_view token = TakeOperand();
  if (!token.empty()) return EmitOperand(token);
  Complain();
  if (at_ < text_.size()) {
    complaint_.Add("a value is missing before \"").Add(text_.substr(at_)).Add('"');
  } else {
    complaint_.Add("a value is missing at the end");
  }
  return Fail(Errc::kInvalid, "a value is missing in the formula");
}

// Signed steps on an unsigned number are fine: the depth of a valid program is never below 0.
std::size_t FormulaCompiler::DepthOf(const std::vector<Op>& program) noexcept {
  std::size_t depth = 0, most = 0;
  for (const Op& op : program) {
    const bool is_value =
        op.kind == OpKind::kNative || op.kind == OpKind::kNumber || op.kind == OpKind::kClock;
    depth += is_value ? 1 : -1;
    if (depth > most) most = depth;
  }
  return most;
}

}  // namespace csink
