#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "symbolizer/report/compare/compare.h"

/// File: how often a comparison of a program with itself has a mark, and which changes are found,
/// on simulated runs that differ as real ones do. docs/diff.md has these figures.

namespace csink::report {
namespace {

constexpr int kFunctions = 24;
constexpr int kGrown = 2;  ///< The function that a change is made in: a fifth of the time
constexpr double kSampleNs = 1e6;

/// What differs from run to run. Standard deviations are relative.
struct Scatter {
  double machine = 0;    ///< Of all functions together: clock frequency, other programs
  double functions = 0;  ///< Of each function by itself: where code and data lie
  double disturbed = 0;  ///< The part of runs in which some functions take up to a half longer
};

/// Runs of a program of functions from 20 % down to 0.1 % of the time.
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
    std::vector<double> counts;
    double all = 0;
    for (int i = 0; i < kFunctions; ++i) {
      double samples = samples_ * 0.2 * std::pow(0.8, i) * machine;
      samples *= std::exp(scatter_.functions * Normal());
      if (is_disturbed && Chance(0.25)) samples *= 1 + 0.5 * std::fabs(Normal());
      if (i == kGrown) samples *= factor;
      counts.push_back(std::poisson_distribution<int>(samples)(random_));
      all += counts.back();
    }
    Baseline run;
    run.cpu_seconds = all * kSampleNs / 1e9;
    run.events = {{"task-clock:u", all, all * kSampleNs, true}};
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

bool AnyMark(const Comparison& comparison) {
  return std::any_of(
      comparison.functions.begin(), comparison.functions.end(),
      [](const ChangeRow& row) { return row.significant || row.amount_significant; });
}

/// The part of comparisons of a program with itself in which anything is marked.
double FalseAlarms(int runs_a, int runs_b, const Scatter& scatter) {
  const int trials = runs_a < 20 ? 1000 : 300;
  Program program(7, 3000, scatter);
  int alarms = 0;
  for (int trial = 0; trial < trials; ++trial) {
    alarms += AnyMark(CompareRuns(program.Make(runs_b), program.Make(runs_a)));
  }
  std::printf("[   marks  ] %2d and %2d runs, scatter %.2f %.2f %.2f: %d of %d\n", runs_a, runs_b,
              scatter.machine, scatter.functions, scatter.disturbed, alarms, trials);
  return static_cast<double>(alarms) / trials;
}

constexpr Scatter kScatters[] = {{}, {0.03, 0.01, 0}, {0.05, 0.03, 0.15}};

TEST(ScatterOfRuns, OneOrTwoRunsOnASideHaveNoMark) {
  for (const int runs : {1, 2, 5, 20}) {
    for (const int few : {1, 2}) EXPECT_EQ(FalseAlarms(runs, few, kScatters[2]), 0);
  }
}

TEST(ScatterOfRuns, SeveralRunsRarelyHaveAMark) {
  for (const int runs : {3, 5, 20}) {
    for (const Scatter& scatter : kScatters) EXPECT_LE(FalseAlarms(runs, runs, scatter), 0.05);
  }
}

TEST(ScatterOfRuns, NorDoThreeRunsBesideMany) {
  for (const Scatter& scatter : kScatters) EXPECT_LE(FalseAlarms(20, 3, scatter), 0.05);
}

/// The part of comparisons in which the amount of a function that takes `change` more is marked.
double Power(int runs, double change, double scatter) {
  constexpr int kTrials = 100;
  // So many samples that the scatter is that of the runs alone.
  Program program(11, 300'000, {0, scatter, 0});
  int found = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Comparison comparison = CompareRuns(program.Make(runs, 1 + change), program.Make(runs));
    for (const ChangeRow& row : comparison.functions) {
      found += row.function == "f" + std::to_string(kGrown) && row.amount_significant;
    }
  }
  const double power = static_cast<double>(found) / kTrials;
  std::printf("[   power  ] %2d runs, %4.1f %% in %.0f %% of scatter: %.2f\n", runs, 100 * change,
              100 * scatter, power);
  return power;
}

/// The table of docs/diff.md: a change in standard deviations of the runs, and how often it is
/// found with 3, 5, 10 and 20 runs a side.
struct Documented {
  double change;
  std::array<double, 4> found;
};
constexpr Documented kTable[] = {{1, {0, 0.01, 0.05, 0.25}},
                                 {1.5, {0, 0.02, 0.22, 0.69}},
                                 {2.5, {0.01, 0.18, 0.81, 1}},
                                 {5, {0.04, 0.78, 1, 1}},
                                 {10, {0.36, 1, 1, 1}}};

TEST(ScatterOfRuns, IsWhatTheSizeOfAChangeIsMeasuredBy) {
  constexpr int kRuns[] = {3, 5, 10, 20};
  for (const Documented& row : kTable) {
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(Power(kRuns[i], 0.01 * row.change, 0.01), row.found[i], 0.15);
    }
  }
}

TEST(ScatterOfRuns, IsTheSameForRunsThatDifferMore) {
  EXPECT_GE(Power(5, 5 * 0.03, 0.03), 0.75);
  EXPECT_GE(Power(20, 1.5 * 0.03, 0.03), 0.7);
}

}  // namespace
}  // namespace csink::report
