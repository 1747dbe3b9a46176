#include <climits>

#include "core/counting/presets/formula.h"

namespace csink {
namespace {

/// 2^63 and -2^63 can be represented exactly in every floating-point type. LLONG_MAX cannot in a
/// double, which is why it is not the limit here.
constexpr long double kTooLarge = 9223372036854775808.0L;
constexpr long double kTooSmall = -9223372036854775808.0L;

// The conversion of a value out of range would be undefined. Values are never infinite or NaN: a
// formula of 255 bytes has at most 128 operands, too few to leave the range of long double
// (2^16383), and no division is by zero.
long long CutToInteger(long double value) noexcept {
  if (value >= kTooLarge) return LLONG_MAX;
  if (value <= kTooSmall) return LLONG_MIN;
  return static_cast<long long>(value);
}

// The sum of a few counts beyond 64 bits, cut to them.
long long Saturate(__int128 value) noexcept {
  if (value > LLONG_MAX) return LLONG_MAX;
  if (value < LLONG_MIN) return LLONG_MIN;
  return static_cast<long long>(value);
}

}  // namespace

// Called in overflow handlers: no heap, no libc function, 512 bytes of stack on x86-64 and
// aarch64.
long long Formula::Evaluate(std::span<const long long> natives,
                            const FormulaContext& context) const noexcept {
  // No counts: 0, but a formula of numbers alone has a value without them.
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
  // The switch handles operands, which push one value. Operators take two and push one.
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
      // Nothing was counted: 0 instead of an undefined value.
      left = right == 0 ? 0 : left / right;
    }
  }
  return CutToInteger(stack[0]);
}

}  // namespace csink
