#include "symbolizer/report/tables/waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "tests/symbolizer/report/waiting_sample.h"

namespace csink::report {
namespace {

using namespace csink::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const WaitGroup& GroupOf(const Report& report, std::string_view name) {
  const auto& groups = report.waits->groups;
  const auto it = std::find_if(groups.begin(), groups.end(),
                               [&](const WaitGroup& group) { return group.name == name; });
  if (it == groups.end()) std::abort();
  return *it;
}

const LockRow& LockOf(const Report& report, std::string_view text) {
  const auto& locks = report.waits->locks;
  const auto it = std::find_if(locks.begin(), locks.end(), [&](const LockRow& lock) {
    return LockText(lock).find(text) != std::string::npos;
  });
  if (it == locks.end()) std::abort();
  return *it;
}

TEST(WaitTables, AreMissingWhereNothingWasRecorded) {
  const Report report = Make(XzSpool(), XzNames());
  EXPECT_FALSE(report.waits);
}

TEST(WaitTables, AreEmptyWhereNoThreadWasSeenBlocked) {
  SpoolBuilder builder = XzSpool();
  builder.header().waits.state = 1;
  const Report report = Make(builder, XzNames());
  ASSERT_TRUE(report.waits);
  EXPECT_THAT(report.waits->groups, IsEmpty());
  EXPECT_EQ(report.waits->looks, 0u);
}

TEST(WaitTables, GroupThreadsOfHotSpotByTheirNames) {
  // All threads of a Java program begin in one function.
  for (const char* start : {"thread_native_entry(Thread*)", "worker"}) {
    FakeResolver resolver = WaitingNames();
    resolver.Add("/opt/bin/server", 0x1500,
                 {.end = 0x1600, .name = start, .file = "", .first_line = 0});
    SpoolBuilder spool = WaitingSpool();
    for (std::uint32_t i = 1; i < 8; ++i) {
      std::snprintf(spool.thread(i).name, sizeof spool.thread(i).name, "pool-%u", i);
    }
    std::vector<std::string> names;
    const Report report = Make(spool, resolver);
    for (const WaitGroup& group : report.waits->groups) {
      names.push_back(group.name + ", " + std::to_string(group.threads));
    }
    EXPECT_THAT(names,
                Contains(start == std::string("worker") ? "worker(), 3" : "threads named pool, 3"));
  }
}

TEST(WaitTables, GroupThreadsOfAnOpenMpRuntimeByItsName) {
  SpoolBuilder spool = WaitingSpool();
  const auto omp = spool.AddRegion(
      {.path = "/usr/lib/libomp.so.5", .start = 0x900000, .end = 0x908000, .build_id = "\x09"});
  for (std::uint32_t i = 3; i < 6; ++i) {
    spool.thread(i).start_routine = 0x901000;
    spool.thread(i).start_region = omp;
  }
  const Report report = Make(spool, WaitingNames());
  EXPECT_EQ(GroupOf(report, "threads of libomp.so.5").threads, 3u);
}

TEST(WaitTables, NameTheProgramsOwnFunction) {
  const Report report = Make(WaitingSpool(), WaitingNames());
  const WaitGroup& main = GroupOf(report, "main thread");
  ASSERT_THAT(main.rows, SizeIs(3));
  EXPECT_EQ(main.rows[0].function, "read_input");
  EXPECT_EQ(main.rows[0].primitive, "read of a pipe");
  EXPECT_EQ(main.rows[0].call, "read");
  // The call is one byte before the return address 0x1120: the line of 0x111f.
  EXPECT_EQ(main.rows[0].file, "/src/server.c");
  EXPECT_EQ(main.rows[0].line, 11u);
  EXPECT_EQ(main.rows[1].function, "main");
  EXPECT_EQ(main.rows[1].kind, spool::WaitKind::kJoin);
  EXPECT_EQ(main.rows[2].function, "lookup");
  ASSERT_THAT(main.rows[0].paths, SizeIs(1));
  EXPECT_THAT(main.rows[0].paths[0].functions, ElementsAre("main"));
  // A template of the standard library is no function of the program's own.
  EXPECT_EQ(GroupOf(report, "load()").rows[0].function, "load");
}

TEST(WaitTables, AHookOfTheAgentIsNoFunctionOfTheProgram) {
  SpoolBuilder builder;
  builder.header().waits.state = 1;
  const auto app =
      builder.AddRegion({.path = "/opt/bin/server", .start = 0x400000, .end = 0x409000});
  const auto agent =
      builder.AddRegion({.path = "/opt/lib/libagent.so", .start = 0x600000, .end = 0x609000});
  const auto libc = builder.AddRegion(
      {.path = "/usr/lib/x86_64-linux-gnu/libc.so.6", .start = 0x700000, .end = 0x708000});
  const auto lookup = builder.AddChain(builder.AddChain(0, app, 0x401010), app, 0x401230);
  spool::WaitSiteRecord site{};
  site.pc = 0x701410;
  site.region = libc;
  site.chain = builder.AddChain(lookup, agent, 0x601010);
  site.thread = 1;
  site.kind = spool::WaitKind::kChild;
  site.system_call = 61;
  site.looks = 1;
  site.blocked_ns = 1'000'000'000;
  builder.AddWaitSite(site);
  FakeResolver names = WaitingNames();
  names.Add("/opt/lib/libagent.so", 0x1000, {.end = 0x1100, .name = "[csink agent]"});
  const Report report = Make(builder, names);
  const WaitRow& row = report.waits->groups[0].rows[0];
  EXPECT_EQ(row.function, "lookup");
  EXPECT_THAT(row.paths[0].functions, ElementsAre("main"));
}

TEST(WaitTables, TellConditionsFromOtherFutexesByTheStack) {
  const Report report = Make(WaitingSpool(), WaitingNames());
  const WaitGroup& workers = GroupOf(report, "worker()");
  EXPECT_EQ(workers.rows[0].function, "pop_job");
  EXPECT_EQ(workers.rows[0].kind, spool::WaitKind::kCondition);
  EXPECT_EQ(workers.rows[0].primitive, "condition variable");
}

/// A program whose threads wait for the condition variable at 0x8140 at both of its words, once
/// without known callers, and likewise for one on the heap.
SpoolBuilder TwoWords(std::uint32_t glibc) {
  constexpr std::uint64_t kApp = 0x400000;
  constexpr std::uint64_t kLibc = 0x700000;
  SpoolBuilder b;
  b.header().waits.state = 1;
  b.header().waits.glibc = glibc;
  const auto app = b.AddRegion({.path = "/opt/bin/server", .start = kApp, .end = kApp + 0x9000});
  const auto libc = b.AddRegion(
      {.path = "/usr/lib/x86_64-linux-gnu/libc.so.6", .start = kLibc, .end = kLibc + 0x8000});
  const auto main = b.AddChain(0, app, kApp + 0x1010);
  const auto pop = b.AddChain(b.AddChain(main, app, kApp + 0x1620), libc, kLibc + 0x1320);
  for (const std::uint64_t address : {kApp + 0x8168, kApp + 0x816c, std::uint64_t{0x555500001028},
                                      std::uint64_t{0x55550000102c}}) {
    spool::LockRecord lock{};
    lock.address = address;
    lock.region = address < kLibc ? app : spool::kNone;
    lock.offset = address < kLibc ? address - kApp : 0;
    lock.kind = spool::WaitKind::kFutex;
    lock.operation_plus_one = 10;
    lock.first_pc = kLibc + 0x1510;
    lock.first_region = libc;
    lock.first_chain = pop;
    spool::WaitSiteRecord site{};
    site.lock = b.AddLock(lock);
    site.pc = kLibc + 0x1510;
    site.region = libc;
    site.chain = pop;
    site.thread = 1;
    site.kind = spool::WaitKind::kFutex;
    site.system_call = 202;
    site.looks = 9;
    site.blocked_ns = 90'000'000;
    b.AddWaitSite(site);
    site.chain = 0;
    site.looks = 1;
    site.blocked_ns = 10'000'000;
    b.AddWaitSite(site);
  }
  return b;
}

TEST(WaitTables, AConditionVariableIsOneLockWithBothOfItsWords) {
  FakeResolver names = WaitingNames();
  names.AddData("/opt/bin/server", 0x8140, "work");
  const Report report = Make(TwoWords(2 << 16 | 36), names);
  ASSERT_TRUE(report.waits);
  ASSERT_THAT(report.waits->locks, SizeIs(2));
  const LockRow& work = LockOf(report, "work");
  EXPECT_EQ(LockText(work), "condition variable work");
  EXPECT_EQ(work.objects, 1u);
  EXPECT_EQ(work.cell.looks, 20u);
  const LockRow& heap = LockOf(report, "first waited for");
  EXPECT_EQ(LockText(heap), "condition variable first waited for in pop_job server.c:11");
  // The looks without callers are at the same object; they know no function.
  const WaitGroup& main = GroupOf(report, "main thread");
  ASSERT_THAT(main.rows, SizeIs(4));
  EXPECT_EQ(main.rows[0].function, "pop_job");
  for (const WaitRow& row : main.rows) EXPECT_EQ(row.primitive, "condition variable");
}

TEST(WaitTables, TheOffsetOfAConditionVariableNeedsTheLibrarysRelease) {
  FakeResolver names = WaitingNames();
  names.AddData("/opt/bin/server", 0x8140, "work");
  names.AddData("/opt/bin/server", 0x8148, "work+0x8");
  names.AddData("/opt/bin/server", 0x8168, "work+0x28");
  EXPECT_EQ(LockOf(Make(TwoWords(0), names), "work").name, "work+0x28");
  EXPECT_EQ(LockOf(Make(TwoWords(2 << 16 | 41), names), "work").name, "work+0x8");
}

TEST(WaitTables, TheTimeOfThreadsThatWereNotLookedAtIsKnown) {
  SpoolBuilder builder = WaitingSpool();
  builder.header().wall.threads = 300;
  builder.header().wall.wall_ns = 110'000'000'000;
  builder.header().wall.run_ns = 4'000'000'000;
  builder.header().wall.wait_ns = 5'000'000'000;
  builder.header().wall.undivided_ns = 1'000'000'000;
  const Report report = Make(builder, WaitingNames());
  EXPECT_EQ(report.waits->all_threads, 300u);
  EXPECT_DOUBLE_EQ(report.waits->all_blocked_seconds, 100);
  EXPECT_DOUBLE_EQ(report.waits->not_looked_seconds, 100 - 9.76);
  EXPECT_DOUBLE_EQ(report.waits->undivided_seconds, 1);
}

TEST(WaitTables, SharesAreOfTheGroupAndHaveIntervals) {
  const Report report = Make(WaitingSpool(), WaitingNames());
  const WaitGroup& main = GroupOf(report, "main thread");
  EXPECT_DOUBLE_EQ(main.rows[0].cell.seconds, 1.0);
  EXPECT_DOUBLE_EQ(main.rows[0].cell.share, 0.5);
  // 200 looks of equal times: Wilson's interval of 100 in 200.
  EXPECT_NEAR(main.rows[0].cell.low, 0.4314, 1e-3);
  EXPECT_NEAR(main.rows[0].cell.high, 0.5686, 1e-3);
  double all = 0;
  for (const WaitGroup& group : report.waits->groups) all += group.cell.share;
  EXPECT_NEAR(all, 1, 1e-9);
}

TEST(WaitTables, ExactTimesHaveNoInterval) {
  SpoolBuilder builder;
  builder.header().waits.state = 1;
  const auto app =
      builder.AddRegion({.path = "/opt/bin/server", .start = 0x400000, .end = 0x408000});
  for (const std::uint64_t pc : {0x401110u, 0x401210u}) {
    spool::WaitSiteRecord site{};
    site.pc = pc;
    site.region = app;
    site.thread = 1;
    site.kind = spool::WaitKind::kSleep;
    site.system_call = 230;
    site.looks = 1;
    site.blocked_ns = 1'000'000'000;
    builder.AddWaitSite(site);
  }
  const Report report = Make(builder, WaitingNames());
  ASSERT_TRUE(report.waits);
  const WaitCell& cell = report.waits->groups[0].rows[0].cell;
  EXPECT_DOUBLE_EQ(cell.share, 0.5);
  EXPECT_DOUBLE_EQ(cell.low, 0.5);
  EXPECT_DOUBLE_EQ(cell.high, 0.5);
}

TEST(WaitTables, NameTheOwnFunctionOfAStaticProgram) {
  SpoolBuilder builder;
  builder.header().waits.state = 1;
  const auto app = builder.AddRegion({.path = "/opt/bin/tool", .start = 0x400000, .end = 0x408000});
  const std::uint32_t main = builder.AddChain(0, app, 0x401030);
  const std::uint32_t work = builder.AddChain(main, app, 0x401130);
  spool::WaitSiteRecord site{};
  site.pc = 0x401330;
  site.region = app;
  site.chain = builder.AddChain(work, app, 0x401230);
  site.thread = 1;
  site.kind = spool::WaitKind::kFutex;
  site.system_call = 202;
  site.looks = 1;
  site.blocked_ns = 1'000'000'000;
  builder.AddWaitSite(site);
  FakeResolver names;
  names.Add("/opt/bin/tool", 0x1000, {.end = 0x1100, .name = "main"});
  names.Add("/opt/bin/tool", 0x1100, {.end = 0x1200, .name = "Take"});
  names.Add("/opt/bin/tool", 0x1200, {.end = 0x1300, .name = "__new_sem_wait_slow64.constprop.0"});
  names.Add("/opt/bin/tool", 0x1300, {.end = 0x1400, .name = "__futex_abstimed_wait_common"});
  const Report report = Make(builder, names);
  ASSERT_TRUE(report.waits);
  const WaitRow& row = report.waits->groups[0].rows[0];
  EXPECT_EQ(row.function, "Take");
  EXPECT_EQ(row.kind, spool::WaitKind::kSemaphore);
  EXPECT_THAT(row.paths[0].functions, ElementsAre("main"));
}

TEST(WaitTables, PutCriticalThreadsFirstAndIdleOnesLast) {
  const Report report = Make(WaitingSpool(), WaitingNames());
  std::vector<std::string> names;
  for (const WaitGroup& group : report.waits->groups) names.push_back(group.name);
  // main joins load(); the workers have most time, but wait for jobs.
  EXPECT_THAT(names, ElementsAre("main thread", "load()", "client()", "worker()"));
  EXPECT_TRUE(GroupOf(report, "load()").is_critical);
  EXPECT_FALSE(GroupOf(report, "client()").is_critical);
  EXPECT_FALSE(GroupOf(report, "client()").is_idle);
  EXPECT_TRUE(GroupOf(report, "worker()").is_idle);
  EXPECT_EQ(GroupOf(report, "worker()").threads, 3u);
}

/// Workers of a pool like OpenBLAS's: each waits for a condition variable of its own, in an array,
/// while the main thread alone runs. `others`: looks at each of them elsewhere, for 100 there.
Report PoolOfOwnConditions(std::uint64_t others) {
  constexpr std::uint64_t kApp = 0x400000, kLibc = 0x700000;
  SpoolBuilder builder;
  builder.header().waits.state = 1;
  const auto app =
      builder.AddRegion({.path = "/opt/bin/server", .start = kApp, .end = kApp + 0x8000});
  const auto libc = builder.AddRegion(
      {.path = "/usr/lib/x86_64-linux-gnu/libc.so.6", .start = kLibc, .end = kLibc + 0x8000});
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto thread = builder.AddThread(4720 + i, "worker", kApp + 0x1500, app);
    spool::LockRecord lock{};
    lock.region = app;
    lock.offset = 0x8100 + 0x80 * i;
    lock.address = kApp + lock.offset;
    lock.kind = spool::WaitKind::kCondition;
    lock.looks = 100;
    lock.blocked_ns = 1'000'000'000;
    const auto own = builder.AddLock(lock);
    spool::WaitSiteRecord site{};
    site.pc = kLibc + 0x1310;
    site.region = libc;
    site.chain = builder.AddChain(0, app, kApp + 0x1620);
    site.thread = thread;
    site.lock = own;
    site.kind = spool::WaitKind::kCondition;
    site.system_call = 202;
    site.looks = 100;
    site.blocked_ns = 1'000'000'000;
    builder.AddWaitSite(site);
    site.pc = kLibc + 0x1010;
    site.lock = 0;
    site.kind = spool::WaitKind::kRead;
    site.system_call = 0;
    site.looks = others;
    site.blocked_ns = others * 10'000'000;
    builder.AddWaitSite(site);
    spool::HolderRecord runner{};
    runner.lock = own;
    runner.thread = spool::kMergedThread;
    runner.tid = 4711;
    runner.region = spool::kNone;
    runner.state = spool::kOnlyRunner;
    runner.looks = 90;
    runner.blocked_ns = 900'000'000;
    builder.AddHolder(runner);
  }
  return Make(builder, WaitingNames());
}

TEST(WaitTables, CallAPoolIdleWhoseThreadsHaveAConditionEach) {
  const Report report = PoolOfOwnConditions(5);
  const WaitGroup& group = GroupOf(report, "worker()");
  ASSERT_THAT(group.rows, SizeIs(5));  // four conditions and the reads
  EXPECT_TRUE(group.is_idle);
  EXPECT_NEAR(group.idle_share, 100.0 / 105, 1e-9);
  EXPECT_EQ(group.rows[group.idle_row].function, "pop_job");
  // Nobody is kept from running: none of the four is a lock, although one thread alone ran.
  for (const LockRow& lock : report.waits->locks) EXPECT_FALSE(lock.is_lock) << lock.name;

  const Report busy = PoolOfOwnConditions(20);
  EXPECT_FALSE(GroupOf(busy, "worker()").is_idle);
  EXPECT_EQ(GroupOf(busy, "worker()").idle_share, 0);
}

TEST(WaitTables, CallNoCriticalThreadIdle) {
  // The loader sleeps all of its time, but main waits for it.
  EXPECT_FALSE(GroupOf(Make(WaitingSpool(), WaitingNames()), "load()").is_idle);
}

TEST(WaitTables, ListTheThreadsOfAGroup) {
  const Report report = Make(WaitingSpool(), WaitingNames());
  const WaitGroup& clients = GroupOf(report, "client()");
  ASSERT_THAT(clients.members, SizeIs(2));
  EXPECT_EQ(report.profile.threads[clients.members[0].thread].tid, 4730u);
  EXPECT_DOUBLE_EQ(clients.members[0].cell.share, 0.5);
  EXPECT_DOUBLE_EQ(clients.members[0].row_share, 1.0);
  EXPECT_DOUBLE_EQ(clients.members[1].row_share, 0.6);
}

TEST(WaitTables, NameLocksByTheirSymbol) {
  const Report report = Make(WaitingSpool(), WaitingNames());
  const LockRow& lock = LockOf(report, "table_lock");
  EXPECT_EQ(lock.name, "table_lock");
  EXPECT_EQ(lock.module, "server");
  EXPECT_DOUBLE_EQ(lock.cell.seconds, 0.4);
  ASSERT_THAT(lock.holders, SizeIs(2));
  EXPECT_EQ(lock.holders[0].function, "rebuild");
  EXPECT_EQ(lock.holders[0].tid, 4712u);
  EXPECT_EQ(lock.holders[0].thread, "loader");
  EXPECT_DOUBLE_EQ(lock.holders[0].cell.share, 0.75);
  EXPECT_FALSE(lock.holders[0].is_blocked);
  EXPECT_TRUE(lock.holders[1].is_blocked);
}

/// WaitingSpool, where one thread alone ran during `looks` of the 570 looks at threads that waited
/// for the condition variable of the queue; the main thread waits for it, too, or does not.
Report WithOneRunner(std::uint64_t looks, bool main_waits) {
  constexpr std::uint32_t kJobs = 3;  // number of the lock
  SpoolBuilder builder = WaitingSpool();
  spool::HolderRecord runner{};
  runner.lock = kJobs;
  runner.thread = spool::kMergedThread;
  runner.tid = 4711;
  runner.region = spool::kNone;
  runner.state = 3;
  runner.looks = looks;
  runner.blocked_ns = looks * 10'000'000;
  builder.AddHolder(runner);
  if (main_waits) {
    spool::WaitSiteRecord site{};
    site.pc = 0x701510;
    site.region = 1;
    site.thread = 1;
    site.lock = kJobs;
    site.kind = spool::WaitKind::kFutex;
    site.system_call = 202;
    site.looks = 1;
    builder.AddWaitSite(site);
  }
  return Make(builder, WaitingNames());
}

TEST(WaitTables, ShowAConditionAsALockIfOneThreadAloneRan) {
  EXPECT_TRUE(LockOf(Make(WaitingSpool(), WaitingNames()), "table_lock").is_lock);
  const Report report = WithOneRunner(300, true);
  const LockRow& jobs = LockOf(report, "condition variable");
  EXPECT_TRUE(jobs.is_lock);
  EXPECT_EQ(jobs.known_share, 90.0 / 571);  // as recorded: a runner is no known holder
  ASSERT_THAT(jobs.holders, SizeIs(1));
  EXPECT_TRUE(jobs.holders[0].is_only_runner);
  EXPECT_FALSE(jobs.holders[0].is_blocked);
  EXPECT_EQ(jobs.holders[0].tid, 4711u);
  // It ran in less than half of the time, or only idle threads waited.
  EXPECT_FALSE(LockOf(WithOneRunner(200, true), "condition variable").is_lock);
  EXPECT_FALSE(LockOf(WithOneRunner(300, false), "condition variable").is_lock);
}

TEST(WaitTables, SumLocksOfTheHeapByTheirFirstPlace) {
  const Report report = Make(WaitingSpool(), WaitingNames());
  const LockRow& lock = LockOf(report, "open_session");
  EXPECT_EQ(lock.objects, 2u);
  EXPECT_EQ(lock.cell.looks, 80u);
  EXPECT_EQ(LockText(lock), "2 x mutex first waited for in open_session server.c:12");
}

TEST(WaitTables, ShowALockOfStrippedDataByItsAddress) {
  const Report report = Make(WaitingSpool(), WaitingNames());
  EXPECT_EQ(LockOf(report, "+0x8100").name, "server+0x8100");
}

TEST(WaitTables, StandSitesWithoutThreadsStacksOrNames) {
  SpoolBuilder builder;
  spool::WaitSiteRecord site{};
  site.region = spool::kNone;
  site.thread = 0;
  site.kind = spool::WaitKind::kFault;
  site.system_call = -1;
  site.looks = 3;
  site.blocked_ns = 10;
  builder.AddWaitSite(site);
  const Report report = Make(builder, WaitingNames());
  ASSERT_TRUE(report.waits);
  ASSERT_THAT(report.waits->groups, SizeIs(1));
  EXPECT_EQ(report.waits->groups[0].name, "threads without a record");
  EXPECT_EQ(report.waits->groups[0].rows[0].primitive, "page fault, or stopped");
}

}  // namespace
}  // namespace csink::report
