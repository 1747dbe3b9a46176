#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "symbolizer/report/compare/compare.h"

/// File: how often a comparison of a program with itself has a mark, which changes are found, and
/// whether intervals hold, on simulated runs with realistic numbers of samples: 1,000 a run are one
/// second at the default period. docs/diff.md has these figures.
///
/// The random numbers are seeded, so a test that passes passes always. With other seeds a rate of
/// 400 comparisons at its limit of 0.05 would have a standard error of 0.011: each limit leaves
/// room for about two of them, so of ten seeds about one has a cell beyond its limit.

namespace csink::report {
namespace {

constexpr double kSampleNs = 1e6;

/// The rows of the simulated program. The changed one has a sixth of the time, as Hash of
/// docs/diff.md.
constexpr int kChanged = 1;
constexpr double kShares[] = {0.22, 0.165, 0.14, 0.12, 0.10,  0.075,
                              0.06, 0.045, 0.03, 0.02, 0.015, 0.01};
constexpr int kFunctions = std::size(kShares);

/// What differs from run to run. Standard deviations are relative.
struct Scatter {
  const char* name = "sampling alone";
  double machine = 0;    ///< Of all functions together: clock frequency, other programs
  double functions = 0;  ///< Of each function by itself: where code and data lie
  double memory = 0;     ///< Of two functions more: they wait for memory
  double disturbed = 0;  ///< The part of runs in which some functions take up to a half longer
  /// Variance of a count over the binomial one. Sampling with a fixed period is more regular than
  /// chance: 0.6 was measured in arithmetic functions.
  double regularity = 1;
};

constexpr Scatter kScatters[] = {{},
                                 {"clock", 0.03, 0, 0, 0},
                                 {"functions 1 %", 0, 0.01, 0, 0},
                                 {"functions 10 %", 0, 0.10, 0, 0},
                                 {"memory", 0, 0.01, 0.20, 0},
                                 {"disturbed", 0.05, 0.03, 0, 0.15}};
/// As in runs of a quiet machine.
constexpr Scatter kQuiet = {"quiet", 0.01, 0.01, 0.10, 0};
constexpr Scatter kRegular = {"regular", 0.005, 0.005, 0, 0, 0.6};

/// Makes runs of the program.
class Program {
 public:
  Program(unsigned seed, double samples, Scatter scatter)
      : random_(seed), samples_(samples), scatter_(scatter) {}

  std::vector<Baseline> Make(int runs, double factor = 1) {
    std::vector<Baseline> made;
    for (int i = 0; i < runs; ++i) made.push_back(Run(factor));
    return made;
  }

 private:
  double Normal() { return normal_(random_); }
  bool Chance(double probability) { return std::bernoulli_distribution(probability)(random_); }

  Baseline Run(double factor) {
    const double machine = std::exp(scatter_.machine * Normal());
    const bool is_disturbed = Chance(scatter_.disturbed);
    std::vector<double> times;
    double all = 0;
    for (int i = 0; i < kFunctions; ++i) {
      double samples = samples_ * kShares[i] * machine;
      samples *= std::exp(scatter_.functions * Normal());
      if (i == 3 || i == 7) samples *= std::exp(scatter_.memory * Normal());
      if (is_disturbed && Chance(0.25)) samples *= 1 + 0.5 * std::fabs(Normal());
      if (i == kChanged) samples *= factor;
      times.push_back(samples);
      all += samples;
    }
    // A sample every millisecond of CPU time: the total has no sampling error.
    all = std::round(all);
    std::vector<double> counts;
    int left = static_cast<int>(all);
    double time_left = std::accumulate(times.begin(), times.end(), 0.0);
    for (const double time : times) {
      const double part = std::clamp(time / time_left, 0.0, 1.0);
      const int chance = std::binomial_distribution<int>(left, part)(random_);
      const double mean = part * left;
      const double count = std::round(mean + std::sqrt(scatter_.regularity) * (chance - mean));
      counts.push_back(std::clamp(count, 0.0, static_cast<double>(left)));
      left -= static_cast<int>(counts.back());
      time_left -= time;
    }
    counts.back() += left;
    Baseline run;
    run.cpu_seconds = all * kSampleNs / 1e9;
    run.events = {{"task-clock:u", all, all * kSampleNs * 1000 / samples_, true}};
    for (int i = 0; i < kFunctions; ++i) {
      run.functions.push_back({"f" + std::to_string(i), "app", {counts[i] / all}});
    }
    return run;
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double samples_;
  Scatter scatter_;
};

const std::string kChangedName = "f" + std::to_string(kChanged);

/// Rates of a number of comparisons.
struct Rates {
  double changed = 0;      ///< The changed function was marked
  double unchanged = 0;    ///< Any other was
  double holds = 0;        ///< The interval of the changed function held the true ratio
  double others_hold = 0;  ///< Those of the other functions did
  double findable = 0;     ///< What was printed for the changed function, on average
};

Rates RatesOf(int runs_a, int runs_b, double samples, double factor, const Scatter& scatter,
              int trials = 400) {
  Program program(11, samples, scatter);
  Rates rates;
  for (int trial = 0; trial < trials; ++trial) {
    const auto then = program.Make(runs_a);
    const Comparison comparison = CompareRuns(program.Make(runs_b, factor), then);
    bool is_other_marked = false;
    for (const ChangeRow& row : comparison.functions) {
      const bool is_changed = row.function == kChangedName;
      const double truth = is_changed ? factor : 1;
      const double holds = row.ratio.low <= truth && truth <= row.ratio.high;
      if (is_changed) {
        rates.changed += row.significant;
        rates.holds += holds;
        rates.findable += row.findable.value_or(0);
      } else {
        is_other_marked = is_other_marked || row.significant;
        rates.others_hold += holds / (kFunctions - 1);
      }
    }
    rates.unchanged += is_other_marked;
  }
  for (double* rate :
       {&rates.changed, &rates.unchanged, &rates.holds, &rates.others_hold, &rates.findable}) {
    *rate /= trials;
  }
  std::printf(
      "[   rates  ] %2d + %2d runs of %5.0f samples, x%.2f, %s: marked %.3f, others %.3f, "
      "intervals hold %.3f and %.3f, findable %.0f %%\n",
      runs_a, runs_b, samples, factor, scatter.name, rates.changed, rates.unchanged, rates.holds,
      rates.others_hold, 100 * rates.findable);
  return rates;
}

/// The part of comparisons of a program with itself in which anything is marked.
double FalseAlarms(int runs_a, int runs_b, double samples, const Scatter& scatter) {
  const Rates rates = RatesOf(runs_a, runs_b, samples, 1, scatter);
  // The "changed" function did not change, either. Both may be marked in one comparison.
  return rates.changed + rates.unchanged;
}

TEST(ScatterOfRuns, OneOrTwoRunsOnASideHaveNoMark) {
  for (const int runs : {1, 2, 5, 20}) {
    for (const int few : {1, 2}) {
      const Rates rates = RatesOf(runs, few, 1000, 2, kScatters[5], 50);
      EXPECT_EQ(rates.changed + rates.unchanged, 0);
      EXPECT_EQ(rates.findable, 0);
    }
  }
}

TEST(ScatterOfRuns, EqualProgramsRarelyHaveAMark) {
  double sum = 0;
  int cells = 0;
  for (const Scatter& scatter : kScatters) {
    for (const double samples : {1000.0, 20'000.0}) {
      for (const int runs : {3, 5, 10}) {
        const double alarms = FalseAlarms(runs, runs, samples, scatter);
        EXPECT_LE(alarms, 0.07) << scatter.name << ", " << runs << " runs";
        sum += alarms;
        ++cells;
      }
    }
  }
  EXPECT_LE(sum / cells, 0.03);
}

TEST(ScatterOfRuns, NorDoThreeRunsBesideMany) {
  for (const Scatter& scatter : kScatters) EXPECT_LE(FalseAlarms(20, 3, 1000, scatter), 0.07);
}

/// The table of docs/diff.md: how often a change is found with 3, 5 and 10 runs a side.
struct Documented {
  double factor;
  double samples;
  double found[3];
};
constexpr Documented kTable[] = {{1.3, 1000, {0.65, 0.99, 1}},
                                 {1.1, 1000, {0.02, 0.11, 0.45}},
                                 {1.1, 5000, {0.3, 0.8, 1}},
                                 {1.03, 5000, {0, 0.03, 0.1}}};

TEST(ScatterOfRuns, ChangesAreFoundAsDocumented) {
  constexpr int kRuns[] = {3, 5, 10};
  for (const Documented& row : kTable) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(RatesOf(kRuns[i], kRuns[i], row.samples, row.factor, kQuiet).changed,
                  row.found[i], 0.08);
    }
  }
}

TEST(ScatterOfRuns, ChangesAreFound) {
  EXPECT_GE(RatesOf(5, 5, 1000, 1.3, kQuiet).changed, 0.95);
  EXPECT_GE(RatesOf(5, 5, 1000, 1.3, kRegular).changed, 0.95);
  // A period of 0.2 ms.
  EXPECT_GE(RatesOf(5, 5, 5000, 1.1, kQuiet).changed, 0.70);
  // With the sampling error of chance no method finds more than 0.55 here; where samples are as
  // regular as they are in quiet runs this one does.
  EXPECT_GE(RatesOf(10, 10, 1000, 1.1, kRegular).changed, 0.55);
}

TEST(ScatterOfRuns, WhatDidNotChangeIsNotMarkedBesideAChange) {
  for (const int runs : {3, 5, 10}) {
    EXPECT_LE(RatesOf(runs, runs, 1000, 1.3, kQuiet).unchanged, 0.05);
    // Half as much again of a sixth takes 8 % from the share of every other function.
    EXPECT_LE(RatesOf(runs, runs, 5000, 1.5, kQuiet).unchanged, 0.05);
  }
}

// A weakness of the method: where each function scatters by 10 %, the dispersion of large rows is
// far above the median.
TEST(ScatterOfRuns, IntervalsOfLargeRowsHoldLessWhereAllScatter) {
  EXPECT_GE(RatesOf(3, 3, 1000, 1.3, kScatters[3]).holds, 0.87);
  EXPECT_GE(RatesOf(10, 10, 1000, 1.3, kScatters[3]).holds, 0.92);
}

TEST(ScatterOfRuns, IntervalsHold) {
  for (const Scatter& scatter : {kScatters[0], kScatters[2], kQuiet, kScatters[4]}) {
    for (const int runs : {3, 5, 10}) {
      const Rates rates = RatesOf(runs, runs, 1000, 1.3, scatter);
      EXPECT_GE(rates.holds, 0.93) << scatter.name << runs;
      EXPECT_LE(rates.holds, 0.985) << scatter.name << runs;
      EXPECT_GE(rates.others_hold, 0.93) << scatter.name << runs;
      EXPECT_LE(rates.others_hold, 0.98) << scatter.name << runs;
    }
  }
}

/// How often a change as large as the one that comparisons of equal programs print as findable is
/// found.
double FoundAsPrinted(int runs, double samples, const Scatter& scatter) {
  constexpr int kTrials = 300;
  Program program(3, samples, scatter);
  int found = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto mark_of = [&](double factor) {
      const auto then = program.Make(runs);
      const Comparison comparison = CompareRuns(program.Make(runs, factor), then);
      const auto row = std::find_if(comparison.functions.begin(), comparison.functions.end(),
                                    [](const ChangeRow& r) { return r.function == kChangedName; });
      return *row;
    };
    const double findable = *mark_of(1).findable;
    found += mark_of(1 + findable).significant;
  }
  std::printf("[   found  ] %2d runs of %5.0f samples, %s: %.2f\n", runs, samples, scatter.name,
              static_cast<double>(found) / kTrials);
  return static_cast<double>(found) / kTrials;
}

TEST(ScatterOfRuns, WhatIsPrintedAsFindableIsFoundFourTimesOfFive) {
  for (const Scatter& scatter : {kScatters[0], kQuiet}) {
    for (const int runs : {3, 5, 10}) {
      for (const double samples : {1000.0, 5000.0}) {
        const double found = FoundAsPrinted(runs, samples, scatter);
        EXPECT_GE(found, 0.70) << scatter.name << ", " << runs << " runs of " << samples;
        EXPECT_LE(found, 0.90) << scatter.name << ", " << runs << " runs of " << samples;
      }
    }
  }
}

TEST(ScatterOfRuns, AShorterPeriodFindsWhatItPromises) {
  Program program(5, 1000, kQuiet);
  double promised = 0;
  constexpr int kTrials = 100;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto then = program.Make(5);
    const Comparison comparison = CompareRuns(program.Make(5), then);
    for (const ChangeRow& row : comparison.functions) {
      if (row.function == kChangedName) promised += *row.findable_short / kTrials;
    }
  }
  const double given = RatesOf(5, 5, 5000, 1, kQuiet).findable;
  // What differs between runs is not known exactly, so the promise is cautious.
  EXPECT_GE(promised, given - 0.01);
  EXPECT_LE(promised, given + 0.03);
}

}  // namespace
}  // namespace csink::report
