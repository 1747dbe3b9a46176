#include "agent/agent.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "core/util/raw_log.h"
#include "core/util/thread_id.h"
#include "tests/agent/hook_stand_ins.h"
#include "tests/fakes/captured_stderr.h"
#include "tests/fakes/fake_kernel.h"
#include "tests/profil/spool_bytes.h"

namespace csink::agent {
namespace {

/// BeforeStderrCloses copies stderr to the lowest free descriptor from 100 on.
bool HasSavedStderr() { return fcntl(100, F_GETFD) >= 0; }

/// An agent on the fake kernel. The calling thread is main.
class AgentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::TheStandIns() = {};
    // Far ahead of the real clock: no CPU time of the test counts as that of an unseen thread.
    kernel_.SetThreadCpu(AskTid(), 100'000'000'000);
  }
  void TearDown() override {
    // Start has registered handlers of fork and exit. They stay, and must find no agent.
    PublishObserver(nullptr);
    SetLogSilent(false);
    if (HasSavedStderr()) close(100);
    // The registry is static: its slots must not refer to rings of this test's fake kernel.
    for (std::size_t i = 0; i < registry_.high_water(); ++i) {
      RingSource(kernel_).Disarm(registry_.at(i));
    }
    registry_.ResetAfterFork();
  }
  /// Start with these variables besides the test's folder.
  void Start(std::vector<std::string> variables = {}) {
    variables.push_back("CSINK_SPOOL_DIR=" + folder_.path());
    variables.emplace_back("CSINK_REPORT=0");
    variables.emplace_back("CSINK_EVENTS=task-clock");
    // With random first periods a sample may be taken only later, when the event is replaced.
    variables.emplace_back("CSINK_RANDOM_START=0");
    variables_ = std::move(variables);
    for (std::string& variable : variables_) environment_.push_back(variable.data());
    environment_.push_back(nullptr);
    agent_->Start(1, arguments_, environment_.data());
  }
  void ExpectUntouched() {
    EXPECT_EQ(TheAgent(), nullptr);
    EXPECT_FALSE(agent_->active());
    EXPECT_EQ(kernel_.open_descriptors() + kernel_.mapped_rings(), 0u);
    EXPECT_EQ(kernel_.timers().size(), 0u);
    EXPECT_EQ(registry_.used(), 0u);
    EXPECT_FALSE(testing::TheStandIns().signals_installed);
    EXPECT_EQ(testing::TheStandIns().threads_made, 0);
    EXPECT_EQ(folder_.files(), 0u);
  }
  /// Whether `check` holds in a child that no fork handler has seen, as in a child by vfork.
  template <typename Check>
  static bool HoldsInRawChild(Check check) {
    return Holds(static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)), check);
  }
  template <typename Check>
  static bool HoldsInForkedChild(Check check) {
    return Holds(fork(), check);
  }
  template <typename Check>
  static bool Holds(pid_t child, Check check) {
    if (child == 0) _exit(check() ? 0 : 1);
    int status = -1;
    return waitpid(child, &status, 0) == child && status == 0;
  }

  // The agent reads arguments and environment until its end, so they live as long as it does.
  char name_[8] = "program";
  char* arguments_[2] = {name_, nullptr};
  std::vector<std::string> variables_;
  std::vector<char*> environment_;
  static inline ThreadRegistry registry_;  // 1 MiB
  csink::testing::FakeKernel kernel_;
  csink::testing::TemporaryFolder folder_;
  RegionIndex regions_;
  std::unique_ptr<Agent> agent_ = std::make_unique<Agent>(kernel_, registry_, regions_);
};

TEST_F(AgentTest, BeforeStartTheHooksChangeNothing) {
  EXPECT_FALSE(agent_->BeforeThread());
  agent_->BeforeUnseenThread();
  ThreadSlot* slot = agent_->ClaimSlot();
  ASSERT_NE(slot, nullptr);
  agent_->ThreadStarted(*slot);
  agent_->ThreadEnded(*slot);
  agent_->GiveBackSlot(*slot);
  agent_->AdoptThread(AskTid());
  agent_->EventsSwitched(true);
  agent_->BeforeUnload();
  agent_->BeforeStderrCloses();
  agent_->Finish(spool::End::kExit, 0);
  ExpectUntouched();
  EXPECT_FALSE(HasSavedStderr());
}

TEST_F(AgentTest, TheHooksSeeTheAgentOnlyWhenMainIsArmed) {
  kernel_.SetOpenRule([](const perf_event_attr&) {
    EXPECT_EQ(TheAgent(), nullptr);
    return 0L;
  });
  Start();
  EXPECT_EQ(TheAgent(), agent_.get());
  EXPECT_TRUE(agent_->active());
  EXPECT_NE(registry_.Find(AskTid()), nullptr);
  EXPECT_GT(kernel_.mapped_rings(), 0u);
  EXPECT_TRUE(testing::TheStandIns().signals_installed);
}

TEST_F(AgentTest, AProgramOfOneThreadGetsATimerAndNoThread) {
  Start();
  EXPECT_EQ(kernel_.timers().size(), 1u);
  EXPECT_EQ(testing::TheStandIns().threads_made, 0);
}

TEST_F(AgentTest, AProcessThatIsExcludedIsNotTouched) {
  Start({"CSINK_EXCLUDE=agent_test"});
  ExpectUntouched();
  EXPECT_TRUE(kernel_.opens().empty());
}

TEST_F(AgentTest, TheDoctorTriesEventsAndLeavesNothing) {
  const csink::testing::CapturedStderr captured;
  Start({"CSINK_DOCTOR=1"});
  EXPECT_NE(captured.text(), "");
  EXPECT_FALSE(kernel_.opens().empty());
  ExpectUntouched();
}

TEST_F(AgentTest, TheFirstThreadOfTheProgramStartsTheDrain) {
  Start();
  EXPECT_TRUE(agent_->BeforeThread());
  EXPECT_EQ(testing::TheStandIns().threads_made, 1);
}

TEST_F(AgentTest, AChildWithoutForkHandlersStartsAndEndsNothing) {
  Start();
  EXPECT_TRUE(HoldsInRawChild([this] {
    const std::size_t opens = kernel_.opens().size();
    ThreadSlot& main = *registry_.Find(getppid());
    const bool traced = agent_->BeforeThread();
    agent_->ThreadEnded(main);
    agent_->EventsSwitched(true);
    agent_->BeforeStderrCloses();
    agent_->Finish(spool::End::kExit, 0);
    return !traced && agent_->active() && registry_.used() == 1 && !HasSavedStderr() &&
           kernel_.opens().size() == opens && testing::TheStandIns().threads_made == 0;
  }));
}

TEST_F(AgentTest, AForkedChildIsArmedByTheForkHandler) {
  Start();
  EXPECT_TRUE(HoldsInForkedChild([this] {
    return agent_->active() && agent_->IsOurProcess() && registry_.used() == 1 &&
           kernel_.opens().back().tid == getpid() && agent_->BeforeThread();
  }));
}

TEST_F(AgentTest, InASandboxThreadsAreKnownAndNothingIsOpened) {
  Start();
  sock_filter line = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  const sock_fprog kills = {1, &line};
  agent_->BeforeSeccomp(&kills);
  ASSERT_TRUE(agent_->sandboxed());
  const std::size_t opens = kernel_.opens().size();
  EXPECT_TRUE(agent_->BeforeThread());
  agent_->BeforeUnseenThread();
  agent_->AdoptThread(AskTid() + 1);
  agent_->BeforeStderrCloses();
  EXPECT_EQ(kernel_.opens().size(), opens);
  EXPECT_EQ(testing::TheStandIns().threads_made, 0);
  EXPECT_FALSE(HasSavedStderr());
  agent_->AfterSeccomp(true);
}

TEST_F(AgentTest, StderrIsKeptForTheReportBeforeItCloses) {
  Start();
  agent_->BeforeStderrCloses();
  EXPECT_EQ(fcntl(100, F_GETFD), FD_CLOEXEC);
}

TEST_F(AgentTest, TheEndCompletesTheSpoolOnceAndIsForGood) {
  Start();
  for (int i = 0; i < 50; ++i) kernel_.ring(kernel_.rings_ever() - 1).Sample(0x1000);
  agent_->Finish(spool::End::kExit, 3);
  EXPECT_FALSE(agent_->active());
  EXPECT_EQ(folder_.files(), 1u);
  const std::size_t opens = kernel_.opens().size();
  agent_->Finish(spool::End::kSignal, 9);
  EXPECT_FALSE(agent_->BeforeThread());
  agent_->AdoptThread(AskTid() + 1);
  EXPECT_EQ(kernel_.opens().size(), opens);
  EXPECT_EQ(testing::TheStandIns().threads_made, 0);
  EXPECT_EQ(TheAgent(), agent_.get());  // hooks may run until the last instruction
}

}  // namespace
}  // namespace csink::agent
