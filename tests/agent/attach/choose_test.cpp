#include "agent/attach/choose.h"

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "tests/agent/attach/made_proc.h"
#include "tests/fakes/fake_kernel.h"

namespace csink::attach {
namespace {

using ::testing::ElementsAre;
using testing::FakeKernel;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MadeProc;

constexpr pid_t kPid = 7;

class ChooseTest : public ::testing::Test {
 protected:
  ChooseTest() {
    proc_.Write(kPid, "stat", MadeProc::Stat(kPid, "app", 'S', 0, 1, 2));
    proc_.Write(kPid, "task/7/comm", "app\n");
    WriteUser(geteuid());
  }
  void WriteUser(unsigned uid) {
    const std::string id = "\t" + std::to_string(uid);
    proc_.Write(kPid, "status", "Uid:" + id + id + id + id + "\n");
  }
  Choice Choose(const Wishes& wishes) {
    return ChooseEvents(kernel_, wishes, kPid, proc_.root(), cpus_, kinds_);
  }
  std::vector<std::string> Names(const Choice& choice) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < choice.list.count; ++i) {
      names.emplace_back(choice.list.events[i].name);
    }
    return names;
  }

  MadeProc proc_;
  FakeKernel kernel_;
  std::vector<int> cpus_ = {0};
  CoreKinds kinds_;
};

TEST_F(ChooseTest, TheClockByDefault) {
  for (const char* events : {"", "auto"}) {
    const Choice choice = Choose({.events = events});
    EXPECT_EQ(choice.problem, "");
    EXPECT_THAT(choice.warnings, IsEmpty());
    EXPECT_THAT(Names(choice), ElementsAre("task-clock"));
    EXPECT_TRUE(choice.list.events[0].exclude_kernel);
  }
  // Tried out on the process, and closed again. Nothing was recorded meanwhile.
  ASSERT_FALSE(kernel_.opens().empty());
  EXPECT_EQ(kernel_.opens()[0].tid, kPid);
  EXPECT_TRUE(kernel_.opens()[0].attr.enable_on_exec);
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
}

TEST_F(ChooseTest, TheEventsThatWereAskedFor) {
  const Choice choice = Choose({.events = "task-clock,page-faults"});
  EXPECT_EQ(choice.problem, "");
  EXPECT_THAT(Names(choice), ElementsAre("task-clock", "page-faults"));
}

TEST_F(ChooseTest, AListThatIsNotOneFallsBackToTheClock) {
  const Choice choice = Choose({.events = "no-such-event"});
  EXPECT_EQ(choice.problem, "");
  EXPECT_THAT(Names(choice), ElementsAre("task-clock"));
  ASSERT_EQ(choice.warnings.size(), 2u);
  EXPECT_THAT(choice.warnings[0], HasSubstr("no-such-event"));
  EXPECT_THAT(choice.warnings[1], HasSubstr("task-clock"));
}

TEST_F(ChooseTest, AnEventThatTheMachineDoesNotHaveIsLeftOut) {
  kernel_.SetOpenRule([](const perf_event_attr& attr) -> long {
    return attr.type == PERF_TYPE_HARDWARE ? -ENOENT : 0;
  });
  Choice choice = Choose({.events = "task-clock,cycles"});
  EXPECT_EQ(choice.problem, "");
  EXPECT_THAT(Names(choice), ElementsAre("task-clock"));
  ASSERT_EQ(choice.warnings.size(), 1u);
  EXPECT_THAT(choice.warnings[0], HasSubstr("cycles is left out"));
  // The last one of the list: the clock stands in.
  choice = Choose({.events = "cycles"});
  EXPECT_EQ(choice.problem, "");
  EXPECT_THAT(Names(choice), ElementsAre("task-clock"));
  ASSERT_EQ(choice.warnings.size(), 1u);
  EXPECT_THAT(choice.warnings[0], HasSubstr("sampling task-clock instead"));
}

// Processors 0 and 1 are performance cores, 2 and 3 efficiency cores.
class HybridChooseTest : public ChooseTest {
 protected:
  HybridChooseTest() {
    cpus_ = {0, 1, 2, 3};
    kinds_ = {{4, 10}, 2, {"cpu_core", "cpu_atom"}};
    kernel_.SetCpusOf(4, {0, 1});
    kernel_.SetCpusOf(10, {2, 3});
  }
  // A raw code: the parser knows the PMUs of this machine only, not cpu_core and cpu_atom.
  Choice ChooseRaw() { return Choose({.events = "task-clock,r3c"}); }
};

TEST_F(HybridChooseTest, ARawCodeIsThatOfThePerformanceCores) {
  const Choice choice = ChooseRaw();
  EXPECT_EQ(choice.problem, "");
  EXPECT_THAT(Names(choice), ElementsAre("task-clock", "r3c"));
  EXPECT_THAT(choice.warnings,
              ElementsAre("event r3c counts on the cores of cpu_core alone: the processor is "
                          "hybrid, and what runs on its other cores has no sample"));
}

TEST_F(HybridChooseTest, AnEventThatTheFirstProcessorDoesNotHaveIsKept) {
  cpus_ = {2, 3, 0, 1};
  const Choice choice = ChooseRaw();
  EXPECT_THAT(Names(choice), ElementsAre("task-clock", "r3c"));
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
}

TEST_F(HybridChooseTest, AnEventThatNoProcessorHasIsLeftOut) {
  kernel_.SetCpusOf(4, {});
  const Choice choice = ChooseRaw();
  EXPECT_THAT(Names(choice), ElementsAre("task-clock"));
  ASSERT_EQ(choice.warnings.size(), 1u);
  EXPECT_THAT(choice.warnings[0], HasSubstr("r3c is left out: this machine does not have"));
}

TEST_F(ChooseTest, KernelModeWhereItIsPermitted) {
  const Choice choice = Choose({.events = "", .kernel = true});
  EXPECT_EQ(choice.problem, "");
  EXPECT_THAT(choice.warnings, IsEmpty());
  EXPECT_FALSE(choice.list.events[0].exclude_kernel);
  Surroundings surroundings;
  DescribeSession(choice, surroundings);
  EXPECT_TRUE(surroundings.system_is_sampled);
}

TEST_F(ChooseTest, UserModeAloneWhereKernelModeIsNotPermitted) {
  kernel_.SetOpenRule(
      [](const perf_event_attr& attr) -> long { return attr.exclude_kernel ? 0 : -EACCES; });
  const Choice choice = Choose({.events = "", .kernel = true});
  EXPECT_EQ(choice.problem, "");
  ASSERT_EQ(choice.warnings.size(), 1u);
  EXPECT_THAT(choice.warnings[0], HasSubstr("kernel mode is not sampled"));
  EXPECT_TRUE(choice.list.events[0].exclude_kernel);
}

TEST_F(ChooseTest, RefusalsHaveTheirReason) {
  kernel_.SetOpenRule([](const perf_event_attr&) -> long { return -EACCES; });
  EXPECT_THAT(Choose({}).problem, HasSubstr("perf_event_open is not permitted"));
  WriteUser(geteuid() + 1);
  EXPECT_THAT(Choose({}).problem,
              HasSubstr("another user (uid " + std::to_string(geteuid() + 1) + ")"));
  kernel_.SetOpenRule([](const perf_event_attr&) -> long { return -EMFILE; });
  EXPECT_THAT(Choose({}).problem, HasSubstr("ulimit -n"));
  kernel_.SetOpenRule([](const perf_event_attr&) -> long { return -ESRCH; });
  EXPECT_EQ(Choose({}).problem, "the process has ended");
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
}

TEST_F(ChooseTest, AThreadThatHasEndedIsPassedOver) {
  proc_.Write(kPid, "task/9/comm", "worker\n");
  kernel_.RefuseOpens(ESRCH);
  EXPECT_EQ(Choose({}).problem, "");
  ASSERT_EQ(kernel_.opens().size(), 2u);
  EXPECT_EQ(kernel_.opens()[1].tid, 9);
}

TEST_F(ChooseTest, WhatCannotBeAttachedAtAll) {
  EXPECT_EQ(WhyNotAttachable(proc_.root(), kPid), "");
  // Above the largest number of a process (pid_max is 2^22 at most).
  constexpr pid_t kNone = 1 << 23;
  EXPECT_EQ(WhyNotAttachable(proc_.root(), kNone), "no process 8388608 is running");
  EXPECT_THAT(WhyNotAttachable(proc_.root(), getpid()), HasSubstr("does not show it to this user"));
  proc_.Write(8, "stat", MadeProc::Stat(8, "kworker/0:1", 'I', 0x00200000, 0, 0));
  EXPECT_THAT(WhyNotAttachable(proc_.root(), 8), HasSubstr("(kworker/0:1) is a kernel thread"));
  proc_.Write(8, "stat", MadeProc::Stat(8, "gone", 'Z', 0, 0, 0));
  EXPECT_THAT(WhyNotAttachable(proc_.root(), 8), HasSubstr("(gone) has ended"));
}

TEST_F(ChooseTest, TheHeaderOfASession) {
  Surroundings surroundings;
  DescribeSession(Choose({.events = "task-clock@2000000,page-faults"}), surroundings);
  const spool::Header& header = surroundings.header;
  EXPECT_EQ(header.source, spool::Source::kRing);
  ASSERT_EQ(header.event_count, 2u);
  EXPECT_STREQ(header.events[0].name, "task-clock:u");
  EXPECT_EQ(header.events[0].period, 2'000'000u);
  EXPECT_EQ(header.events[0].kind, EventClass::kClock);
  EXPECT_EQ(header.events[0].skid, spool::Skid::kTimer);
  EXPECT_FALSE(surroundings.system_is_sampled);
  // Nothing of this process itself.
  EXPECT_EQ(header.pid, 0u);
  EXPECT_EQ(header.start_user_ns, 0u);
  EXPECT_STREQ(header.program, "");
  EXPECT_STREQ(header.command, "");
  EXPECT_NE(header.start_monotonic_ns, 0u);
}

}  // namespace
}  // namespace csink::attach
