#include "core/perf/kernel.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/perf/ring_buffer.h"

namespace csink {
namespace {

pid_t Tid() { return static_cast<pid_t>(syscall(SYS_gettid)); }

void Burn(std::uint64_t ns) {
  Kernel& kernel = RealKernel();
  const long until = kernel.ThreadCpuNs(Tid()) + static_cast<long>(ns);
  while (kernel.ThreadCpuNs(Tid()) < until) {
  }
}

TEST(RealKernel, ReadsTheCpuClockOfAnotherThread) {
  std::atomic<pid_t> tid{0};
  std::atomic<bool> leave{false};
  std::thread other([&] {
    Burn(3'000'000);
    tid = Tid();
    while (!leave) sched_yield();
  });
  while (tid == 0) sched_yield();
  EXPECT_GE(RealKernel().ThreadCpuNs(tid), 3'000'000);
  leave = true;
  other.join();
  // The kernel takes a moment to reap what pthread_join has already seen end.
  long after = 0;
  for (int i = 0; i < 10'000 && after >= 0; ++i) after = RealKernel().ThreadCpuNs(tid);
  EXPECT_LT(after, 0) << "a thread that is gone has no clock";
}

TEST(RealKernel, RefusesTheClockOfAThreadOfAnotherProcess) {
  EXPECT_LT(RealKernel().ThreadCpuNs(getppid()), 0);
}

TEST(RealKernel, CountsHowOftenTheCallingThreadWaited) {
  std::uint64_t waits[2] = {};
  std::uint64_t preempted = 0;
  std::thread([&] {
    const timespec slice = {0, 1'000'000};
    EXPECT_EQ(RealKernel().OwnSwitches(&waits[0], &preempted), 0);
    for (int i = 0; i < 3; ++i) nanosleep(&slice, nullptr);
    EXPECT_EQ(RealKernel().OwnSwitches(&waits[1], &preempted), 0);
  }).join();
  EXPECT_GE(waits[1], waits[0] + 3);
}

TEST(RealKernel, CountsNoWaitOfAThreadThatOnlyComputes) {
  std::uint64_t waits[2] = {};
  std::uint64_t preempted = 0;
  std::thread([&] {
    RealKernel().OwnSwitches(&waits[0], &preempted);
    // Long enough to lose the processor on a busy machine, which is no wait.
    Burn(20'000'000);
    RealKernel().OwnSwitches(&waits[1], &preempted);
  }).join();
  EXPECT_EQ(waits[1], waits[0]);
}

TEST(RealKernel, LeavesErrnoAlone) {
  errno = 4711;
  EXPECT_LT(RealKernel().Close(-1), 0);
  EXPECT_LT(RealKernel().TimerDelete(123456), 0);
  EXPECT_EQ(errno, 4711);
}

std::atomic<void*> g_value{nullptr};
std::atomic<int> g_timer{-1};
void OnSignal(int, siginfo_t* info, void*) {
  if (info->si_code != SI_TIMER) return;
  g_timer = info->si_timerid;
  g_value = info->si_value.sival_ptr;
}

TEST(RealKernel, TimersTickOnTheThreadsOwnClockAndCarryTheirValueAndNumber) {
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGURG, &action, &old);
  int mark = 0;
  const long timer = RealKernel().TimerCreate(Tid(), SIGURG, &mark);
  ASSERT_GE(timer, 0);
  EXPECT_EQ(RealKernel().TimerStart(static_cast<int>(timer), 1'000'000, 0), 0);
  for (int i = 0; i < 200 && !g_value; ++i) Burn(1'000'000);
  EXPECT_EQ(g_value, &mark);
  EXPECT_EQ(g_timer, timer) << "by which the timer source knows its own";
  EXPECT_EQ(RealKernel().TimerDelete(static_cast<int>(timer)), 0);
  sigaction(SIGURG, &old, nullptr);
}

TEST(RealKernel, SamplesIntoARingWhoseDescriptorIsClosed) {
  perf_event_attr attr = {};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_period = 1'000'003;
  attr.sample_type = PERF_SAMPLE_IP;
  attr.exclude_kernel = 1;
  const long fd = RealKernel().PerfEventOpen(&attr, 0);
  if (fd == -EACCES || fd == -EPERM || fd == -ENOSYS) {
    GTEST_SKIP() << "perf_event_open is refused here (" << -fd << ")";
  }
  ASSERT_GE(fd, 0);
  RingBuffer ring;
  ASSERT_TRUE(ring.Map(RealKernel(), static_cast<int>(fd), 4 * PageBytes()));
  RealKernel().Close(static_cast<int>(fd));
  std::size_t samples = 0;
  for (int i = 0; i < 200 && samples == 0; ++i) {
    Burn(2'000'000);
    ring.Drain([&](const RingRecord& record) {
      if (record.type() != PERF_RECORD_SAMPLE) return;
      EXPECT_EQ(record.size_bytes(), 16);
      EXPECT_NE(record.U64(8), 0u);
      ++samples;
    });
  }
  EXPECT_GT(samples, 0u);
  ring.Unmap(RealKernel());
}

}  // namespace
}  // namespace csink
