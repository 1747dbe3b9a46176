#include "agent/process/start_state.h"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/fakes/captured_stderr.h"

namespace csink::agent {
namespace {

class StartStateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ReadStartState(state_);
    DescribeProcess(state_, *header_);
  }
  StartState state_;
  std::unique_ptr<spool::Header> header_ = std::make_unique<spool::Header>();
};

TEST_F(StartStateTest, RemembersWhereTheProcessWasStarted) {
  EXPECT_EQ(state_.directory, std::filesystem::current_path().string());
  EXPECT_EQ(state_.parent_pid, getppid());
  EXPECT_NE(state_.monotonic_ns, 0u);
  EXPECT_GT(state_.realtime_ns, 1'600'000'000'000'000'000u);
}

TEST_F(StartStateTest, DescribesThisProcess) {
  EXPECT_EQ(header_->pid, static_cast<std::uint32_t>(getpid()));
  EXPECT_EQ(header_->uid, getuid());
  EXPECT_STREQ(header_->executable, std::filesystem::read_symlink("/proc/self/exe").c_str());
  EXPECT_STREQ(header_->program, "agent_test");
  EXPECT_NE(std::string(header_->command).find("agent_test"), std::string::npos);
  EXPECT_STREQ(header_->working_directory, state_.directory);
  EXPECT_STRNE(header_->host, "");
  EXPECT_STRNE(header_->kernel, "");
#if defined(__x86_64__)
  EXPECT_EQ(header_->elf_machine, std::uint32_t{EM_X86_64});
  EXPECT_STRNE(header_->cpu, "");
#else
  EXPECT_EQ(header_->elf_machine, std::uint32_t{EM_AARCH64});
#endif
}

TEST_F(StartStateTest, KnowsTheProcessByItsStartAlsoInAForkedChild) {
  EXPECT_NE(header_->process_start_ticks, 0u);
  auto again = std::make_unique<spool::Header>();
  DescribeProcess(state_, *again);
  EXPECT_EQ(again->process_start_ticks, header_->process_start_ticks);
  const pid_t child = fork();
  if (child == 0) {
    StartState state;
    ReadStartState(state);
    DescribeProcess(state, *again);
    const bool right = again->pid == static_cast<std::uint32_t>(getpid()) &&
                       again->parent_pid == header_->pid &&
                       again->process_start_ticks >= header_->process_start_ticks;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(StartStateTest, TellsTheStderrOfTheStartFromAnother) {
  EXPECT_TRUE(IsStartStderr(state_, 2));
  const int copy = dup(2);
  EXPECT_TRUE(IsStartStderr(state_, copy));
  close(copy);
  EXPECT_FALSE(IsStartStderr(state_, -1));
  EXPECT_FALSE(IsStartStderr(state_, copy)) << "closed";
  const testing::CapturedStderr elsewhere;
  EXPECT_FALSE(IsStartStderr(state_, 2));
}

TEST_F(StartStateTest, HasNoStderrWhenTheProcessWasStartedWithoutOne) {
  const int copy = dup(2);
  close(2);
  StartState state;
  ReadStartState(state);
  dup2(copy, 2);
  close(copy);
  EXPECT_FALSE(state.has_stderr);
  EXPECT_FALSE(IsStartStderr(state, 2));
}

TEST(SpoolStem, NamesProgramHostPidAndStart) {
  auto header = std::make_unique<spool::Header>();
  std::strcpy(header->program, "xz");
  std::strcpy(header->host, "node-1");
  header->pid = 4711;
  header->process_start_ticks = 99;
  Text<256> stem;
  SpoolStem(*header, stem);
  EXPECT_EQ(stem.view(), "xz.node-1.4711.99");
}

TEST(SpoolStem, HoldsNothingThatMeansSomethingToAShellOrAPath) {
  auto header = std::make_unique<spool::Header>();
  std::strcpy(header->program, "../a b;$(x)*");
  std::strcpy(header->host, "h\n.example.org");
  Text<256> stem;
  SpoolStem(*header, stem);
  EXPECT_EQ(stem.view(), "___a_b___x__.h__example_org.0.0");
}

TEST(SpoolStem, HasANameEvenForANamelessProgram) {
  auto header = std::make_unique<spool::Header>();
  Text<256> stem;
  SpoolStem(*header, stem);
  EXPECT_EQ(stem.view(), "program.host.0.0");
}

}  // namespace
}  // namespace csink::agent
