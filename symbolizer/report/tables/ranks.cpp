#include "symbolizer/report/tables/ranks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "profil/reading/model/main_thread.h"
#include "profil/reading/model/saturating.h"
#include "profil/reading/model/spawned_world.h"
#include "symbolizer/report/tables/parts.h"
#include "symbolizer/report/wording/numbers.h"

/// File: Profile::ranks has places, the tables have functions. Each place's function is known
/// (function_of_place), so that the ranks need no names of their own.

namespace csink::report {
namespace {

/// Functions below this share are not searched for outliers.
constexpr double kLeastShareForOutliers = 0.01;
/// The probability that a table names an outlier although all ranks have the same distribution.
constexpr double kOutlierLevel = 0.05;
/// The standard deviation of a normal distribution in units of its median absolute deviation.
constexpr double kDeviationsOfMad = 1.4826;
/// Ranks without a profile that a note names.
constexpr std::size_t kMissingNamed = 8;

/// The samples of one rank in one row.
struct OfRank {
  std::size_t row = 0;  ///< Index into Ranks::rows
  double samples = 0;
  double weight = 0;
};
/// The ranks with samples in one row, in their order.
using Series = std::vector<OfRank>;

/// 95 % interval of the mean of a Poisson process that had `samples` events: D. J. Wilson and M. M.
/// Hilferty's approximation of the chi-square quantiles (PNAS 17, 1931, p. 684).
Interval PoissonInterval(double samples) {
  const auto cube = [](double x) { return x * x * x; };
  const double above = samples + 1;
  const double high = above * cube(1 - 1 / (9 * above) + kZ95 / (3 * std::sqrt(above)));
  if (samples <= 0) return {0, high};
  const double low = samples * cube(1 - 1 / (9 * samples) - kZ95 / (3 * std::sqrt(samples)));
  return {std::max(0.0, low), high};
}

/// The 95 % quantile of chi-square, by the same approximation.
double ChiSquare95(double degrees) {
  constexpr double kOneSided95 = 1.6448536269514722;
  const double part = 2 / (9 * degrees);
  const double root = 1 - part + kOneSided95 * std::sqrt(part);
  return degrees * root * root * root;
}

/// The row of each rank. Everything else a table needs is computed from it.
class Spreader {
 public:
  Spreader(const Ranks& ranks, const EventTotals& event)
      : ranks_(ranks),
        unit_(event.kind == EventClass::kClock ? 1e-9 : 1),
        per_sample_(event.samples == 0 ? unit_
                                       : static_cast<double>(event.weight) /
                                             static_cast<double>(event.samples) * unit_) {}

  /// The value of one rank, with the interval that its number of samples allows.
  RankValue ValueOf(const OfRank& of) const {
    const Interval samples = PoissonInterval(of.samples);
    return {ranks_.rows[of.row].rank,
            of.weight * unit_,
            {samples.low * per_sample_, samples.high * per_sample_}};
  }

  /// Mean, extremes and imbalance over all ranks, also over those that the series does not list.
  RankSpread SpreadOf(const Series& series) const {
    RankSpread spread;
    const auto n = static_cast<double>(ranks_.rows.size());
    // A series lists only ranks with samples. A rank that is missing in it has the least value, 0.
    OfRank least = FirstWithout(series);
    OfRank most;
    double weight = 0;
    double samples = 0;
    double squares = 0;
    bool first = true;
    for (const OfRank& of : series) {
      weight += of.weight;
      samples += of.samples;
      squares += of.samples * of.samples;
      if (first || of.weight > most.weight) most = of;
      // With a rank that has no samples, that rank stays the least one.
      if (series.size() == ranks_.rows.size() && (first || of.weight < least.weight)) least = of;
      first = false;
    }
    spread.mean = weight * unit_ / n;
    const Interval all = PoissonInterval(samples);
    spread.mean_interval = {all.low * per_sample_ / n, all.high * per_sample_ / n};
    spread.least = ValueOf(least);
    spread.most = ValueOf(most);
    if (spread.mean > 0) spread.imbalance = spread.most.value / spread.mean - 1;
    if (samples > 0 && n > 1) {
      // Sum of (k - mean)^2 / mean; ranks without samples add mean^2 each.
      const double dispersion = (squares - samples * samples / n) / (samples / n);
      spread.differs = dispersion > ChiSquare95(n - 1);
    }
    return spread;
  }

  /// Adds the ranks whose samples are further from the median than `limit` deviations.
  void AddOutliers(const Series& series, double limit, const RankOutlier& row,
                   std::vector<std::pair<double, RankOutlier>>& found) const {
    // Ranks without samples count as 0 in the median.
    std::vector<double> values(ranks_.rows.size());
    for (const OfRank& of : series) values[of.row] = of.samples;
    const double median = MedianOf(values);
    std::vector<double> distances;
    distances.reserve(values.size());
    for (const double value : values) distances.push_back(std::fabs(value - median));
    // The ranks' own spread, but never less than the error of sampling.
    const double deviation =
        std::max(kDeviationsOfMad * MedianOf(distances), std::sqrt(std::max(median, 1.0)));
    // The series is sorted by rank, as the values are, so that one index follows it.
    std::size_t next = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool has = next < series.size() && series[next].row == i;
      const OfRank of = has ? series[next++] : OfRank{i, 0, 0};
      if (std::fabs(values[i] - median) <= limit * deviation) continue;
      RankOutlier outlier = row;
      outlier.value = ValueOf(of);
      outlier.median = median * per_sample_;
      found.emplace_back(std::fabs(values[i] - median), std::move(outlier));
    }
  }

 private:
  /// By value, because the search reorders the values. There must be at least one.
  static double MedianOf(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 != 0) return *middle;
    // Of an even number the mean of the two in the middle: nth_element left all smaller values
    // before the middle.
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
  }

  /// The first rank that is not in the series; its values are 0. The first rank of all if every
  /// rank is in it.
  OfRank FirstWithout(const Series& series) const {
    std::size_t row = 0;
    while (row < series.size() && series[row].row == row) ++row;
    return {row < ranks_.rows.size() ? row : 0, 0, 0};
  }

  const Ranks& ranks_;
  double unit_;        ///< Seconds or events for a weight of 1
  double per_sample_;  ///< The value of an average sample
};

/// The series of one event.
struct EventSeries {
  std::vector<Series> functions;  ///< By FunctionRow::id
  Series total;
  Series mpi;
};

/// FunctionRow::id by code of the ranks.
std::vector<std::uint32_t> FunctionsOf(const Profile& profile,
                                       const std::vector<std::uint32_t>& function_of_place) {
  const auto before = [](const CodeAddress& a, const CodeAddress& b) {
    return std::tie(a.module, a.offset) < std::tie(b.module, b.offset);
  };
  std::vector<std::uint32_t> functions;
  functions.reserve(profile.ranks.codes.size());
  for (const RankCode& code : profile.ranks.codes) {
    // Places are sorted by address first.
    const auto it = std::lower_bound(profile.places.begin(), profile.places.end(), code.address,
                                     [&](const Place& place, const CodeAddress& address) {
                                       return before(place.address, address);
                                     });
    const bool known = it != profile.places.end() && !before(code.address, it->address);
    functions.push_back(
        known ? function_of_place[static_cast<std::size_t>(it - profile.places.begin())]
              : kNoFunction);
  }
  return functions;
}

/// Adds to the last element of a series if it is the same rank, else appends.
void AddTo(Series& series, std::size_t row, const RankCount& count) {
  if (series.empty() || series.back().row != row) series.push_back({row, 0, 0});
  series.back().samples += count.samples;
  series.back().weight += static_cast<double>(count.weight);
}

/// The samples of each rank, by event and function, and their sums over all functions and over
/// those of MPI.
std::vector<EventSeries> SeriesOf(const Report& report,
                                  const std::vector<std::uint32_t>& function_of_code,
                                  const std::vector<bool>& in_mpi) {
  const Ranks& ranks = report.profile.ranks;
  std::vector<EventSeries> events(report.profile.events.size());
  for (EventSeries& event : events) event.functions.resize(report.functions.size());
  for (std::size_t row = 0; row < ranks.rows.size(); ++row) {
    for (const RankCount& count : ranks.rows[row].counts) {
      EventSeries& event = events[ranks.codes[count.code].event];
      AddTo(event.total, row, count);
      // The total contains all samples, also those whose function is not known.
      const std::uint32_t function = function_of_code[count.code];
      if (function == kNoFunction) continue;
      AddTo(event.functions[function], row, count);
      if (in_mpi[function]) AddTo(event.mpi, row, count);
    }
  }
  return events;
}

/// The shares of MPI libraries in the samples of each rank.
void SetMpiShares(const Ranks& ranks, const EventSeries& series, double effective_samples,
                  RankTable& table) {
  double all = 0;
  double mpi = 0;
  bool first = true;
  std::size_t next = 0;
  for (const OfRank& of : series.total) {
    // Both series are sorted by rank; ranks without samples in MPI are missing in the second.
    while (next < series.mpi.size() && series.mpi[next].row < of.row) ++next;
    const bool has = next < series.mpi.size() && series.mpi[next].row == of.row;
    const double weight = has ? series.mpi[next].weight : 0;
    all += of.weight;
    mpi += weight;
    // A rank without samples has no share. It is neither the least nor the most.
    if (of.weight <= 0) continue;
    const double share = weight / of.weight;
    const RankValue value = {ranks.rows[of.row].rank, share, WilsonInterval(share, of.samples)};
    if (first || share < table.mpi_least.value) table.mpi_least = value;
    if (first || share > table.mpi_most.value) table.mpi_most = value;
    first = false;
  }
  if (all <= 0) return;
  table.mpi_share = mpi / all;
  table.mpi_interval = WilsonInterval(table.mpi_share, effective_samples);
}

/// Searches the totals and the hottest functions for ranks that stand out, and keeps those that are
/// furthest from the median.
void AddOutliers(const Spreader& spreader, const EventSeries& series,
                 const std::vector<const FunctionRow*>& row_of, std::size_t event,
                 std::size_t ranks, RankTable& table) {
  std::vector<std::uint32_t> searched;
  for (std::uint32_t id = 0; id < series.functions.size(); ++id) {
    if (row_of[id]->events[event].share >= kLeastShareForOutliers) searched.push_back(id);
  }
  // All tests together are wrong with kOutlierLevel at most: a normal tail is at most
  // exp(-z^2 / 2) on both sides together, and there are ranks x rows of them.
  const double tests = static_cast<double>(ranks) * static_cast<double>(searched.size() + 1);
  const double limit = std::sqrt(2 * std::log(tests / kOutlierLevel));
  std::vector<std::pair<double, RankOutlier>> found;
  spreader.AddOutliers(series.total, limit, {}, found);
  for (const std::uint32_t id : searched) {
    const FunctionRow& row = *row_of[id];
    spreader.AddOutliers(series.functions[id], limit, {row.function, row.module, {}, 0}, found);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (found.size() > kMostOutliers) found.resize(kMostOutliers);
  for (auto& [distance, outlier] : found) table.outliers.push_back(std::move(outlier));
}

/// Sums of the main threads' times by rank. Empty if a thread's times are not known, or not
/// divided.
std::map<std::uint32_t, WallParts> MainThreadsOf(const Profile& profile) {
  std::map<std::uint32_t, WallParts> ranks;
  for (const ThreadRow& thread : profile.threads) {
    if (!IsMainThread(profile, thread)) continue;
    const std::int64_t rank = profile.processes[thread.process].rank;
    if (rank < 0) continue;
    const WallParts& wall = thread.wall;
    // What is not divided (the last microseconds of a thread) is left out up to a thousandth.
    if (!wall.known() || wall.undivided_ns > wall.wall_ns / 1000) return {};
    AddTo(ranks[static_cast<std::uint32_t>(rank)], wall);
  }
  return ranks;
}

/// The parts of the main threads' wall time. nullopt if those of any rank are unknown: means and
/// extremes of the other ranks would be taken for those of all.
std::optional<RankWall> WallOf(const Profile& profile) {
  const std::map<std::uint32_t, WallParts> ranks = MainThreadsOf(profile);
  for (const RankRow& row : profile.ranks.rows) {
    if (ranks.count(row.rank) == 0) return std::nullopt;
  }
  const auto part = [&](auto&& ns_of) {
    RankPart sum;
    for (const auto& [rank, wall] : ranks) {
      const double seconds = static_cast<double>(ns_of(wall)) * 1e-9;
      const RankValue value = {rank, seconds, {seconds, seconds}};
      const bool first = rank == ranks.begin()->first;
      if (first || seconds < sum.least.value) sum.least = value;
      if (first || seconds > sum.most.value) sum.most = value;
      sum.mean += seconds / static_cast<double>(ranks.size());
    }
    return sum;
  };
  return RankWall{part([](const WallParts& wall) { return wall.run_ns; }),
                  part([](const WallParts& wall) { return wall.wait_ns; }),
                  part([](const WallParts& wall) { return wall.BlockedNs(); })};
}

/// Notes ranks that should be there, because a rank with a higher number is.
void NoteMissingRanks(Report& report) {
  const std::vector<RankRow>& rows = report.profile.ranks.rows;
  const std::uint64_t expected = std::uint64_t{rows.back().rank} + 1;
  if (expected == rows.size()) return;
  std::string names;
  std::size_t named = 0;
  // Ranks rise; each gap between two of them is named, up to kMissingNamed numbers.
  std::uint64_t rank = 0;
  for (const RankRow& row : rows) {
    for (; rank < row.rank && named < kMissingNamed; ++rank, ++named) {
      names += (names.empty() ? "" : ", ") + std::to_string(rank);
    }
    rank = std::uint64_t{row.rank} + 1;
  }
  const std::uint64_t missing = expected - rows.size();
  report.verdict.notes.push_back("no profile of " + Count(missing, "rank", "ranks") + " (" + names +
                                 (missing > named ? ", ..." : "") +
                                 "): the comparison of ranks is of the other " +
                                 Grouped(rows.size()));
}

/// Says why ranks are not compared: equal numbers are different ranks.
void NoteSeveralJobs(Report& report) {
  std::set<std::string_view> jobs;
  for (const ProcessRow& process : report.profile.processes) {
    if (process.rank >= 0) jobs.insert(process.job);
  }
  if (jobs.size() < 2) return;
  const bool is_spawned = std::any_of(
      jobs.begin(), jobs.end(), [](std::string_view job) { return !SpawnedWorld(job).empty(); });
  report.verdict.notes.push_back("ranks of " + Count(jobs.size(), "job", "jobs") +
                                 (is_spawned ? " (MPI_Comm_spawn makes another one)" : "") +
                                 ", which are not compared: give csink the spools of one job");
}

}  // namespace

bool IsMpiLibrary(const std::string& module) {
  // "libmpi" covers libmpi.so.40, libmpi_mpifh, libmpich, libmpifort and Intel's; "mca_" are Open
  // MPI's plugins.
  static constexpr std::string_view kNames[] = {
      "libmpi", "libpmpi", "libopen-pal", "libopen-rte", "libpmix",  "libprrte",
      "libpmi", "mca_",    "libmca_",     "libucp",      "libucs",   "libuct",
      "libucm", "libuct_", "libfabric",   "libpsm",      "libopa",   "libibverbs",
      "libmlx", "librdma", "libhcoll",    "libucc",      "libxpmem", "libmvapich"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return module.starts_with(name); });
}

void AddRanks(Report& report, const std::vector<std::uint32_t>& function_of_place) {
  const Profile& profile = report.profile;
  const Ranks& ranks = profile.ranks;
  report.ranks.ranks = ranks.rows.size();
  if (ranks.rows.empty()) NoteSeveralJobs(report);
  if (ranks.rows.size() < 2) return;
  report.ranks.wall = WallOf(profile);
  std::vector<const FunctionRow*> row_of(report.functions.size());
  std::vector<bool> in_mpi(report.functions.size());
  for (const FunctionRow& row : report.functions) {
    row_of[row.id] = &row;
    in_mpi[row.id] = IsMpiLibrary(row.module);
  }
  const std::vector<EventSeries> events =
      SeriesOf(report, FunctionsOf(profile, function_of_place), in_mpi);
  for (std::size_t e = 0; e < events.size(); ++e) {
    const Spreader spreader(ranks, profile.events[e]);
    RankTable table;
    table.total = spreader.SpreadOf(events[e].total);
    SetMpiShares(ranks, events[e], report.effective_samples[e], table);
    for (const FunctionRow& row : report.functions) {
      const Series& series = events[e].functions[row.id];
      if (series.empty()) continue;
      table.functions.push_back({row.function, row.module, in_mpi[row.id], row.events[e].samples,
                                 spreader.SpreadOf(series)});
    }
    std::stable_sort(
        table.functions.begin(), table.functions.end(),
        [](const RankFunction& a, const RankFunction& b) { return a.spread.mean > b.spread.mean; });
    if (ranks.rows.size() >= kRanksForOutliers) {
      AddOutliers(spreader, events[e], row_of, e, ranks.rows.size(), table);
    }
    report.ranks.events.push_back(std::move(table));
  }
  NoteMissingRanks(report);
}

}  // namespace csink::report
