#include "symbolizer/report/tables/critical_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// File: which threads, processes and functions the records of a profile become.

namespace csink::report {
namespace {

using ::testing::ElementsAre;

constexpr std::uint32_t kPid = 40;

/// One process with a clock of 1 ms, and two functions: place 0 is in function 1, place 1 in
/// function 0.
Report OneProcess() {
  Report report;
  Profile& profile = report.profile;
  ProcessRow process;
  process.pid = kPid;
  process.start_ticks = 7;
  process.start_monotonic_ns = 1000;
  process.processors = 3;
  profile.processes.push_back(process);
  EventTotals clock;
  clock.name = "task-clock:u";
  clock.kind = EventClass::kClock;
  clock.period = 1'000'000;
  profile.events.push_back(clock);
  for (const std::uint64_t offset : {0x10u, 0x20u}) {
    Place place;
    place.address = {0, offset};
    profile.places.push_back(place);
  }
  for (const std::uint32_t id : {0u, 1u}) {
    FunctionRow row;
    row.id = id;
    row.function = "f" + std::to_string(id);
    row.module = "m";
    report.functions.push_back(row);
  }
  return report;
}
const std::vector<std::uint32_t> kFunctionOfPlace = {1, 0};

Moment PointAt(std::uint64_t time_ns, spool::MomentKind kind, std::uint32_t thread,
               std::uint32_t process = 0) {
  Moment moment;
  moment.start_ns = moment.end_ns = time_ns;
  moment.kind = kind;
  moment.thread = thread;
  moment.process = process;
  return moment;
}

TEST(CriticalLogOf, TellsThreadsApartThatHadOneTid) {
  Report report = OneProcess();
  auto& timed = report.profile.timed;
  for (const std::uint64_t begin : {2000u, 4000u}) {
    Moment created = PointAt(begin, spool::MomentKind::kThreadCreated, kPid);
    created.value = 41;
    created.object = 0xa000 + begin;
    timed.moments.push_back(created);
    timed.moments.push_back(PointAt(begin + 10, spool::MomentKind::kThreadStart, 41));
    timed.samples.push_back({begin + 20, {0, 0x10}, 0, 0, 41, 0});
    timed.moments.push_back(PointAt(begin + 30, spool::MomentKind::kThreadEnd, 41));
  }
  timed.moments.push_back(PointAt(9000, spool::MomentKind::kProcessEnd, 41));
  const critical::RawLog log = CriticalLogOf(report, kFunctionOfPlace, {});
  ASSERT_GE(log.threads.size(), 3u);
  EXPECT_EQ(log.threads[0].tid, kPid);
  EXPECT_EQ(log.threads[0].start_ns, 1000);
  EXPECT_EQ(log.threads[0].end_ns, 9000);
  EXPECT_EQ(log.threads[1].start_ns, 2010);
  EXPECT_EQ(log.threads[1].end_ns, 2030);
  EXPECT_EQ(log.threads[1].handle, 0xa000u + 2000u);
  EXPECT_EQ(log.threads[2].handle, 0xa000u + 4000u);
  EXPECT_EQ(log.threads[2].start_ns, 4010);
  ASSERT_EQ(log.samples.size(), 2u);
  EXPECT_EQ(log.samples[0].thread, 1u);
  EXPECT_EQ(log.samples[1].thread, 2u);
  EXPECT_THAT(log.chains, ElementsAre(ElementsAre(1u)));
  EXPECT_EQ(log.processors, 3u);
  EXPECT_EQ(log.period_ns, 1'000'000);
}

// From exec to exec a process has a row each; the last one begins first in the table here.
TEST(CriticalLogOf, TakesTheImagesOfAProcessForOne) {
  Report report = OneProcess();
  ProcessRow child = report.profile.processes[0];
  child.pid = 50;
  child.depth = 1;
  child.start_monotonic_ns = 500;
  ProcessRow earlier = report.profile.processes[0];
  earlier.start_monotonic_ns = 300;
  report.profile.processes = {report.profile.processes[0], child, earlier};
  report.profile.timed.moments = {PointAt(400, spool::MomentKind::kFork, kPid, 2),
                                  PointAt(600, spool::MomentKind::kThreadStart, 50, 1),
                                  PointAt(2000, spool::MomentKind::kProcessEnd, kPid, 0)};
  const critical::RawLog log = CriticalLogOf(report, kFunctionOfPlace, {});
  ASSERT_EQ(log.processes.size(), 2u);
  EXPECT_EQ(log.processes[0].pid, kPid);
  ASSERT_EQ(log.threads.size(), 2u);
  EXPECT_EQ(log.threads[0].start_ns, 300);
  EXPECT_EQ(log.threads[0].end_ns, 2000);
  EXPECT_EQ(log.moments[0].thread, 0u);
  EXPECT_EQ(log.moments[1].thread, 1u);
}

TEST(CriticalLogOf, KeepsStretchesOfLostSwitches) {
  Report report = OneProcess();
  report.profile.timed.switches = {{1100, 0, kPid, spool::SwitchKind::kIn},
                                   {1200, 0, kPid, spool::SwitchKind::kLost},
                                   {1500, 0, kPid, spool::SwitchKind::kOutBlocked}};
  const critical::RawLog log = CriticalLogOf(report, kFunctionOfPlace, {});
  ASSERT_EQ(log.lost_switches.size(), 1u);
  EXPECT_EQ(log.lost_switches[0].begin_ns, 1200);
  EXPECT_EQ(log.lost_switches[0].end_ns, 1500);
  EXPECT_EQ(log.switches.size(), 2u);
}

TEST(CriticalLogOf, NamesCallersThatHaveARow) {
  Report report = OneProcess();
  report.call_functions = {{"", "", {}}, {"f0", "m", {}}, {"only_calls", "m", {}}};
  report.call_tree.resize(4);
  report.call_tree[1].function = 2;                                  // only_calls
  report.call_tree[2].parent = 1, report.call_tree[2].function = 1;  // f0
  CallNodes nodes;
  nodes.of_caller = {0, 1, 2};
  report.profile.timed.samples = {{1500, {0, 0x10}, 2, 0, kPid, 0},
                                  {1600, {0, 0x30}, 0, 0, kPid, 0}};
  const critical::RawLog log = CriticalLogOf(report, kFunctionOfPlace, nodes);
  EXPECT_THAT(log.chains, ElementsAre(ElementsAre(1u, 0u), ElementsAre(kNoFunction)));
}

}  // namespace
}  // namespace csink::report
