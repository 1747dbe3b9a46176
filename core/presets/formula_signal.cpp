#include <climits>

#include "core/presets/formula.h"

namespace csink {
namespace {

/// 2^63 and -2^63 can be represented exactly in every floating-point type.
constexpr long double kTooLarge = 9223372036854775808.0L;
constexpr long double kTooSmall = -9223372036854775808.0L;

long long CutToInteger(long double value) noexcept {
  if (value >= kTooLarge) return LLONG_MAX;
  if (value <= kTooSmall) return LLONG_MIN;
  return static_cast<long long>(value);
}

long long Saturate(__int128 value) noexcept {
  if (value > LLONG_MAX) return LLONG_MAX;
  if (value < LLONG_MIN) return LLONG_MIN;
  return static_cast<long long>(value);
}

}  // namespace

long long Formula::Evaluate(std::span<const long long> natives,
                            const FormulaContext& context) const noexcept {
  if (natives.empty()) return shape_ == Shape::kProgram ? EvaluateProgram(natives, context) : 0;
  if (shape_ == Shape::kFirst) return natives[0];
  if (shape_ == Shape::kProgram) return EvaluateProgram(natives, context);
  // The sum of 12 terms of 64 bits fits into 128 bits.
  __int128 value = natives[0];
  for (std::size_t i = 1; i < natives_ && i < natives.size(); ++i) {
    value += shape_ == Shape::kSum ? static_cast<__int128>(natives[i])
                                   : -static_cast<__int128>(natives[i]);
  }
  return Saturate(value);
}

// FormulaCompiler has checked that the stack neither overflows nor underflows.
long long Formula::EvaluateProgram(std::span<const long long> natives,
                                   const FormulaContext& context) const noexcept {
  long double stack[kMaxFormulaDepth];
  std::size_t depth = 0;
  for (const Op& op : program_) {
    switch (op.kind) {
      case OpKind::kNative:
        stack[depth++] =
            op.native < natives.size() ? static_cast<long double>(natives[op.native]) : 0;
        continue;
      case OpKind::kNumber:
        stack[depth++] = op.number;
        continue;
      case OpKind::kClock:
        stack[depth++] = context.cycles_per_second;
        continue;
      default:
        break;
    }
    const long double right = stack[--depth];
    long double& left = stack[depth - 1];
    if (op.kind == OpKind::kAdd) {
      left += right;
    } else if (op.kind == OpKind::kSub) {
      left -= right;
    } else if (op.kind == OpKind::kMul) {
      left *= right;
    } else {
      left = right == 0 ? 0 : left / right;
    }
  }
  return CutToInteger(stack[0]);
}

}  // namespace csink
