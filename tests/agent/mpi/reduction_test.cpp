#include "agent/mpi/reduction.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

/// File: one rank at a time against an MPI library of the test, whose other ranks are scripts: what
/// they send is there from the start, what they get is kept. The real libraries are in
/// tests/e2e/mpi_ranks_test.py.

namespace csink::mpi {
namespace {

using Key = std::pair<int, int>;  ///< Rank, tag

/// The other ranks.
struct Others {
  int rank = 0;
  int ranks = 1;
  std::map<Key, std::string> to_receive;
  std::map<Key, std::string> sent;
};
Others* g_others = nullptr;

int CommRank(Handle, int* rank) { return *rank = g_others->rank, 0; }
int CommSize(Handle, int* size) { return *size = g_others->ranks, 0; }
int SetErrorHandler(Handle, Handle) { return 0; }
int Isend(const void* data, int count, Handle, int to, int tag, Handle, Request*) {
  g_others->sent[{to, tag}].assign(static_cast<const char*>(data), static_cast<std::size_t>(count));
  return 0;
}
int Irecv(void* data, int count, Handle, int from, int tag, Handle, Request*) {
  const auto it = g_others->to_receive.find({from, tag});
  if (it == g_others->to_receive.end()) return 1;
  EXPECT_EQ(it->second.size(), static_cast<std::size_t>(count));
  std::memcpy(data, it->second.data(),
              std::min(it->second.size(), static_cast<std::size_t>(count)));
  return 0;
}
int Test(Request*, int* done, void*) { return *done = 1, 0; }
int Nothing(Request*) { return 0; }
int Flag(int* flag) { return *flag = 1, 0; }

MpiCalls FakeMpi() {
  return {Flag,    Flag, CommRank, CommSize, SetErrorHandler, Isend, Irecv, Test, Nothing,
          Nothing, 1,    2,        3,        nullptr};
}

/// The agent: its spool has the bytes "own", its csink joins the bytes.
struct FakeAgent {
  std::string spool;
  std::string job;
  int settle_error = 0;
  int merge_error = 0;
  int delivered = 0;
  int resumed = 0;
};
FakeAgent* g_agent = nullptr;

std::string ReadAll(int fd) {
  std::string text(4096, '\0');
  const ssize_t n = pread(fd, text.data(), text.size(), 0);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

int Begin() noexcept { return 0; }
int Settle(std::uint32_t, char* path, std::size_t, int copy) noexcept {
  std::strcpy(path, g_agent->spool.c_str());
  if (g_agent->settle_error != 0) return g_agent->settle_error;
  return write(copy, "own", 3) == 3 ? 0 : EIO;
}
int Merge(const int* profiles, std::size_t count, int output) noexcept {
  if (g_agent->merge_error != 0) return g_agent->merge_error;
  std::string sum = ReadAll(profiles[0]);
  for (std::size_t i = 1; i < count; ++i) sum += "+" + ReadAll(profiles[i]);
  if (output < 0) {
    g_agent->job = sum;
  } else if (write(output, sum.data(), sum.size()) < 0) {
    return EIO;
  }
  return 0;
}
int Delivered() noexcept { return ++g_agent->delivered, 0; }
int Report() noexcept { return 0; }
int Resume() noexcept { return ++g_agent->resumed, 0; }

constexpr int kHello = 31'901;
constexpr int kGo = 31'902;
constexpr int kProfile = 31'903;
constexpr int kResult = 31'904;

/// As reduction.cpp begins its messages.
constexpr std::uint64_t kMagicOfTest = 0x31504d4b4e495343;

template <class T>
std::string Bytes(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string HelloOf(std::size_t bytes, std::uint32_t ranks, std::uint32_t failed = 0,
                    std::uint32_t first_failed = 0, std::int32_t error = 0) {
  return Bytes(Hello{kMagicOfTest, bytes, ranks, failed, first_failed, error});
}
std::string AnswerOf(std::uint64_t yes) {
  const std::uint64_t answer[2] = {kMagicOfTest, yes};
  return Bytes(answer);
}

class ReductionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    g_others = &others_;
    g_agent = &agent_;
    agent_.spool = "/tmp/reduction_test.csink";
  }

  /// A child with a profile.
  void AddChild(int rank, const std::string& profile, std::uint32_t ranks = 1) {
    others_.to_receive[{rank, kHello}] = HelloOf(profile.size(), ranks);
    others_.to_receive[{rank, kProfile}] = profile;
  }
  /// The parent takes the profile; `written`: the job's file.
  void AddParent(int rank, bool written) {
    others_.to_receive[{rank, kGo}] = AnswerOf(1);
    others_.to_receive[{rank, kResult}] = AnswerOf(written ? 1 : 0);
  }
  bool RunAs(int rank, int ranks) {
    others_.rank = rank;
    others_.ranks = ranks;
    const AgentCalls agent = {Begin, Settle, Merge, Delivered, Report, Resume};
    return Reduce(FakeMpi(), agent, true);
  }
  std::string Sent(int rank, int tag) { return others_.sent[{rank, tag}]; }

  Others others_;
  FakeAgent agent_;
};

TEST_F(ReductionTest, TheRootAddsItsChildrenAndTellsThem) {
  AddChild(1, "one");
  AddChild(2, "two and three", 2);
  EXPECT_TRUE(RunAs(0, 3));
  EXPECT_EQ(agent_.job, "own+one+two and three");
  EXPECT_EQ(agent_.delivered, 1);
  for (const int child : {1, 2}) {
    EXPECT_EQ(Sent(child, kGo), AnswerOf(1));
    EXPECT_EQ(Sent(child, kResult), AnswerOf(1));
  }
}

TEST_F(ReductionTest, ARankWithoutChildrenSendsACopyOfItsSpool) {
  AddParent(0, true);
  EXPECT_FALSE(RunAs(1, 2));
  EXPECT_EQ(Sent(0, kHello), HelloOf(3, 1));
  EXPECT_EQ(Sent(0, kProfile), "own");
  EXPECT_EQ(agent_.delivered, 1);
  EXPECT_EQ(agent_.resumed, 0);
}

TEST_F(ReductionTest, ARankBetweenSendsTheSum) {
  AddChild(17, "seventeen");
  AddParent(0, true);
  EXPECT_FALSE(RunAs(1, 18));
  EXPECT_EQ(Sent(0, kProfile), "own+seventeen");
  EXPECT_EQ(Sent(0, kHello), HelloOf(std::strlen("own+seventeen"), 2));
  EXPECT_EQ(Sent(17, kResult), AnswerOf(1));
}

TEST_F(ReductionTest, ARankKeepsItsSpoolIfTheFileWasNotWritten) {
  AddChild(17, "seventeen");
  AddParent(0, false);
  RunAs(1, 18);
  EXPECT_EQ(agent_.delivered, 0);
  EXPECT_EQ(agent_.resumed, 1);
  EXPECT_EQ(Sent(17, kResult), AnswerOf(0));
}

TEST_F(ReductionTest, ARankWhoseCsinkFailsSaysSoForAllBelowIt) {
  AddChild(17, "seventeen");
  AddParent(0, true);
  agent_.merge_error = EIO;
  RunAs(1, 18);
  EXPECT_EQ(Sent(0, kHello), HelloOf(0, 0, 2, 1, EIO));
  EXPECT_EQ(Sent(0, kProfile), "");
}

TEST_F(ReductionTest, TheRootGoesOnWithoutAFailedChild) {
  AddChild(1, "one");
  others_.to_receive[{2, kHello}] = HelloOf(0, 0, 3, 33, ENOENT);
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(RunAs(0, 3));
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(agent_.job, "own+one");
  EXPECT_NE(
      said.find("the profiles of 3 of 5 ranks are not in the job's report (rank 33: the csink "
                "program was not found"),
      std::string::npos)
      << said;
  EXPECT_NE(said.find("csink merge -o job.csink /tmp/"), std::string::npos) << said;
  // The ranks below it may be in the file.
  EXPECT_EQ(Sent(2, kResult), AnswerOf(1));
}

TEST_F(ReductionTest, AForeignOrOversizedMessageIsRefused) {
  AddChild(1, "one");
  others_.to_receive[{2, kHello}] = Bytes(Hello{7, 100, 1, 0, 0, 0});
  others_.to_receive[{3, kHello}] = HelloOf(std::size_t{1} << 40, 1);
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(RunAs(0, 4));
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("2 of 4 ranks"), std::string::npos);
  EXPECT_EQ(agent_.job, "own+one");
  EXPECT_EQ(Sent(2, kGo), "");
  EXPECT_EQ(Sent(3, kGo), AnswerOf(0));
  EXPECT_EQ(Sent(3, kResult), AnswerOf(0));
}

TEST_F(ReductionTest, ARootWithoutAnAgentSaysWhatToDo) {
  AddChild(1, "one");
  agent_.settle_error = ENOSYS;
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(RunAs(0, 2));
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("could not be reduced"), std::string::npos) << said;
  EXPECT_NE(said.find("libagent.so is not loaded"), std::string::npos) << said;
  EXPECT_EQ(Sent(1, kResult), AnswerOf(0));
}

TEST_F(ReductionTest, UnderCsinkRunNothingIsSaid) {
  others_.to_receive[{1, kHello}] = HelloOf(0, 0, 1, 1, ENOTSUP);
  agent_.settle_error = ENOTSUP;
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(RunAs(0, 2));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(agent_.delivered, 0);
}

}  // namespace
}  // namespace csink::mpi
