#include "core/counting/signals/thread_tick.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/machine/clocks.h"

namespace csink {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

struct Count {
  std::atomic<std::uint64_t> calls{0}, steps{0};
  std::atomic<pid_t> tid{0};
};

void OnTick(void* arg, std::uint64_t missed, void* context) noexcept {
  auto& count = *static_cast<Count*>(arg);
  EXPECT_NE(context, nullptr);
  count.calls += 1;
  count.steps += 1 + missed;
  count.tid = gettid();
}

/// Burns CPU time of this thread until `count` has `calls` calls, at most 5 s of it.
bool BurnUntil(const Count& count, std::uint64_t calls) {
  const long start = RealKernel().ThreadCpuNs(gettid());
  while (count.calls < calls) {
    if (RealKernel().ThreadCpuNs(gettid()) - start > 5000 * static_cast<long>(kMs)) return false;
  }
  return true;
}

void Burn(std::uint64_t ns) {
  const long end = RealKernel().ThreadCpuNs(gettid()) + static_cast<long>(ns);
  while (RealKernel().ThreadCpuNs(gettid()) < end) {
  }
}

TEST(ThreadTick, CallsOnTheThreadAsItsCpuTimePasses) {
  Count count;
  ThreadTick tick;
  ASSERT_TRUE(tick.Start(RealKernel(), 0, 10 * kMs, OnTick, &count));
  EXPECT_TRUE(BurnUntil(count, 3));
  tick.Stop();
  const std::uint64_t calls = count.calls;
  EXPECT_EQ(count.tid, gettid());
  Burn(50 * kMs);
  EXPECT_EQ(count.calls, calls);
}

TEST(ThreadTick, UnblocksItsSignalWhileItTicks) {
  sigset_t urgent, now;
  sigemptyset(&urgent);
  sigaddset(&urgent, SIGURG);
  pthread_sigmask(SIG_BLOCK, &urgent, nullptr);
  Count count;
  ThreadTick tick;
  ASSERT_TRUE(tick.Start(RealKernel(), gettid(), 10 * kMs, OnTick, &count));
  EXPECT_TRUE(BurnUntil(count, 1));
  tick.Stop();
  pthread_sigmask(SIG_UNBLOCK, &urgent, &now);
  EXPECT_TRUE(sigismember(&now, SIGURG));
}

int foreign_calls = 0;
void OnForeign(int) { ++foreign_calls; }

TEST(ThreadTick, PassesOnTheProgramsOwnSignalsAndPutsItsHandlerBack) {
  struct sigaction program = {}, now = {};
  program.sa_handler = OnForeign;
  sigaction(SIGURG, &program, nullptr);
  foreign_calls = 0;
  Count count;
  {
    ThreadTick tick;
    ASSERT_TRUE(tick.Start(RealKernel(), 0, 1000 * kMs, OnTick, &count));
    raise(SIGURG);
    EXPECT_EQ(foreign_calls, 1);
  }
  sigaction(SIGURG, nullptr, &now);
  EXPECT_EQ(now.sa_handler, OnForeign);
  signal(SIGURG, SIG_DFL);
}

TEST(ThreadTick, KeepsThreadsApart) {
  Count first, second;
  std::thread other([&] {
    ThreadTick tick;
    ASSERT_TRUE(tick.Start(RealKernel(), 0, 10 * kMs, OnTick, &second));
    EXPECT_TRUE(BurnUntil(second, 2));
    EXPECT_EQ(second.tid, gettid());
  });
  ThreadTick tick;
  ASSERT_TRUE(tick.Start(RealKernel(), 0, 10 * kMs, OnTick, &first));
  EXPECT_TRUE(BurnUntil(first, 2));
  EXPECT_EQ(first.tid, gettid());
  other.join();
}

void StopItself(void* arg, std::uint64_t, void*) noexcept {
  auto& both = *static_cast<std::pair<ThreadTick, Count>*>(arg);
  both.second.calls += 1;
  both.first.Stop();
}

TEST(ThreadTick, MayBeStoppedByItsOwnCall) {
  std::pair<ThreadTick, Count> both;
  ASSERT_TRUE(both.first.Start(RealKernel(), 0, 10 * kMs, StopItself, &both));
  EXPECT_TRUE(BurnUntil(both.second, 1));
  Burn(50 * kMs);
  EXPECT_EQ(both.second.calls, 1u);
  EXPECT_FALSE(both.first.started());
}

TEST(ThreadTick, AForkedChildHasNone) {
  Count count;
  ThreadTick tick;
  ASSERT_TRUE(tick.Start(RealKernel(), 0, 10 * kMs, OnTick, &count));
  const pid_t child = fork();
  if (child == 0) {
    tick.ForgetAfterFork();
    const std::uint64_t before = count.calls;
    Burn(50 * kMs);
    struct sigaction now = {};
    sigaction(SIGURG, nullptr, &now);
    _exit(count.calls == before && now.sa_handler == SIG_DFL ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(BurnUntil(count, 1));  // the parent's ticks on
}

TEST(ThreadTick, SaysWhenThereIsNoTimer) {
  ThreadTick tick;
  Count count;
  const auto refused = tick.Start(RealKernel(), /*no such thread*/ 0x3ffffffe, kMs, OnTick, &count);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sys_errno, 0);
  EXPECT_FALSE(tick.started());
}

}  // namespace
}  // namespace csink
