#include "agent/waiting/wait_kind.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include <set>

namespace csink::agent {
namespace {

using spool::WaitKind;

SyscallLine Call(long number, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0) {
  SyscallLine line;
  line.number = number;
  line.arguments[0] = a;
  line.arguments[1] = b;
  line.arguments[2] = c;
  return line;
}

TEST(FactsOfCall, NameTheKindAndTheDescriptor) {
  EXPECT_EQ(FactsOfCall(Call(-1)).kind, WaitKind::kFault);
  EXPECT_EQ(FactsOfCall(Call(SYS_read, 7)).kind, WaitKind::kRead);
  EXPECT_EQ(FactsOfCall(Call(SYS_read, 7)).descriptor, 7);
  EXPECT_EQ(FactsOfCall(Call(SYS_fsync, 3)).kind, WaitKind::kWrite);
  EXPECT_EQ(FactsOfCall(Call(SYS_accept4, 3)).kind, WaitKind::kAccept);
  EXPECT_EQ(FactsOfCall(Call(SYS_recvmsg, 9)).kind, WaitKind::kReceive);
  EXPECT_EQ(FactsOfCall(Call(SYS_epoll_pwait, 4)).kind, WaitKind::kPoll);
  EXPECT_EQ(FactsOfCall(Call(SYS_epoll_pwait, 4)).descriptor, 4);
  EXPECT_EQ(FactsOfCall(Call(SYS_clock_nanosleep)).kind, WaitKind::kSleep);
  EXPECT_EQ(FactsOfCall(Call(SYS_clock_nanosleep)).descriptor, -1);
  EXPECT_EQ(FactsOfCall(Call(SYS_wait4)).kind, WaitKind::kChild);
  EXPECT_EQ(FactsOfCall(Call(SYS_rt_sigsuspend)).kind, WaitKind::kSignal);
  EXPECT_EQ(FactsOfCall(Call(SYS_fcntl, 5, F_SETLKW)).kind, WaitKind::kFileLock);
  EXPECT_EQ(FactsOfCall(Call(SYS_fcntl, 5, F_GETFL)).kind, WaitKind::kOtherCall);
  EXPECT_EQ(FactsOfCall(Call(9999)).kind, WaitKind::kOtherCall);
}

TEST(FactsOfCall, APollOfOneDescriptorNamesItsList) {
  EXPECT_EQ(FactsOfCall(Call(SYS_ppoll, 0x1000, 1)).poll_list, 0x1000u);
  EXPECT_EQ(FactsOfCall(Call(SYS_ppoll, 0x1000, 2)).poll_list, 0u);
  EXPECT_EQ(FactsOfCall(Call(SYS_ppoll, 0x1000, 2)).kind, WaitKind::kPoll);
}

constexpr std::uint64_t kWord = 0x7f0000001000;

class JudgeFutexTest : public ::testing::Test {
 protected:
  FutexObject Judge(long operation, std::uint32_t expected) {
    const SyscallLine line =
        Call(SYS_futex, kWord, static_cast<std::uint64_t>(operation), expected);
    EXPECT_TRUE(FactsOfCall(line).is_futex);
    return JudgeFutex(
        FutexWaitOf(line), memory_,
        [](pid_t tid, void* arg) { return static_cast<std::set<pid_t>*>(arg)->count(tid) == 1; },
        &ours_);
  }

  std::set<pid_t> ours_ = {700, 701};
  FutexMemory memory_;
};

TEST_F(JudgeFutexTest, AMutexHasItsOwner) {
  memory_.at[0] = 2;
  memory_.at[2] = 701;
  memory_.at[3] = 1;
  const FutexObject object = Judge(FUTEX_WAIT_PRIVATE, 2);
  EXPECT_EQ(object.kind, WaitKind::kMutex);
  EXPECT_EQ(object.holder, 701);
  EXPECT_EQ(object.address, kWord);
}

TEST_F(JudgeFutexTest, AMutexBetweenTwoOwnersIsNotKnownByItsMemory) {
  // The words of a barrier in its second round are the same.
  memory_.at[0] = 2;
  const FutexObject object = Judge(FUTEX_WAIT_PRIVATE, 2);
  EXPECT_EQ(object.kind, WaitKind::kFutex);
  EXPECT_EQ(object.address, kWord);
}

TEST_F(JudgeFutexTest, AnOwnerThatIsNoThreadOfOursIsNone) {
  memory_.at[0] = 2;
  memory_.at[2] = 9;
  const FutexObject object = Judge(FUTEX_WAIT_PRIVATE, 2);
  EXPECT_EQ(object.kind, WaitKind::kFutex);
  EXPECT_EQ(object.holder, 0);
}

TEST_F(JudgeFutexTest, ATimedMutexWaitsWithABitSet) {
  memory_.at[0] = 2;
  memory_.at[2] = 700;
  EXPECT_EQ(Judge(FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 2).kind, WaitKind::kMutex);
}

TEST_F(JudgeFutexTest, APriorityMutexHasItsOwnerInTheWord) {
  memory_.at[0] = 700 | FUTEX_WAITERS;
  const FutexObject object = Judge(FUTEX_LOCK_PI_PRIVATE, 0);
  EXPECT_EQ(object.kind, WaitKind::kMutex);
  EXPECT_EQ(object.holder, 700);
}

TEST_F(JudgeFutexTest, ARobustMutexHasItsOwnerInTheWord) {
  memory_.at[0] = 701 | FUTEX_WAITERS;
  const FutexObject object = Judge(FUTEX_WAIT, 700 | FUTEX_WAITERS);
  EXPECT_EQ(object.kind, WaitKind::kMutex);
  EXPECT_EQ(object.holder, 701);
}

TEST_F(JudgeFutexTest, AJoinWaitsForATid) {
  memory_.at[0] = 701;
  const FutexObject object = Judge(FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 701);
  EXPECT_EQ(object.kind, WaitKind::kJoin);
  EXPECT_EQ(object.holder, 701);
}

TEST_F(JudgeFutexTest, AValueThatIsNoLongerThereIsNoJoin) {
  memory_.at[0] = 0;
  EXPECT_EQ(Judge(FUTEX_WAIT_BITSET, 701).kind, WaitKind::kFutex);
}

TEST_F(JudgeFutexTest, AReaderWaitsForTheWriterOfAnRwlock) {
  memory_.at[0] = 3;    // wrphase_futex
  memory_.at[4] = 700;  // cur_writer
  const FutexObject object = Judge(FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 3);
  EXPECT_EQ(object.kind, WaitKind::kReadLock);
  EXPECT_EQ(object.holder, 700);
  EXPECT_EQ(object.address, kWord - 8);
}

TEST_F(JudgeFutexTest, AWriterWaitsForAnotherWriter) {
  memory_.at[0] = 3;    // writers_futex
  memory_.at[3] = 700;  // cur_writer
  const FutexObject object = Judge(FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 3);
  EXPECT_EQ(object.kind, WaitKind::kWriteLock);
  EXPECT_EQ(object.holder, 700);
  EXPECT_EQ(object.address, kWord - 12);
}

TEST_F(JudgeFutexTest, AnRwlockOfReadersIsNotKnownByItsMemory) {
  memory_.at[0] = 2;
  const FutexObject object = Judge(FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 2);
  EXPECT_EQ(object.kind, WaitKind::kFutex);
  EXPECT_EQ(object.address, kWord);
}

TEST_F(JudgeFutexTest, ASemaphoreStaysAFutex) {
  EXPECT_EQ(Judge(FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0).kind, WaitKind::kFutex);
  EXPECT_EQ(Judge(FUTEX_WAIT_PRIVATE, 0).kind, WaitKind::kFutex);
}

TEST_F(JudgeFutexTest, AVectorOfWordsHasNoAddress) {
  EXPECT_EQ(FutexWaitOf(Call(449, 0x1000, 2)).address, 0u);
}

}  // namespace
}  // namespace csink::agent
