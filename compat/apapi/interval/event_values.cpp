#include "compat/apapi/interval/event_values.h"

#include <bit>
#include <limits>

/// File: the arithmetic of APAPI's counters: growth of accumulating counters with wraps, and the
/// operation of value1.

namespace csink {

namespace {

using U64 = std::uint64_t;

// GrowthOf for floating values. Their wrap has no "+ 1", because there is no next number.
long long GrowthOfFloating(double largest, double before, double now, bool* backwards) noexcept {
  double growth = now - before;
  if (growth < 0) {
    // "Never wraps", as for integers.
    constexpr auto kNever = static_cast<double>(std::numeric_limits<long long>::max());
    growth += largest;
    // Neither growth nor a wrap explains the step: the counter was reset.
    if (before > largest || growth < 0 || largest >= kNever) {
      growth = 0;
      *backwards = true;
    }
  }
  return std::bit_cast<long long>(growth);
}

}  // namespace

long double NumberOf(ValueType type, long long bits) noexcept {
  switch (type) {
    case ValueType::kFloating:
      return std::bit_cast<double>(bits);
    case ValueType::kUnsigned:
    case ValueType::kBits:
      return static_cast<U64>(bits);
    case ValueType::kSigned:
      break;
  }
  return bits;
}

long long GrowthOf(const ValueRule& rule, long long before, long long now,
                   bool* backwards) noexcept {
  if (rule.type == ValueType::kFloating) {
    return GrowthOfFloating(static_cast<double>(rule.largest), std::bit_cast<double>(before),
                            std::bit_cast<double>(now), backwards);
  }
  // Unsigned arithmetic cannot overflow, and gives the same result.
  const U64 difference = static_cast<U64>(now) - static_cast<U64>(before);
  // The sign matters for the comparison only.
  const bool grew = rule.type == ValueType::kSigned
                        ? now >= before
                        : static_cast<U64>(now) >= static_cast<U64>(before);
  if (grew) return static_cast<long long>(difference);
  // No wrap at `largest` is possible if `before` exceeded it or if `now` is negative.
  const bool no_wrap = rule.type == ValueType::kSigned
                           ? before > rule.largest || now < 0
                           : static_cast<U64>(before) > static_cast<U64>(rule.largest);
  const U64 wrapped = static_cast<U64>(rule.largest) + 1 + difference;
  // For a counter that never wraps, a small growth over the wrap is accepted, a large one is a
  // reset.
  constexpr auto kNever = std::numeric_limits<long long>::max();
  if (no_wrap || (rule.largest == kNever && wrapped > static_cast<U64>(kNever) / 2)) {
    *backwards = true;
    return 0;
  }
  return static_cast<long long>(wrapped);
}

void EventValues::Add(long long raw, long long gap_ns) noexcept {
  const long long before = value0_;
  if (rule_.largest == 0 || count_ == 0) {
    // The first value of an accumulating counter is the raw one, because there is no growth yet.
    value0_ = raw;
  } else {
    bool backwards = false;
    value0_ = GrowthOf(rule_, raw_, raw, &backwards);
    backwards_ += backwards ? 1 : 0;
  }
  raw_ = raw;
  // One value has no interval before it, and so no weight.
  if (++count_ == 1) return;
  const long double now = NumberOf(rule_.type, value0_);
  const auto weight = static_cast<long double>(gap_ns);
  if (rule_.fields0 != 0) statistics0_.Add(rule_.fields0, now, weight);
  if (rule_.operation == IntervalOperation::kNone) return;
  if (!Operate(NumberOf(rule_.type, before), now, weight)) return;
  if (rule_.fields1 == 0) return;
  if (rule_.operation == IntervalOperation::kPerTime) {
    AddRate(now, weight);
  } else {
    statistics1_.Add(rule_.fields1, value1_, weight);
  }
}

void EventValues::Begin(long long raw) noexcept {
  if (count_ == 0) return Add(raw, 0);
  raw_ = raw;
  if (rule_.largest == 0) value0_ = raw;
  // A window must not span what is not known.
  window_ = StepWindow(rule_.shortest_ns, rule_.update_ns);
}

void EventValues::AddRate(long double growth, long double gap_ns) noexcept {
  // The last interval ends with the program, and one after a late sample begins late. In 2 ms of a
  // counter that moves every 1 ms, 10 W look like 5 W or 15 W.
  const bool is_full = gap_ns >= static_cast<long double>(rule_.shortest_ns);
  statistics1_.Add(rule_.fields1, value1_, gap_ns, is_full && !rule_.has_steps);
  if (!rule_.has_steps) return;
  if (const auto rate = window_.Add(growth, gap_ns)) statistics1_.AddExtreme(rule_.fields1, *rate);
}

/// Computes value1. False: it cannot be computed yet. The first value0 of an accumulating counter
/// is not a growth, so that operations on two values begin with the third one.
bool EventValues::Operate(long double before, long double now, long double gap_ns) noexcept {
  const bool two_values = rule_.largest == 0 || count_ > 2;
  switch (rule_.operation) {
    case IntervalOperation::kDifference:
      if (two_values) value1_ = now - before;
      return two_values;
    case IntervalOperation::kPerTime:
      if (gap_ns > 0) value1_ = now / gap_ns;
      return gap_ns > 0;
    case IntervalOperation::kTimesTime:
      value1_ = now * gap_ns;
      return true;
    case IntervalOperation::kMeanTimesTime:
      if (two_values) value1_ = (before + now) / 2 * gap_ns;
      return two_values;
    case IntervalOperation::kNone:
      break;
  }
  return false;
}

}  // namespace csink
