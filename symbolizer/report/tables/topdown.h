#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/topdown/topdown_shares.h"
#include "symbolizer/report/tables/report.h"

/// File: the shares of slots (retiring, bad speculation, frontend, backend, ...) of a function,
/// from the events that `-e topdown` samples, and how sure they are.
///
/// A share is a function of up to nine counts that are sampled independently of each other. Its
/// interval follows from theirs: each count is moved to its lower and its upper 95 % bound while
/// the others stay, and the distances that the share moves are added in squares, downwards and
/// upwards apart ("MOVER": G. Y. Zou, A. Donner, "Construction of confidence limits about effect
/// measures", Statistics in Medicine 27, 2008, p. 1693). Where all counts are large this is the
/// delta method; it stays right where one is small or 0, and where the slots below the line are
/// few.

namespace csink::report {

/// One count: what is in it, and how many events of a Poisson process are as uncertain.
struct SampledCount {
  double value = 0;       ///< In the unit of TopdownCounts; negative: not sampled
  double count = 0;       ///< Equivalent number of events; 0: no sample fell here
  double per_sample = 1;  ///< What one sample stands for; the bound of a count without samples
};

struct SampledCounts {
  SampledCount of[kTopdownRoles];
  double slots_per_cycle = 0;

  SampledCounts() noexcept {
    for (SampledCount& count : of) count.value = -1;
  }
  SampledCount& operator[](TopdownRole role) noexcept { return of[static_cast<std::size_t>(role)]; }
};

/// One share with its 95 % interval, both cut to [0, 1]; TopdownPart::kUnattributed is not cut.
struct SampledShare {
  double share = 0;
  Interval interval;
};

/// One a part, by TopdownPart; nullopt: not known.
std::vector<std::optional<SampledShare>> SampledSharesOf(TopdownFormula formula,
                                                         const SampledCounts& counts);

/// How many Poisson events a count is worth that was sampled only while its event had a counter:
/// `count` events (EquivalentCount) of the samples, and a choice of time slices. `running_share` of
/// all slices were seen; `seen_slices` of them fell into the code in question. The variances add:
/// 1 / result^2's relative variance is 1 / count + (1 - running_share) / seen_slices, as in
/// sampling clusters without replacement (W. G. Cochran, "Sampling Techniques", 3rd edition, 1977,
/// 9A). That is exact for code that fills whole slices or none, and too wide otherwise.
double MultiplexedCount(double count, double running_share, double seen_slices) noexcept;

/// How long the kernel leaves an event on a counter while others wait: its default at HZ=250
/// (kernel/events/core.c, perf_event_mux_interval_ms).
inline constexpr double kSliceNs = 4e6;

/// Whether `event` is one of the counts of `-e topdown` other than the slots: text shows the shares
/// instead of its column.
bool IsTopdownPart(const EventTotals& event);

/// The columns that the events allow: none where an event of level 1 is missing.
std::vector<DerivedColumn> TopdownColumns(const Profile& profile);

/// Which part of the slots a column is; nullopt: it is a ratio of two events. The key tells.
std::optional<TopdownPart> PartOf(const DerivedColumn& column);

/// Whether the report has TopdownColumns; they stand before all ratios.
bool HasTopdown(const Report& report);

/// The shares of a row, by TopdownPart; empty without TopdownColumns.
std::vector<std::optional<SampledShare>> TopdownOf(const Report& report,
                                                   const std::vector<Cell>& cells);

/// One line about the whole program, and one for each thing that makes the shares doubtful: an
/// event that never counted, slots that no event tells apart.
void AddTopdownNotes(Report& report);

}  // namespace csink::report
