#include "agent/critical/moments.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "profil/inside/spool/writer.h"
#include "tests/fakes/sandbox.h"
#include "tests/profil/spool_bytes.h"

namespace csink::agent {
namespace {

using spool::MomentKind;
using testing::SpoolBytes;
using testing::TemporaryFolder;

MomentBuffer* g_own = nullptr;
CriticalHooks g_hooks;
pid_t g_agent = 0;  // A thread of the agent

/// Moments as the agent has them, with this test as the library of hooks.
class MomentsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    g_own = nullptr;
    process_.RememberProcess();
    process_.Activate();
    g_hooks.own = [] {
      if (!g_own) g_own = g_hooks.begin_thread();
      return g_own;
    };
    g_hooks.forget = [] { g_own = nullptr; };
    SetCriticalHooks(&g_hooks);
    spool::Header header = {};
    header.event_count = 1;
    ASSERT_TRUE(spool_->Create(folder_.path(), "test", header));
  }
  void Start() {
    moments_.Use(g_hooks, [](pid_t tid) { return tid == g_agent; });
    g_hooks.on = true;
  }
  std::vector<spool::MomentRecord> Recorded() {
    return SpoolBytes(spool_->path()).Records<spool::MomentRecord>(spool::SegmentKind::kMoments);
  }

  TemporaryFolder folder_;
  ProcessState process_;
  Moments moments_{process_};
  std::unique_ptr<SpoolWriter> spool_ = std::make_unique<SpoolWriter>();
  TimedRecords timed_{*spool_};
};

TEST_F(MomentsTest, TakesTheMomentsOfAThreadAndFreesItsBufferAfterItsEnd) {
  Start();
  MomentBuffer* const buffer = g_hooks.own();
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(buffer->tid, static_cast<std::uint32_t>(gettid()));
  buffer->PutPoint(MomentKind::kMutexUnlock, 0x10, 0, 5);
  moments_.TakeMoments(timed_, false);
  buffer->PutPoint(MomentKind::kMutexUnlock, 0x20, 0, 6);
  buffer->ended = true;
  g_own = nullptr;
  moments_.TakeMoments(timed_, false);
  moments_.TakeMoments(timed_, false);
  const auto all = Recorded();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].object, 0x10u);
  EXPECT_EQ(all[1].object, 0x20u);
}

TEST_F(MomentsTest, TakesTheWaitsThatHaveNotEndedWithTheImage) {
  Start();
  MomentBuffer* const buffer = g_hooks.own();
  ASSERT_NE(buffer, nullptr);
  buffer->Begin({MomentKind::kConditionWait, 0x10, 0x20}, 5);
  moments_.TakeMoments(timed_, false);
  EXPECT_TRUE(Recorded().empty());
  moments_.TakeMoments(timed_, true);
  const auto all = Recorded();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].flags, spool::kMomentOpen);
  EXPECT_EQ(all[0].start_ns, 5u);
}

TEST_F(MomentsTest, RecordsTheForkInTheParentAndNothingOfTheParentInTheChild) {
  Start();
  moments_.BeforeFork();
  MomentBuffer* const buffer = g_own;
  ASSERT_NE(buffer, nullptr);
  buffer->PutPoint(MomentKind::kMutexUnlock, 0x10, 0, 5);
  const pid_t child = fork();
  if (child == 0) {
    // As the agent does: first its moments, then its process.
    moments_.AfterFork();
    bool good = g_own == nullptr;
    good &= g_hooks.own() == nullptr;  // still the parent's process
    process_.RememberFork();
    MomentBuffer* const own = g_hooks.own();
    good &= own && own->empty() && own->tid == static_cast<std::uint32_t>(getpid());
    _exit(good ? 0 : 1);
  }
  moments_.Forked(child);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  moments_.TakeMoments(timed_, false);
  const auto all = Recorded();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].kind, MomentKind::kFork);
  EXPECT_EQ(all[1].value, static_cast<std::uint64_t>(child));
}

TEST_F(MomentsTest, HasNoBufferForThreadsOfTheAgent) {
  Start();
  g_agent = gettid();
  EXPECT_EQ(g_hooks.own(), nullptr);
  g_agent = 0;
  EXPECT_NE(g_hooks.own(), nullptr);
}

TEST_F(MomentsTest, HasNoBufferForProcessesThatAreNotTheAgents) {
  Start();
  process_.Finish();
  EXPECT_EQ(g_hooks.own(), nullptr);
}

}  // namespace
}  // namespace csink::agent
