#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/topdown/topdown_shares.h"
#include "symbolizer/report/tables/report.h"

/// File: top-down analysis of a function: which part of the processor's slots was retiring, bad
/// speculation, frontend bound, backend bound and so on, from the events that `-e topdown` samples,
/// with error bounds.
///
/// A share depends on up to nine counts that are sampled independently. Its interval is computed
/// from theirs: each count is moved to its lower and its upper 95 % bound while the others stay,
/// and the resulting distances of the share are added in squares, separately downwards and upwards
/// ("MOVER": G. Y. Zou, A. Donner, "Construction of confidence limits about effect measures",
/// Statistics in Medicine 27, 2008, p. 1693). For large counts this equals the delta method; it
/// stays correct if a count is small or 0, and if there are few slots in the denominator.

namespace csink::report {

/// One count, and the number of events of a Poisson process with the same relative error. The unit
/// of `value` is slots, or cycles for the roles that TopdownRole says.
struct SampledCount {
  /// In the unit of TopdownCounts. Negative if the event was not sampled.
  double value = 0;
  /// Equivalent number of events (EquivalentCount). 0 without samples.
  double count = 0;
  /// What one sample represents, in the unit of `value`. Bounds a count without samples from above.
  double per_sample = 1;
};

/// The counts of one row, by role.
struct SampledCounts {
  /// By TopdownRole.
  SampledCount of[kTopdownRoles];
  /// As in TopdownCounts.
  double slots_per_cycle = 0;

  SampledCounts() noexcept {
    for (SampledCount& count : of) count.value = -1;
  }
  SampledCount& operator[](TopdownRole role) noexcept { return of[static_cast<std::size_t>(role)]; }
};

/// One share of the slots with its 95 % interval, both cut to [0, 1]. TopdownPart::kUnattributed is
/// not cut: below 0 it shows that the parts overlap.
struct SampledShare {
  double share = 0;
  Interval interval;
};

/// The shares of one row, one for each part, by TopdownPart. A part is nullopt if the counts do not
/// give it. Costs two evaluations of the formula for each count.
std::vector<std::optional<SampledShare>> SampledSharesOf(TopdownFormula formula,
                                                         const SampledCounts& counts);

/// The number of Poisson events that has the same error as a count that was sampled only while its
/// event had a counter (multiplexing). Two errors add up: that of the `count` samples
/// (EquivalentCount), and that of the choice of time slices. `running_share` is the part of all
/// slices that was observed; `seen_slices` of the observed ones contained the code in question. The
/// relative variance 1 / result is 1 / count + (1 - running_share) / seen_slices, as in cluster
/// sampling without replacement (W. G. Cochran, "Sampling Techniques", 3rd edition, 1977, 9A). This
/// is exact for code that fills whole slices or none, and too wide otherwise.
double MultiplexedCount(double count, double running_share, double seen_slices) noexcept;

/// How long the kernel keeps an event on a counter while others wait, in nanoseconds: the default
/// for HZ=250 (kernel/events/core.c, perf_event_mux_interval_ms). Spools do not contain the value
/// that was used.
inline constexpr double kSliceNs = 4e6;

/// Whether `event` is one of the counts of `-e topdown` other than the slots: for these, text shows
/// the shares instead of the event's column.
bool IsTopdownPart(const EventTotals& event);

/// The columns that the events allow, level 1 first. None if an event of level 1 is missing,
/// because the parts would not add up to all slots.
std::vector<DerivedColumn> TopdownColumns(const Profile& profile);

/// The part of the slots that a column shows, from its key; nullopt if the column is a ratio of two
/// events.
std::optional<TopdownPart> PartOf(const DerivedColumn& column);

/// Whether the report has top-down columns. They come before all ratios, so the first column
/// decides.
bool HasTopdown(const Report& report);

/// The shares of a row, by TopdownPart; empty without top-down columns.
std::vector<std::optional<SampledShare>> TopdownOf(const Report& report,
                                                   const std::vector<Cell>& cells);

/// Adds one note about the whole program to the verdict, and one for each reason to doubt the
/// shares: an event that never counted, or slots that no event covers (5 % or more). The verdict's
/// other parts must exist.
void AddTopdownNotes(Report& report);

}  // namespace csink::report
