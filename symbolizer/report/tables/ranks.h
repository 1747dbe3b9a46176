#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profil/statistics/statistics.h"

/// File: how the samples of an MPI job divide among its ranks. Values are seconds for a clock, else
/// numbers of events. A rank without samples in a row has the value 0 there.
///
/// Intervals are 95 % intervals of the rank's own number of samples, taken as a Poisson count.
/// Sampling with a fixed period has a smaller error, so they are on the safe side.

namespace csink::report {

/// The value of one rank.
struct RankValue {
  std::uint32_t rank = 0;
  double value = 0;
  Interval interval{0, 0};
};

/// Mean and extremes of a row over all ranks.
struct RankSpread {
  double mean = 0;
  Interval mean_interval{0, 0};
  RankValue least;
  RankValue most;  ///< Of equal ranks the one with the lowest number, as for `least`
  /// most / mean - 1: by how much more the busiest rank does than an even division would give it.
  /// 0 if the mean is 0
  double imbalance = 0;
  /// The ranks differ by more than sampling explains: the index of dispersion of the samples is
  /// beyond the 95 % quantile of chi-square with (ranks - 1) degrees of freedom
  bool differs = false;
};

/// One function over all ranks.
struct RankFunction {
  std::string function;
  std::string module;
  bool in_mpi = false;  ///< Its module belongs to an MPI library (IsMpiLibrary)
  std::uint64_t samples = 0;
  RankSpread spread;
};

/// A rank that stands out from the others.
struct RankOutlier {
  std::string function;  ///< Empty: all samples of the rank
  std::string module;
  RankValue value;
  double median = 0;  ///< Of all ranks
};

/// One event over all ranks.
struct RankTable {
  RankSpread total;
  /// The share of samples in MPI libraries, with its interval, over all ranks
  double mpi_share = 0;
  Interval mpi_interval{0, 1};
  /// The same of the ranks with the least and the most of it; of ranks with samples
  RankValue mpi_least;
  RankValue mpi_most;
  std::vector<RankFunction> functions;  ///< By mean, the largest first
  /// By distance from the median, the largest first, at most kMostOutliers. Of functions with at
  /// least 1 % of the samples. Empty with less than kRanksForOutliers ranks
  std::vector<RankOutlier> outliers;
};

inline constexpr std::size_t kMostOutliers = 20;
inline constexpr std::size_t kRanksForOutliers = 4;

/// One part of the ranks' wall time in seconds. It was counted, not sampled: intervals are points.
struct RankPart {
  double mean = 0;
  RankValue least;
  RankValue most;  ///< Of equal ranks the one with the lowest number, as for `least`
};

/// How the wall time of the ranks' main threads divides, from their begin to their end (schedstat).
/// Helper threads of MPI, which are blocked all the time, are not in it.
struct RankWall {
  RankPart running;
  RankPart waiting;  ///< Runnable, but without a processor
  RankPart blocked;
};

/// What main threads of the ranks waited for (CSINK_WAIT): a function of MPI, or a function of the
/// program that waits otherwise. Values are seconds.
struct RankWait {
  std::string function;  ///< The function of MPI that the program called; else as WaitRow::function
  std::string primitive;  ///< As WaitRow::primitive; empty in MPI
  bool in_mpi = false;
  std::uint64_t looks = 0;  ///< Of all ranks
  double mean = 0;          ///< Of all ranks; a rank that never waited there counts as 0
  /// With the 95 % intervals by which the rank's looks divide its blocked time
  RankValue least;
  RankValue most;  ///< Of equal ranks the one with the lowest number, as for `least`
};

struct RankTables {
  std::size_t ranks = 0;            ///< Number of ranks; less than 2: no tables
  std::optional<RankWall> wall{};   ///< Empty: the times of some rank are not known
  std::vector<RankTable> events{};  ///< One for each of Profile::events, or empty
  std::vector<RankWait> waits{};    ///< The largest mean first; empty: not observed
};

/// Whether a module belongs to an implementation of MPI, or to one of the libraries that these use
/// to communicate: Open MPI, MPICH and its relatives, PMIx, UCX, libfabric, PSM, verbs. `module` is
/// a base name, as DisplayName returns it.
bool IsMpiLibrary(const std::string& module);

}  // namespace csink::report
