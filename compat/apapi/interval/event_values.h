#pragma once

#include <cstdint>

#include "compat/apapi/interval/running_statistics.h"
#include "compat/apapi/interval/step_window.h"
#include "compat/apapi/interval/value_rule.h"

namespace csink {

/// The number that `bits` represent as `type`. Exact on x86-64, where long double has 64 bits of
/// precision. kBits counts as unsigned. Threads: any.
long double NumberOf(ValueType type, long long bits) noexcept;

/// The growth of an accumulating counter from `before` to `now`, in the bits of its type
/// (rule.type, rule.largest). If `now` is smaller, one wrap at rule.largest is assumed: for
/// integers the growth is largest - before + now + 1, for floating values largest - before + now.
/// No wrap is assumed if `before` exceeds `largest`, if `now` is negative, or if `largest` is 2^63
/// - 1 ("never wraps") and the growth would exceed half of that. The counter was then reset: the
/// growth is 0 and `*backwards` is set to true; otherwise `*backwards` is left alone.
long long GrowthOf(const ValueRule& rule, long long before, long long now,
                   bool* backwards) noexcept;

/// The values derived from one counter's raw values: value0, value1, and statistics of both. The
/// first value is not in the statistics, because it ends no interval. Rates of short intervals are
/// not in minimum and maximum (ValueRule::shortest_ns, has_steps).
/// Threads: one at a time. No allocation.
class EventValues {
 public:
  explicit EventValues(const ValueRule& rule) noexcept
      : rule_(rule), window_(rule.shortest_ns, rule.update_ns) {}

  /// Adds a raw value, in the bits of the rule's type, that was read `gap_ns` after the previous
  /// one (0 for the first).
  void Add(long long raw, long long gap_ns) noexcept;

  /// Takes a raw value from which the next growth is computed: what the counter grew by before it
  /// is not known. It enters no statistics.
  void Begin(long long raw) noexcept;

  const ValueRule& rule() const noexcept { return rule_; }
  /// Number of raw values so far.
  std::uint64_t count() const noexcept { return count_; }
  long long value0() const noexcept { return value0_; }  ///< In the bits of the rule's type
  /// The result of the rule's operation on the last values; 0 until it can be computed.
  long double value1() const noexcept { return value1_; }
  const RunningStatistics& statistics0() const noexcept { return statistics0_; }
  const RunningStatistics& statistics1() const noexcept { return statistics1_; }
  /// How often an accumulating counter decreased without a possible wrap.
  std::uint64_t backwards() const noexcept { return backwards_; }

 private:
  /// Computes value1_ from two value0 and the time between them. Returns false if it cannot be
  /// computed yet.
  bool Operate(long double before, long double now, long double gap_ns) noexcept;
  /// Adds value1_, a rate, to its statistics.
  void AddRate(long double growth, long double gap_ns) noexcept;

  ValueRule rule_;
  std::uint64_t count_ = 0, backwards_ = 0;
  long long raw_ = 0, value0_ = 0;
  long double value1_ = 0;
  RunningStatistics statistics0_, statistics1_;
  StepWindow window_;
};

}  // namespace csink
