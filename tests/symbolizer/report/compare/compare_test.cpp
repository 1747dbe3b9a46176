#include "symbolizer/report/compare/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "profil/statistics/hypothesis.h"
#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/compare/cpu_ratio.h"
#include "symbolizer/report/json/json.h"
#include "symbolizer/report/tables/names.h"
#include "tests/symbolizer/report/sample_reports.h"

namespace csink::report {
namespace {

using namespace csink::testing;

constexpr double kPeriodNs = 1'000'003;

/// A run with these samples of functions f0, f1, ...
Baseline RunOf(const std::vector<double>& counts, double weight_of_sample = 1) {
  Baseline run;
  double samples = 0;
  for (const double count : counts) samples += count;
  run.command = "app";
  run.cpu_seconds = samples * kPeriodNs * weight_of_sample / 1e9;
  run.verdict = "good";
  run.events = {{"task-clock:u", samples, samples * kPeriodNs * weight_of_sample, true}};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) {
      run.functions.push_back({"f" + std::to_string(i), "app", {counts[i] / samples}});
    }
  }
  return run;
}

/// A program of 24 functions, from 30 % to 0.2 %. `factor` makes the third slower; `noise` is what
/// each function's time differs by from run to run.
class Program {
 public:
  explicit Program(unsigned seed, double noise = 0) : random_(seed), noise_(noise) {}

  Baseline Run(int samples, double factor = 1) {
    std::vector<double> times;
    for (int i = 0; i < 24; ++i) {
      times.push_back(0.3 * std::pow(0.8, i) * std::exp(noise_ * normal_(random_)));
    }
    double all = 0;
    for (const double time : times) all += time;
    times[2] *= factor;
    double now = 0;
    for (const double time : times) now += time;
    std::discrete_distribution<std::size_t> hit(times.begin(), times.end());
    std::vector<double> counts(times.size());
    for (int i = 0; i < samples * now / all; ++i) ++counts[hit(random_)];
    return RunOf(counts);
  }
  std::vector<Baseline> Runs(int runs, int samples, double factor = 1) {
    std::vector<Baseline> all;
    for (int i = 0; i < runs; ++i) all.push_back(Run(samples, factor));
    return all;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double noise_;
};

bool AnyMark(const Comparison& comparison) {
  return std::any_of(comparison.functions.begin(), comparison.functions.end(),
                     [](const ChangeRow& row) { return row.significant; });
}

const ChangeRow* RowOf(const Comparison& comparison, const std::string& function) {
  for (const ChangeRow& row : comparison.functions) {
    if (row.function == function) return &row;
  }
  return nullptr;
}

/// The part of 300 comparisons of a program with itself in which anything is marked.
double FalseAlarms(int runs, int samples, double noise) {
  Program program(99, noise);
  constexpr int kTrials = 300;
  int alarms = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto a = program.Runs(runs, samples);
    alarms += AnyMark(CompareRuns(program.Runs(runs, samples), a));
  }
  ::testing::Test::RecordProperty(
      "alarms_of_" + std::to_string(runs) + "_runs_noise_" + std::to_string(noise),
      std::to_string(alarms));
  return static_cast<double>(alarms) / kTrials;
}

constexpr double kMostAlarms = 0.05;

TEST(CompareRuns, SeveralRunsOfTheSameProgramRarelySeeAChange) {
  EXPECT_LE(FalseAlarms(5, 1000, 0), kMostAlarms);
}

TEST(CompareRuns, SeveralRunsKnowWhatDiffersFromRunToRun) {
  // 300 comparisons: 0.0126 is one standard error.
  EXPECT_LE(FalseAlarms(5, 1000, 0.2), kMostAlarms + 0.0126);
}

/// The part of 100 comparisons in which f2 (19 % of the time), slower by `factor`, is marked.
double Power(int runs, int samples, double factor, double noise) {
  Program program(7, noise);
  int found = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const auto a = program.Runs(runs, samples);
    const Comparison comparison = CompareRuns(program.Runs(runs, samples, factor), a);
    const ChangeRow* row = RowOf(comparison, "f2");
    found += row && row->significant;
  }
  ::testing::Test::RecordProperty(
      "found_with_" + std::to_string(runs) + "_runs_factor_" + std::to_string(factor), found);
  return found / 100.0;
}

TEST(CompareRuns, FindsAFunctionThatIsAThirdSlower) {
  EXPECT_GT(Power(5, 2000, 1.33, 0.02), 0.95);
  EXPECT_GT(Power(5, 1000, 1.33, 0.02), 0.9);
}

TEST(CompareRuns, OfOneRunEachNothingIsJudged) {
  const Comparison comparison = CompareRuns({RunOf({500, 1500})}, {RunOf({500, 500})});
  const ChangeRow* f1 = RowOf(comparison, "f1");
  ASSERT_TRUE(f1);
  EXPECT_NEAR(f1->amount, 1.5, 0.01);
  EXPECT_NEAR(f1->was_amount, 0.5, 0.01);
  EXPECT_GT(f1->ratio.low, 2);
  EXPECT_LT(f1->ratio.high, 4);
  EXPECT_LT(*f1->p_value, 1e-6);
  EXPECT_FALSE(f1->adjusted_p_value);
  EXPECT_FALSE(f1->significant);
  EXPECT_FALSE(f1->findable);
  EXPECT_EQ(comparison.tests, 0u);
}

TEST(CompareRuns, SharesThatFallBecauseAnotherFunctionGrewAreNotMarked) {
  // f0 takes three times as long; the times of the others are the same.
  const auto runs = [](double factor) {
    return std::vector{RunOf({3000 * factor, 2000, 1000}), RunOf({3030 * factor, 1980, 1010}),
                       RunOf({2970 * factor, 2020, 990})};
  };
  const Comparison comparison = CompareRuns(runs(3), runs(1));
  EXPECT_EQ(comparison.functions[0].function, "f0");
  EXPECT_TRUE(comparison.functions[0].significant);
  for (const char* same : {"f1", "f2"}) {
    const ChangeRow* row = RowOf(comparison, same);
    EXPECT_LT(row->change, -0.05);
    EXPECT_FALSE(row->significant);
    EXPECT_NEAR(row->amount, row->was_amount, 1e-9);
    EXPECT_TRUE(row->ratio.low < 1 && row->ratio.high > 1);
  }
}

TEST(CompareRuns, KnowsWhetherTheRunsTookTurns) {
  const auto runs = [](std::vector<double> starts) {
    std::vector<Baseline> made(starts.size(), RunOf({100, 100}));
    for (std::size_t i = 0; i < made.size(); ++i) made[i].start_time = starts[i];
    return made;
  };
  const auto order = [&](std::vector<double> now, std::vector<double> then) {
    return CompareRuns(runs(std::move(now)), runs(std::move(then))).order;
  };
  EXPECT_EQ(order({2, 4, 6}, {1, 3, 5}), RunOrder::kMixed);
  EXPECT_EQ(order({6, 4, 5}, {3, 1, 2}), RunOrder::kThenFirst);
  EXPECT_EQ(order({1, 2, 3}, {4, 5, 6}), RunOrder::kNowFirst);
  EXPECT_EQ(order({1, 2, 0}, {4, 5, 6}), RunOrder::kUnknown);
}

TEST(CompareRuns, SaysHowMuchSlowerTheRunIsAtLeast) {
  Baseline slower = RunOf({100});
  slower.cpu_seconds *= 1.3;
  const Comparison comparison = CompareRuns({slower}, {RunOf({100})});
  ASSERT_TRUE(comparison.slowdown);
  EXPECT_NEAR(comparison.slowdown->ratio, 1.3, 1e-9);
  EXPECT_NEAR(comparison.slowdown->low, 1.0646, 1e-3);
  EXPECT_FALSE(CompareRuns({Baseline()}, {slower}).slowdown);
}

TEST(CompareRuns, SamplesOfOtherPeriodsMeanTheSame) {
  // Half as many samples, each worth twice as much.
  const Comparison comparison = CompareRuns({RunOf({300, 200}, 2)}, {RunOf({600, 400})});
  EXPECT_FALSE(AnyMark(comparison));
  EXPECT_NEAR(*comparison.ratio, 1, 1e-9);
  EXPECT_NEAR(RowOf(comparison, "f0")->amount, RowOf(comparison, "f0")->was_amount, 1e-9);
}

TEST(CompareRuns, WhatIsNewOrGoneIsNamedAndTested) {
  const Baseline now = RunOf({900, 0, 100, 2});
  const Baseline then = RunOf({900, 100, 0});
  const Comparison comparison = CompareRuns({now, now, now}, {then, then, then});
  EXPECT_FALSE(RowOf(comparison, "f1")->share);
  EXPECT_TRUE(RowOf(comparison, "f1")->significant);
  EXPECT_FALSE(RowOf(comparison, "f2")->was);
  EXPECT_TRUE(RowOf(comparison, "f2")->significant);
  EXPECT_FALSE(RowOf(comparison, "f3")->p_value);  // six samples are too few for a test
}

TEST(CompareRuns, NothingInCommonIsSaid) {
  Baseline other = RunOf({100});
  other.events[0].name = "cycles:u";
  const Comparison comparison = CompareRuns({RunOf({100})}, {other});
  EXPECT_EQ(comparison.event, "");
  EXPECT_TRUE(comparison.functions.empty());
  EXPECT_TRUE(comparison.ratio);
  EXPECT_EQ(CompareRuns({}, {}).event, "");
  EXPECT_EQ(CompareRuns({Baseline()}, {Baseline()}).functions.size(), 0u);
}

TEST(CompareRuns, FunctionsMeetAcrossBuilds) {
  Baseline a = RunOf({100, 100});
  Baseline b = a;
  a.functions[0].function = "solve.isra.0.constprop.3";
  b.functions[0].function = "solve";
  a.functions[1].module = "libx.so.1.2";
  b.functions[1].module = "libx.so.1.3";
  const Comparison comparison = CompareRuns({b}, {a});
  EXPECT_EQ(comparison.functions.size(), 2u);
  EXPECT_FALSE(AnyMark(comparison));
}

Baseline Unnamed(const std::string& build_id, const std::vector<std::string>& offsets) {
  Baseline run = RunOf({100});
  run.functions.clear();
  for (const std::string& offset : offsets) {
    run.functions.push_back({"[libx.so.1+0x" + offset + "]", "libx.so.1", {1.0 / offsets.size()}});
  }
  run.builds = {{"libx.so.1", build_id}};
  return run;
}

TEST(CompareRuns, AddressesMeetInTheSameBuildAlone) {
  const Comparison same = CompareRuns({Unnamed("ab", {"10", "20"})}, {Unnamed("ab", {"10", "30"})});
  EXPECT_EQ(same.functions.size(), 3u);
  for (const char* id : {"cd", ""}) {
    const Comparison other =
        CompareRuns({Unnamed(id, {"10", "20"})}, {Unnamed("ab", {"10", "30"})});
    ASSERT_EQ(other.functions.size(), 1u) << id;
    EXPECT_EQ(other.functions[0].function, "[libx.so.1, without symbols]");
    EXPECT_NEAR(other.functions[0].change, 0, 1e-12);
  }
}

/// A run of these programs, the main one first, which the functions are in; f0 is a library's.
Baseline RunOfPrograms(const std::vector<std::string>& programs) {
  Baseline run = RunOf({100, 200, 300});
  run.programs = programs;
  for (Baseline::Function& function : run.functions) function.module = programs[0];
  run.functions[0].module = "lib" + programs[0] + ".so.1";
  run.functions.push_back({"[" + programs[0] + "+0x10]", programs[0], {0.1}});
  run.modules = {{"", programs[0], {1}}};
  run.builds = {{programs[0], "ab"}};
  return run;
}

TEST(CompareRuns, MainProgramsMeetWhateverTheirFilesAreCalled) {
  const Baseline a = RunOfPrograms({"app-old"});
  const Baseline b = RunOfPrograms({"app-new"});
  const Comparison same = CompareRuns({b}, {a});
  ASSERT_EQ(same.programs.size(), 1u);
  EXPECT_EQ(same.programs[0].was, "app-old");
  EXPECT_EQ(same.programs[0].now, "app-new");
  EXPECT_EQ(RowOf(same, "f1")->module, "app-new");
  for (const char* both : {"f1", "f2", "[app-new+0x10]"}) {
    ASSERT_TRUE(RowOf(same, both)) << both;
    EXPECT_TRUE(RowOf(same, both)->was) << both;
    EXPECT_TRUE(RowOf(same, both)->share) << both;
  }
  EXPECT_EQ(same.functions.size(), 5u);  // f0 of two libraries
  EXPECT_EQ(CompareRuns({b}, {a}, By::kModules).functions.size(), 1u);

  Baseline rebuilt = b;
  rebuilt.builds[0].build_id = "cd";
  EXPECT_TRUE(RowOf(CompareRuns({rebuilt}, {a}), "[app-new, without symbols]")->was);
}

TEST(CompareRuns, ProgramsThatRanOnBothSidesAreNotMatched) {
  const auto matched = [](const Baseline& b, const Baseline& a) {
    return CompareRuns({b}, {a}).programs.size();
  };
  EXPECT_EQ(matched(RunOfPrograms({"app"}), RunOfPrograms({"app"})), 0u);
  EXPECT_EQ(matched(RunOfPrograms({"app"}), RunOfPrograms({"wrapper", "app"})), 0u);
  EXPECT_EQ(matched(RunOfPrograms({"sh", "app-new"}), RunOfPrograms({"sh", "app-old"})), 1u);
  EXPECT_EQ(matched(RunOfPrograms({"new", "xz"}), RunOfPrograms({"old", "gzip"})), 2u);
  EXPECT_EQ(matched(RunOfPrograms({"sh", "a", "b"}), RunOfPrograms({"sh", "c", "d"})), 0u);
  EXPECT_EQ(CompareRuns({RunOfPrograms({"c"})}, {RunOfPrograms({"a"}), RunOfPrograms({"b"})})
                .programs.size(),
            0u);
}

TEST(CompareRuns, SaysWhatWasInlined) {
  Baseline a = RunOf({100, 50});
  Baseline b = RunOf({150});
  b.inlined = {{"f1(int)", "app", {0.3}}};
  const Comparison now = CompareRuns({b}, {a});
  EXPECT_EQ(RowOf(now, "f1")->moved, "inlined now");
  const Comparison back = CompareRuns({a}, {b});
  EXPECT_EQ(RowOf(back, "f1")->moved, "no longer inlined");
}

TEST(CompareRuns, LinesAndModulesToo) {
  const Report report = Make(XzSpool(), XzNames());
  const Baseline run = BaselineOf(report);
  const Comparison lines = CompareRuns({run}, {run}, By::kLines);
  EXPECT_EQ(lines.unit, "line");
  EXPECT_TRUE(RowOf(lines, "lz_encoder_mf.c:412 in bt_find_func"));
  const Comparison modules = CompareRuns({run}, {run}, By::kModules);
  EXPECT_EQ(modules.functions.size(), 2u);
  EXPECT_FALSE(AnyMark(modules));
}

TEST(CompareRuns, AJsonReportIsTheSameRun) {
  Report report = Make(XzSpool(), XzNames());
  report.start_time = 1'790'000'000.25;
  const auto parsed = ParseBaseline(WriteJson(report));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->start_time, 1'790'000'000.25);
  for (const By by : {By::kFunctions, By::kLines, By::kModules}) {
    const Comparison comparison = CompareRuns({*parsed}, {BaselineOf(report)}, by);
    EXPECT_FALSE(comparison.functions.empty());
    for (const ChangeRow& row : comparison.functions) {
      EXPECT_NEAR(row.change, 0, 1e-12) << row.function;
      EXPECT_NEAR(row.amount, row.was_amount, 1e-9) << row.function;
    }
    EXPECT_EQ(comparison.now.verdict, "good");
  }
}

TEST(CpuRatioInterval, IsFiellers) {
  using Seconds = std::vector<double>;
  const auto then = Seconds({1.0, 1.1, 0.9});
  EXPECT_FALSE(CpuRatioInterval(Seconds({2.0, 2.1}), then));
  // By hand: means 2 and 1, variances of the means 0.01/3 each, 4 degrees of freedom: t = 2.7764.
  const auto interval = CpuRatioInterval(Seconds({2.0, 2.1, 1.9}), then);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 1.68580, 1e-4);
  EXPECT_NEAR(interval->high, 2.41969, 1e-4);
  const auto same = CpuRatioInterval(Seconds({1.5, 1.5, 1.5}), Seconds({1.0, 1.0, 1.0}));
  ASSERT_TRUE(same);
  EXPECT_EQ(same->low, 1.5);
  EXPECT_EQ(same->high, 1.5);
  // The earlier time may be 0 within its error.
  EXPECT_FALSE(CpuRatioInterval(then, Seconds({0.1, 5.0, 0.1})));
  EXPECT_FALSE(CpuRatioInterval(then, Seconds({0, 0, 0})));
  // The interval contains 1 where Welch's test finds nothing, at its edge too.
  for (double shift = 0; shift < 0.5; shift += 0.01) {
    const auto now = Seconds({1.0 + shift, 1.1 + shift, 0.95 + shift, 1.02 + shift});
    const auto bounds = CpuRatioInterval(now, then);
    ASSERT_TRUE(bounds);
    const bool has_one = bounds->low <= 1 && 1 <= bounds->high;
    EXPECT_EQ(has_one, WelchPValue(now, then) >= 0.05) << shift;
  }
}

TEST(WithoutCloneSuffix, TakesOffWhatCompilersAdd) {
  EXPECT_EQ(WithoutCloneSuffix("f"), "f");
  EXPECT_EQ(WithoutCloneSuffix("f.isra.0"), "f");
  EXPECT_EQ(WithoutCloneSuffix("f.part.1.cold"), "f");
  EXPECT_EQ(WithoutCloneSuffix("f.constprop.0.isra.12"), "f");
  EXPECT_EQ(WithoutCloneSuffix("f.lto_priv.3"), "f");
  EXPECT_EQ(WithoutCloneSuffix("f.localalias"), "f");
  EXPECT_EQ(WithoutCloneSuffix("app::run::h0123456789abcdef.llvm.12"), "app::run");
  EXPECT_EQ(WithoutCloneSuffix("f(int) [clone .cold]"), "f(int)");
  EXPECT_EQ(WithoutCloneSuffix("app::run::h0123456789abcdef"), "app::run");
  EXPECT_EQ(WithoutCloneSuffix("a.island"), "a.island");
  EXPECT_EQ(WithoutCloneSuffix(".cold"), ".cold");
  EXPECT_EQ(WithoutCloneSuffix(""), "");
}

}  // namespace
}  // namespace csink::report
