#include "symbolizer/report/tables/time_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbolizer/report/text/text.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kStart = 5'000'000'000;
constexpr std::uint64_t kMs = 1'000'000;

void Fill(ThreadTime& row, std::size_t from, std::size_t to, spool::ThreadSlice slice) {
  row.slices.resize(std::max(row.slices.size(), to));
  for (std::size_t i = from; i < to; ++i) row.slices[i] = slice;
}

/// Three seconds: the main thread runs, sleeps and waits for a worker, which shares its processor
/// with another program; in the last 100 ms a sum of further threads runs.
Report ThreePhases() {
  Report report;
  Profile& profile = report.profile;
  profile.processes.resize(1);
  profile.processes[0].host = "host";
  profile.processes[0].program = "app";
  profile.processes[0].pid = 70;
  profile.processes[0].start_monotonic_ns = kStart;
  profile.processes[0].update_monotonic_ns = kStart + 3000 * kMs;
  profile.threads.resize(3);
  profile.threads[0].is_merged = true;
  profile.threads[1].tid = 70;
  profile.threads[1].name = "app";
  profile.threads[2].tid = 71;
  profile.threads[2].name = "worker";
  const auto row = [&](std::size_t thread, std::uint64_t from_ms, std::uint64_t to_ms) {
    ThreadTime time;
    time.thread = thread;
    time.origin_ns = kStart;
    time.start_ns = kStart + from_ms * kMs;
    time.end_ns = kStart + to_ms * kMs;
    time.width_ns = 100 * kMs;
    return time;
  };
  ThreadTime worker = row(2, 2000, 2900);
  Fill(worker, 20, 29, {50'000, 50'000, 0, 50});
  ThreadTime rest = row(0, 2900, 3000);
  rest.flags = spool::kSlicesRunOnly;
  Fill(rest, 29, 30, {200'000, 0, 0, 200});
  ThreadTime main = row(1, 0, 3000);
  Fill(main, 0, 10, {100'000, 0, 0, 100});
  Fill(main, 10, 20, {0, 0, 100'000, 0});
  Fill(main, 20, 30, {45'000, 0, 55'000, 45});
  profile.thread_times = {rest, worker, main};
  profile.phases = {{}, {.name = "sleep", .marks = 1, .first_monotonic_ns = kStart + 1000 * kMs}};
  return report;
}

TextStyle Style(bool utf8) {
  TextStyle style;
  style.width = 64;  // 30 slices
  style.utf8 = utf8;
  return style;
}

TEST(WriteTimeLine, ShowsARowAThreadInLettersWithoutUtf8) {
  EXPECT_THAT(WriteTimeLine(ThreePhases(), Style(false)),
              HasSubstr("                                |sleep\n"
                        "thread                                                 run  wait\n"
                        "app 70                ##########..........==========   48%    0%\n"
                        "worker 71                                 wwwwwwwww    50%   50%\n"
                        "(further threads)                                  #    7%\n"
                        "                      0      0.75    1.50     3.00 s\n"));
}

TEST(WriteTimeLine, ShowsBlocksWithUtf8) {
  const std::string text = WriteTimeLine(ThreePhases(), Style(true));
  std::string row = "app 70                ";
  for (int i = 0; i < 10; ++i) row += "\u2588";
  for (int i = 0; i < 10; ++i) row += "\u00b7";
  for (int i = 0; i < 10; ++i) row += "\u2584";
  EXPECT_THAT(text, HasSubstr(row + "   48%    0%\n"));
  EXPECT_THAT(text, HasSubstr("\u2592\u2592\u2592\u2592\u2592\u2592\u2592\u2592\u2592 "));
  EXPECT_THAT(text, HasSubstr("a column is 100 ms"));
}

TEST(WriteTimeLine, SpreadsSlicesOverColumns) {
  TextStyle style = Style(false);
  style.width = 34 + 60;
  EXPECT_THAT(WriteTimeLine(ThreePhases(), style),
              HasSubstr("app 70                " + std::string(20, '#') + std::string(20, '.') +
                        std::string(20, '=')));
  style.width = 34 + 15;
  EXPECT_THAT(WriteTimeLine(ThreePhases(), style),
              HasSubstr("app 70                #####.....====="));
}

TEST(WriteTimeLine, SaysWhenNothingWasRecorded) {
  Report report = ThreePhases();
  report.profile.thread_times.clear();
  EXPECT_THAT(WriteTimeLine(report, Style(false)), HasSubstr("not recorded"));
}

TEST(WriteTimeLine, CountsTheThreadsThatAreNotShown) {
  Report report = ThreePhases();
  const ThreadTime one = report.profile.thread_times[1];
  for (int i = 0; i < 40; ++i) report.profile.thread_times.push_back(one);
  EXPECT_THAT(WriteTimeLine(report, Style(false)), HasSubstr("and 19 more threads\n"));
}

TEST(WriteTimeLine, ShowsHostileNamesAsText) {
  Report report = ThreePhases();
  report.profile.threads[1].name = "\x1b[31m\xff";
  report.profile.phases[1].name = "a\nb\x1b";
  const std::string text = WriteTimeLine(report, Style(false));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\xff")));
}

TEST(MakeTimeLine, KeepsTheWidthOfTheDataAndItsSums) {
  const Report report = ThreePhases();
  const TimeLine line = MakeTimeLine(report, 1000, SliceFit::kData);
  EXPECT_EQ(line.slices, 30u);
  EXPECT_DOUBLE_EQ(line.slice_seconds, 0.1);
  ASSERT_EQ(line.threads.size(), 3u);
  EXPECT_EQ(line.threads[0].thread->tid, 70u);
  EXPECT_NEAR(line.threads[0].total.run, 1.45, 1e-9);
  EXPECT_NEAR(line.threads[0].cells[9].run, 0.1, 1e-6);
  EXPECT_NEAR(line.threads[0].cells[10].run, 0, 1e-6);
  EXPECT_TRUE(line.threads[2].is_rest);
  const TimeLine wide = MakeTimeLine(report, 8, SliceFit::kData);
  EXPECT_EQ(wide.slices, 8u);
  EXPECT_NEAR(wide.slice_seconds, 0.4, 1e-9);
  double run = 0;
  for (const TimeCell& cell : wide.threads[0].cells) run += cell.run;
  EXPECT_NEAR(run, 1.45, 1e-9);
}

TEST(MakeTimeLine, AlignsProcessesByTheirClock) {
  Report report = ThreePhases();
  Profile& profile = report.profile;
  profile.processes.resize(2);
  profile.processes[1].host = "host";
  profile.processes[1].program = "child";
  profile.processes[1].pid = 80;
  profile.processes[1].start_monotonic_ns = kStart + 4000 * kMs;
  profile.threads.resize(4);
  profile.threads[3].process = 1;
  profile.threads[3].tid = 80;
  profile.threads[3].name = "child";
  ThreadTime late = profile.thread_times[2];
  late.process = 1;
  late.thread = 3;
  late.origin_ns = late.start_ns = kStart + 4000 * kMs;
  late.end_ns = kStart + 5000 * kMs;
  late.width_ns = 200 * kMs;  // it had doubled its slices
  late.slices.assign(5, {200'000, 0, 0, 1});
  profile.thread_times.push_back(late);
  const TimeLine line = MakeTimeLine(report, 1000, SliceFit::kData);
  EXPECT_NEAR(line.seconds, 5, 1e-9);
  EXPECT_NEAR(line.slice_seconds, 0.2, 1e-9);
  EXPECT_EQ(line.threads.back().pid, 80u);
  EXPECT_NEAR(line.threads.back().cells[19].run, 0, 1e-6);
  EXPECT_NEAR(line.threads.back().cells[20].run, 0.2, 1e-6);
}

TEST(MakeTimeLine, AddsUpPlacesByFunction) {
  Report report = ThreePhases();
  FunctionRow row;
  row.id = 7;
  row.function = "work";
  row.module = "app";
  report.functions.push_back(row);
  report.function_of_place_time = {7, 7, kNoFunction};
  PlaceTime place;
  place.origin_ns = kStart;
  place.width_ns = 400 * kMs;
  place.samples = {8, 0, 4};
  report.profile.place_times = {place, place, place};
  const TimeLine line = MakeTimeLine(report, 1000, SliceFit::kData);
  ASSERT_EQ(line.functions.size(), 1u);
  EXPECT_EQ(line.functions[0].function, "work");
  EXPECT_NEAR(line.functions[0].total, 24, 1e-9);
  EXPECT_NEAR(line.functions[0].samples[0], 4, 1e-6);
  EXPECT_NEAR(line.functions[0].samples[4], 0, 1e-6);
  EXPECT_NEAR(line.functions[0].samples[8], 2, 1e-6);
}

}  // namespace
}  // namespace csink::report
