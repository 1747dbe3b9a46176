#pragma once

#include <cstdint>

#include "profil/interval/running_statistics.h"
#include "profil/interval/value_rule.h"

namespace csink {

/// `bits` as the number that it is.
long double NumberOf(ValueType type, long long bits) noexcept;

/// value0 of a counter that accumulates, in the bits of its type: what it grew by from `before` to
/// `now`. A smaller value than before is one wrap at rule.largest, of whole numbers
/// largest - before + now + 1. With the largest of all (2^63 - 1: "it never wraps"), from a value
/// beyond the largest, and to one below 0 it is a counter that began anew: 0, and `*backwards`
/// becomes true.
long long GrowthOf(const ValueRule& rule, long long before, long long now,
                   bool* backwards) noexcept;

/// What is known of one counter from its raw values: value0, value1, and statistics of both.
/// The first value is in no statistics, since there is no interval that it ends.
/// Threads: one at a time.
class EventValues {
 public:
  explicit EventValues(const ValueRule& rule) noexcept : rule_(rule) {}

  /// The raw value that was found `gap_ns` after the one before (0 at the first).
  void Add(long long raw, long long gap_ns) noexcept;

  const ValueRule& rule() const noexcept { return rule_; }
  std::uint64_t count() const noexcept { return count_; }
  long long value0() const noexcept { return value0_; }  ///< In the bits of the rule's type
  long double value1() const noexcept { return value1_; }
  const RunningStatistics& statistics0() const noexcept { return statistics0_; }
  const RunningStatistics& statistics1() const noexcept { return statistics1_; }
  /// How often an accumulating counter became smaller where it cannot have wrapped.
  std::uint64_t backwards() const noexcept { return backwards_; }

 private:
  bool Operate(long double before, long double now, long double gap_ns) noexcept;

  ValueRule rule_;
  std::uint64_t count_ = 0, backwards_ = 0;
  long long raw_ = 0, value0_ = 0;
  long double value1_ = 0;
  RunningStatistics statistics0_, statistics1_;
};

}  // namespace csink
