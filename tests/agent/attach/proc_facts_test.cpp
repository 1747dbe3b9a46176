#include "agent/attach/proc_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/machine/clocks.h"
#include "tests/agent/attach/made_proc.h"

namespace csink::attach {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MadeProc;

constexpr unsigned kKernelThreadFlag = 0x00200000;

std::uint64_t TicksNs(std::uint64_t ticks) {
  return ticks * (1'000'000'000u / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK)));
}

TEST(ParseProcessStat, FieldsOfALine) {
  const auto stat = ParseProcessStat(MadeProc::Stat(7, "app", 'S', 0x400000, 150, 25));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->name, "app");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent_pid, 42u);
  EXPECT_FALSE(stat->is_kernel_thread);
  EXPECT_EQ(stat->user_ns, TicksNs(150));
  EXPECT_EQ(stat->system_ns, TicksNs(25));
  EXPECT_EQ(stat->start_ticks, 9876u);
  EXPECT_EQ(stat->exit_status, 0u);
}

TEST(ParseProcessStat, ANameMayLookLikeFields) {
  const auto stat = ParseProcessStat(MadeProc::Stat(7, "a) R 1 (b) Z 2", 'R', 0, 1, 2));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->name, "a) R 1 (b) Z 2");
  EXPECT_EQ(stat->state, 'R');
  EXPECT_EQ(stat->parent_pid, 42u);
}

TEST(ParseProcessStat, AZombieHasItsStatus) {
  const auto stat = ParseProcessStat(MadeProc::Stat(7, "app", 'Z', 0, 1, 2, 3 << 8));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->state, 'Z');
  EXPECT_EQ(stat->exit_status, 3u << 8);
}

TEST(ParseProcessStat, AKernelThread) {
  const auto stat = ParseProcessStat(MadeProc::Stat(2, "kthreadd", 'S', kKernelThreadFlag, 0, 0));
  ASSERT_TRUE(stat);
  EXPECT_TRUE(stat->is_kernel_thread);
}

TEST(ParseProcessStat, WhatIsNoSuchLine) {
  const std::string line = MadeProc::Stat(7, "app", 'S', 0, 1, 2);
  EXPECT_FALSE(ParseProcessStat(""));
  EXPECT_FALSE(ParseProcessStat("7 app S 42"));
  EXPECT_FALSE(ParseProcessStat(")7 (app"));
  EXPECT_FALSE(ParseProcessStat("7 (app)"));
  // Cut before the start time.
  EXPECT_FALSE(ParseProcessStat(line.substr(0, line.find("9876"))));
  EXPECT_FALSE(ParseProcessStat("7 (app) Sleeping" + line.substr(line.find(" 42"))));
}

TEST(ReadProcessStat, NoProcess) {
  const MadeProc proc;
  EXPECT_FALSE(ReadProcessStat(proc.FolderOf(7)));
  proc.Write(7, "stat", MadeProc::Stat(7, "app", 'S', 0, 1, 2));
  EXPECT_TRUE(ReadProcessStat(proc.FolderOf(7)));
}

TEST(ReadTaskTimes, ThreeNumbersOfSchedstat) {
  const MadeProc proc;
  proc.Write(7, "task/9/schedstat", "123456789 2000 31\n");
  const auto times = ReadTaskTimes(proc.FolderOf(7), 9);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->run_ns, 123456789u);
  EXPECT_EQ(times->wait_ns, 2000u);
  EXPECT_EQ(times->turns, 31u);
  EXPECT_FALSE(ReadTaskTimes(proc.FolderOf(7), 8));
}

TEST(ThreadsOf, AreSortedNumbers) {
  const MadeProc proc;
  for (const char* tid : {"100", "9", "27"}) {
    proc.Write(7, std::string("task/") + tid + "/comm", "worker\n");
  }
  proc.Write(7, "task/nothing/comm", "x\n");
  EXPECT_THAT(ThreadsOf(proc.FolderOf(7)), ElementsAre(9, 27, 100));
  EXPECT_THAT(ThreadsOf(proc.FolderOf(8)), IsEmpty());
}

TEST(ThreadName, WithoutTheLineEnd) {
  const MadeProc proc;
  proc.Write(7, "task/9/comm", "two words\n");
  EXPECT_EQ(ThreadName(proc.FolderOf(7), 9), "two words");
  EXPECT_EQ(ThreadName(proc.FolderOf(7), 10), "");
}

TEST(CommandOf, BlanksBetweenArguments) {
  const MadeProc proc;
  proc.Write(7, "cmdline", std::string("./app\0--fast\0in file\0\0", 22));
  EXPECT_EQ(CommandOf(proc.FolderOf(7)), "./app --fast in file");
  EXPECT_EQ(CommandOf(proc.FolderOf(8)), "");
}

TEST(LinkOf, ADeletedFileKeepsItsName) {
  const MadeProc proc;
  proc.Link(7, "exe", "/opt/app (deleted)");
  proc.Link(7, "cwd", "/home/user");
  EXPECT_EQ(LinkOf(proc.FolderOf(7), "exe"), "/opt/app");
  EXPECT_EQ(LinkOf(proc.FolderOf(7), "cwd"), "/home/user");
  EXPECT_EQ(LinkOf(proc.FolderOf(8), "exe"), "");
}

TEST(LinkOf, ANameMayEndInTheWordsOfTheKernel) {
  const MadeProc proc;
  proc.Link(8, "exe", "/opt/app (deleted)");
  proc.Write(8, "root/opt/app (deleted)", "x");
  EXPECT_EQ(LinkOf(proc.FolderOf(8), "exe"), "/opt/app (deleted)");
}

TEST(StartRealtimeNs, IsTheAgeOfTheProcessBeforeNow) {
  const auto self = ReadProcessStat("/proc/self");
  ASSERT_TRUE(self);
  const std::uint64_t before = RealtimeNs();
  const std::uint64_t start = StartRealtimeNs(*self);
  EXPECT_LE(start, before + 10'000'000);
  // A test that began a day ago would be strange.
  EXPECT_GT(start, before - 86'400ull * 1'000'000'000);
  ProcessStat none;
  EXPECT_EQ(StartRealtimeNs(none), 0u);
  none.start_ticks = std::uint64_t{1} << 50;  // Later than now
  EXPECT_EQ(StartRealtimeNs(none), 0u);
}

TEST(InnerPid, IsTheLastNumberOfTheNamespaces) {
  const MadeProc proc;
  proc.Write(7, "status", "Name:\tapp\nNSpid:\t7\t1\n");
  proc.Write(8, "status", "Name:\tapp\nNSpid:\t8\n");
  proc.Write(9, "status", "Name:\tapp\n");
  EXPECT_EQ(InnerPid(proc.FolderOf(7)), 1u);
  EXPECT_EQ(InnerPid(proc.FolderOf(8)), 8u);
  EXPECT_EQ(InnerPid(proc.FolderOf(9)), std::nullopt);
}

TEST(UserOf, IsTheEffectiveUser) {
  const MadeProc proc;
  proc.Write(7, "status", "Name:\tapp\nUid:\t1000\t33\t1000\t1000\nGid:\t1\t1\t1\t1\n");
  proc.Write(8, "status", "Name:\tapp\n");
  EXPECT_EQ(UserOf(proc.FolderOf(7)), 33u);
  EXPECT_EQ(UserOf(proc.FolderOf(8)), std::nullopt);
  EXPECT_EQ(UserOf(proc.FolderOf(9)), std::nullopt);
}

TEST(HasAgentMapped, ByTheNameOfTheLibrary) {
  const MadeProc proc;
  proc.Write(7, "maps", "400000-401000 r-xp 00000000 08:01 11 /usr/bin/app\n");
  proc.Write(8, "maps",
             "400000-401000 r-xp 00000000 08:01 11 /usr/bin/app\n"
             "7f0000000000-7f0000001000 r-xp 00000000 08:01 12 /opt/lib/libagent.so\n");
  EXPECT_FALSE(HasAgentMapped(proc.FolderOf(7)));
  EXPECT_TRUE(HasAgentMapped(proc.FolderOf(8)));
  EXPECT_FALSE(HasAgentMapped(proc.FolderOf(9)));
}

TEST(InnerTid, IsTheLastNumberOfTheNamespaces) {
  MadeProc proc;
  proc.Write(700, "task/701/status", "Name:\tapp\nNSpid:\t701\t12\t2\nThreads:\t2\n");
  proc.Write(700, "task/702/status", "Name:\tapp\nNSpid:\t702\n");
  proc.Write(700, "task/703/status", "Name:\tapp\n");
  EXPECT_EQ(InnerTid(proc.FolderOf(700), 701), 2);
  EXPECT_EQ(InnerTid(proc.FolderOf(700), 702), 702);
  EXPECT_EQ(InnerTid(proc.FolderOf(700), 703), std::nullopt);
  EXPECT_EQ(InnerTid(proc.FolderOf(700), 704), std::nullopt);
}

}  // namespace
}  // namespace csink::attach
