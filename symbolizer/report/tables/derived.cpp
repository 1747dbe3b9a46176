#include "symbolizer/report/tables/derived.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "profil/statistics/statistics.h"
#include "symbolizer/report/tables/topdown.h"
#include "symbolizer/report/verdict/explained.h"

/// File: ratios of two events. An event is recognised by its EventClass or, if it has no kind of
/// its own, by its name (kNames). Each formula of kFormulas becomes a column if both of its events
/// were sampled. The interval of a ratio is RatioInterval for the two binomial counts, widened by
/// the parts of both events that were not counted.

namespace csink::report {
namespace {

/// What an event counts, for formulas. Covers events with an EventClass and events that are
/// recognised by name.
enum class What {
  kNone,
  kClock,
  kCycles,
  kInstructions,
  kReferences,
  kMisses,
  kBranches,
  kBranchMisses,
  kFaults,
  kL1Loads,
  kL1LoadMisses,
  kL1CodeMisses,
  kLlcLoads,
  kLlcLoadMisses,
  kDtlbLoads,
  kDtlbLoadMisses,
  kItlbMisses,
  kStalledFrontend,
  kStalledBackend,
};

/// A name of an event that has no EventClass of its own.
struct KnownName {
  const char* name;
  What what;
};

/// In lower case, without PMU and modifiers. The names are those of Linux's cache events (perf
/// list; PERF_COUNT_HW_CACHE_* of linux/perf_event.h) in the spelling of libpfm4.
constexpr KnownName kNames[] = {
    {"l1-dcache-loads", What::kL1Loads},
    {"perf_count_hw_cache_l1d:read:access", What::kL1Loads},
    {"l1-dcache-load-misses", What::kL1LoadMisses},
    {"perf_count_hw_cache_l1d:read:miss", What::kL1LoadMisses},
    {"l1-icache-load-misses", What::kL1CodeMisses},
    {"perf_count_hw_cache_l1i:read:miss", What::kL1CodeMisses},
    {"llc-loads", What::kLlcLoads},
    {"perf_count_hw_cache_ll:read:access", What::kLlcLoads},
    {"llc-load-misses", What::kLlcLoadMisses},
    {"perf_count_hw_cache_ll:read:miss", What::kLlcLoadMisses},
    {"dtlb-loads", What::kDtlbLoads},
    {"perf_count_hw_cache_dtlb:read:access", What::kDtlbLoads},
    {"dtlb-load-misses", What::kDtlbLoadMisses},
    {"perf_count_hw_cache_dtlb:read:miss", What::kDtlbLoadMisses},
    {"itlb-load-misses", What::kItlbMisses},
    {"perf_count_hw_cache_itlb:read:miss", What::kItlbMisses},
    {"stalled-cycles-frontend", What::kStalledFrontend},
    {"idle-cycles-frontend", What::kStalledFrontend},
    {"perf_count_hw_stalled_cycles_frontend", What::kStalledFrontend},
    {"stalled-cycles-backend", What::kStalledBackend},
    {"idle-cycles-backend", What::kStalledBackend},
    {"perf_count_hw_stalled_cycles_backend", What::kStalledBackend},
};

/// The name in lower case without PMU and modifiers: "perf::L1-DCACHE-LOAD-MISSES:u" ->
/// "l1-dcache-load-misses".
std::string PlainName(const std::string& name) {
  const auto pmu = name.find("::");
  std::string plain = pmu == std::string::npos ? name : name.substr(pmu + 2);
  std::transform(plain.begin(), plain.end(), plain.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  // Only modifiers are cut off. Behind another last colon stands a part of the name: ":read:miss".
  const auto colon = plain.rfind(':');
  if (colon != std::string::npos &&
      plain.find_first_not_of("ukhpg0123456789=", colon + 1) == std::string::npos) {
    plain.resize(colon);
  }
  return plain;
}

/// What the event counts; kNone for events that no formula uses.
What WhatCounts(const EventTotals& event) {
  switch (event.kind) {
    case EventClass::kClock:
      return What::kClock;
    case EventClass::kCycles:
      return What::kCycles;
    case EventClass::kInstructions:
      return What::kInstructions;
    case EventClass::kCacheReferences:
      return What::kReferences;
    case EventClass::kCacheMisses:
      return What::kMisses;
    case EventClass::kBranches:
      return What::kBranches;
    case EventClass::kBranchMisses:
      return What::kBranchMisses;
    case EventClass::kPageFaults:
      return What::kFaults;
    default:
      break;
  }
  const std::string plain = PlainName(event.name);
  const auto known = std::find_if(std::begin(kNames), std::end(kNames),
                                  [&](const KnownName& name) { return plain == name.name; });
  return known == std::end(kNames) ? What::kNone : known->what;
}

/// above / below x scale. The keys are documented in docs/reading-reports.md.
struct Formula {
  const char* key;
  const char* title;
  What above;
  What below;
  double scale;
  bool is_share;
};

/// In the order of the columns: if they do not all fit, the first ones are shown. Clocks count
/// nanoseconds, so cycles / clock is GHz without a scale, and events / clock x 1e9 is a rate a
/// second.
constexpr Formula kFormulas[] = {
    {"ipc", "IPC", What::kInstructions, What::kCycles, 1, false},
    {"cache_misses_per_1000_instructions", "miss/kinst", What::kMisses, What::kInstructions, 1000,
     false},
    {"branch_misses_per_1000_instructions", "brmiss/kinst", What::kBranchMisses,
     What::kInstructions, 1000, false},
    {"branch_miss_share", "brmiss%", What::kBranchMisses, What::kBranches, 1, true},
    {"cache_miss_share", "miss%", What::kMisses, What::kReferences, 1, true},
    {"l1_load_misses_per_1000_instructions", "L1miss/kinst", What::kL1LoadMisses,
     What::kInstructions, 1000, false},
    {"l1_load_miss_share", "L1miss%", What::kL1LoadMisses, What::kL1Loads, 1, true},
    {"llc_load_misses_per_1000_instructions", "LLCmiss/kinst", What::kLlcLoadMisses,
     What::kInstructions, 1000, false},
    {"llc_load_miss_share", "LLCmiss%", What::kLlcLoadMisses, What::kLlcLoads, 1, true},
    {"dtlb_load_misses_per_1000_instructions", "dTLB/kinst", What::kDtlbLoadMisses,
     What::kInstructions, 1000, false},
    {"dtlb_load_miss_share", "dTLBmiss%", What::kDtlbLoadMisses, What::kDtlbLoads, 1, true},
    {"itlb_misses_per_1000_instructions", "iTLB/kinst", What::kItlbMisses, What::kInstructions,
     1000, false},
    {"l1i_misses_per_1000_instructions", "L1Imiss/kinst", What::kL1CodeMisses, What::kInstructions,
     1000, false},
    {"frontend_stall_share", "front%", What::kStalledFrontend, What::kCycles, 1, true},
    {"backend_stall_share", "back%", What::kStalledBackend, What::kCycles, 1, true},
    {"ghz", "GHz", What::kCycles, What::kClock, 1, false},
    {"page_faults_per_second", "faults/s", What::kFaults, What::kClock, 1e9, false},
};

/// Factors for the lower and upper bound of a function's count. `missing` is the part of its event
/// without samples: none of it, or all of it, may belong to the function.
Interval MissingFactors(double share, double missing) {
  const double least = 1 - missing;
  return {least, share > 0 ? least + missing / share : least};
}

}  // namespace

std::vector<DerivedColumn> DeriveColumns(const Profile& profile) {
  // The first of several events that count the same; the number of events if there is none.
  const auto find = [&](What what) {
    std::size_t i = 0;
    while (i < profile.events.size() && WhatCounts(profile.events[i]) != what) ++i;
    return i;
  };
  const std::size_t none = profile.events.size();
  std::vector<DerivedColumn> columns = TopdownColumns(profile);
  // A ratio needs two events.
  if (none < 2) return columns;
  for (const Formula& formula : kFormulas) {
    const std::size_t above = find(formula.above);
    const std::size_t below = find(formula.below);
    if (above == none || below == none) continue;
    columns.push_back({formula.key, formula.title, above, below, formula.scale, formula.is_share});
  }
  return columns;
}

void Derive(const Report& report, const std::vector<Cell>& cells, std::vector<Ratio>& ratios,
            std::vector<Interval>& intervals) {
  // Top-down columns come before all ratios.
  std::vector<std::optional<SampledShare>> topdown;
  if (HasTopdown(report)) topdown = TopdownOf(report, cells);
  for (const DerivedColumn& column : report.derived) {
    if (const auto part = topdown.empty() ? std::nullopt : PartOf(column)) {
      const auto& share = topdown[static_cast<std::size_t>(*part)];
      ratios.push_back(share ? Ratio(share->share) : std::nullopt);
      intervals.push_back(share ? share->interval : Interval{});
      continue;
    }
    const Cell& above = cells[column.numerator];
    const Cell& below = cells[column.denominator];
    // Without counts in the denominator the ratio has neither a value nor an upper bound.
    if (below.weight == 0) {
      ratios.emplace_back();
      intervals.emplace_back();
      continue;
    }
    // Events that were not counted all the time are compared by their estimated totals.
    const double scale = column.scale * ScaleOf(report.profile.events[column.numerator]) /
                         ScaleOf(report.profile.events[column.denominator]);
    const double ratio =
        static_cast<double>(above.weight) / static_cast<double>(below.weight) * scale;
    const double above_count =
        EquivalentCount(above.share, report.effective_samples[column.numerator]);
    const double below_count =
        EquivalentCount(below.share, report.effective_samples[column.denominator]);
    const Interval relative = RatioInterval(above_count, below_count);
    // Without samples in the numerator, the upper bound is that of one sample.
    const EventTotals& event = report.profile.events[column.numerator];
    const double one = event.samples > 0
                           ? static_cast<double>(event.weight) / static_cast<double>(event.samples)
                           : 1;
    // RatioInterval is relative to the ratio, or to 1 / below if nothing was found above.
    const double unit = above_count > 0 ? ratio : one / static_cast<double>(below.weight) * scale;
    const double missing = MissingPart(event);
    const Interval over = MissingFactors(above.share, missing);
    const Interval under =
        MissingFactors(below.share, MissingPart(report.profile.events[column.denominator]));
    // If the function has no samples in the numerator, all missing events may belong to it.
    const double unseen = above_count > 0 ? 0
                                          : missing * static_cast<double>(event.weight) /
                                                static_cast<double>(below.weight) * scale;
    // The lower bound takes the least numerator and the largest denominator, the upper bound the
    // other way round.
    ratios.push_back(ratio);
    intervals.push_back({relative.low * unit * over.low / under.high,
                         (relative.high * unit * over.high + unseen) / under.low});
  }
}

}  // namespace csink::report
