/// File: counter sets on this machine's kernel, with events that need no PMU.

#include <dirent.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/counting/counter_sets/perf_counter_set.h"
#include "tests/fakes/fake_events.h"

namespace csink {
namespace {

using testing::FakeEvents;
using testing::Requests;
using Kind = CountingTarget::Kind;
using Multiplex = CountingOptions::Multiplex;

constexpr std::uint32_t kTaskClock = PERF_COUNT_SW_TASK_CLOCK;
constexpr std::uint32_t kFaults = PERF_COUNT_SW_PAGE_FAULTS;
constexpr std::uint32_t kMinorFaults = PERF_COUNT_SW_PAGE_FAULTS_MIN;
constexpr std::uint32_t kSwitches = PERF_COUNT_SW_CONTEXT_SWITCHES;

// A sanitizer's own pages fault too: then there is no telling how many at most.
#ifdef CSINK_SANITIZED
constexpr long long kOwnFaults = 1'000'000;
#else
constexpr long long kOwnFaults = 0;
#endif

/// Takes exactly `pages` page faults.
void Fault(int pages) {
  const long page = sysconf(_SC_PAGESIZE);
  const std::size_t bytes = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
  auto* memory = static_cast<volatile char*>(
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  madvise(const_cast<char*>(memory), bytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < bytes; i += static_cast<std::size_t>(page)) memory[i] = 1;
  munmap(const_cast<char*>(memory), bytes);
}

std::uint64_t CpuNs() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void Burn(std::uint64_t ns) {
  for (const std::uint64_t until = CpuNs() + ns; CpuNs() < until;) {
  }
}

std::size_t Descriptors() {
  std::size_t n = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++n;
  closedir(folder);
  return n;
}

class CounterSetOnThisKernel : public ::testing::Test {
 protected:
  void SetUp() override {
    perf_event_attr attr = {};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = kTaskClock;
    attr.exclude_kernel = 1;
    const long fd = RealKernel().PerfEventOpen(&attr, 0);
    if (fd < 0) GTEST_SKIP() << "perf_event_open is refused here: errno " << -fd;
    RealKernel().Close(static_cast<int>(fd));
    // What a first run touches must not be counted in those that are.
    Fault(1);
  }
  std::vector<long long> Read(PerfCounterSet& set) {
    std::vector<long long> values(set.size(), -1);
    EXPECT_TRUE(set.Read(values.data()));
    return values;
  }
  FakeEvents events_;
  CountingOptions options_;
};

TEST_F(CounterSetOnThisKernel, CountsPageFaultsOneByOne) {
  PerfCounterSet set(RealKernel(), events_);
  ASSERT_TRUE(set.Configure(Requests({kTaskClock, kFaults, kMinorFaults}), options_));
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(set.Start());
    const long long before = Read(set)[1];
    Fault(100);
    const long long after = Read(set)[1];
    ASSERT_TRUE(set.Stop());
    EXPECT_GE(after - before, 100);
    EXPECT_LE(after - before, 103 + kOwnFaults);
    EXPECT_GE(Read(set)[1], after);
    EXPECT_LE(Read(set)[1], 110 + kOwnFaults) << "each round starts from zero";
  }
}

TEST_F(CounterSetOnThisKernel, ReadsASingleEventAndEachSizeOfGroup) {
  PerfCounterSet set(RealKernel(), events_);
  std::vector<CounterRequest> requests;
  for (int n = 1; n <= 5; ++n) {
    requests.push_back({.event = kFaults, .sampling = {}});
    ASSERT_TRUE(set.Configure(requests, options_));
    ASSERT_TRUE(set.Start());
    Fault(50);
    ASSERT_TRUE(set.Stop());
    const auto values = Read(set);
    for (const long long value : values) {
      EXPECT_EQ(value, values[0]) << "one group counts over the same time";
    }
    EXPECT_GE(values[0], 50);
    EXPECT_LE(values[0], 60 + kOwnFaults);
  }
  requests.erase(requests.begin() + 1, requests.begin() + 4);
  ASSERT_TRUE(set.Configure(requests, options_));
  ASSERT_TRUE(set.Start());
  Fault(20);
  ASSERT_TRUE(set.Stop());
  EXPECT_GE(Read(set)[1], 20);
}

TEST_F(CounterSetOnThisKernel, WritesResetsAndAccumulates) {
  PerfCounterSet set(RealKernel(), events_);
  ASSERT_TRUE(set.Configure(Requests({kFaults}), options_));
  ASSERT_TRUE(set.Start());
  const long long written = 1'000'000;
  ASSERT_TRUE(set.Write(&written));
  Fault(10);
  EXPECT_GE(Read(set)[0], written + 10);
  long long sum = 0;
  for (int i = 0; i < 5; ++i) {
    long long part = 0;
    ASSERT_TRUE(set.ReadAndReset(&part));
    sum += part;
    Fault(10);
  }
  ASSERT_TRUE(set.Stop());
  sum += Read(set)[0];
  EXPECT_GE(sum, written + 60);
  EXPECT_LE(sum, written + 75 + kOwnFaults);
}

TEST_F(CounterSetOnThisKernel, CountsAnotherThreadAndItsChildrenOnlyWhenAsked) {
  for (const bool inherit : {false, true}) {
    options_.target.inherit = inherit;
    PerfCounterSet set(RealKernel(), events_);
    ASSERT_TRUE(set.Configure(Requests({kFaults, kTaskClock}), options_));
    ASSERT_TRUE(set.Start());
    std::thread([] { std::thread([] { Fault(200); }).join(); }).join();
    if (const pid_t child = fork(); child == 0) {
      Fault(100);
      _exit(0);
    } else {
      waitpid(child, nullptr, 0);
    }
    ASSERT_TRUE(set.Stop());
    if (inherit) {
      EXPECT_GE(Read(set)[0], 300);
    } else {
      EXPECT_LT(Read(set)[0], 200 + kOwnFaults);
    }
  }
}

TEST_F(CounterSetOnThisKernel, AttachesToAChildAndFollowsItThroughExec) {
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    if (read(go[0], &byte, 1) != 1) _exit(1);
    Fault(200);
    execl("/bin/true", "true", nullptr);
    _exit(1);
  }
  options_.target = {.kind = Kind::kThread, .tid = child};
  PerfCounterSet set(RealKernel(), events_);
  ASSERT_TRUE(set.Configure(Requests({kFaults, kTaskClock}), options_));
  EXPECT_EQ(set.counted_tid(), child);
  ASSERT_TRUE(set.Start());
  Fault(1000);  // not the child's
  ASSERT_EQ(write(go[1], "g", 1), 1);
  waitpid(child, nullptr, 0);
  const auto values = Read(set);
  ASSERT_TRUE(set.Stop());
  EXPECT_GE(values[0], 240) << "its 200 and those of the loader after exec";
  EXPECT_LT(values[0], 1000 + kOwnFaults);
  EXPECT_GT(values[1], 0);
  close(go[0]);
  close(go[1]);
}

TEST_F(CounterSetOnThisKernel, CountsAWholeProcessor) {
  options_.target = {.kind = Kind::kCpu, .cpu = sched_getcpu()};
  options_.domain.kernel = true;
  PerfCounterSet set(RealKernel(), events_);
  const auto opened = set.Configure(Requests({kSwitches, PERF_COUNT_SW_CPU_CLOCK}), options_);
  if (!opened && opened.error().code == Errc::kPermission) GTEST_SKIP() << opened.error().what;
  ASSERT_TRUE(opened);
  ASSERT_TRUE(set.Start());
  usleep(20'000);
  ASSERT_TRUE(set.Stop());
  EXPECT_GT(Read(set)[1], 10'000'000) << "a processor's clock runs also when we sleep";
}

TEST_F(CounterSetOnThisKernel, RefusesAProcessorThatDoesNotExist) {
  options_.target = {.kind = Kind::kCpu, .cpu = 100'000};
  PerfCounterSet set(RealKernel(), events_);
  EXPECT_FALSE(set.Configure(Requests({kTaskClock}), options_));
  options_.target = {.kind = Kind::kThread, .tid = 0x3ffffff};
  EXPECT_EQ(set.Configure(Requests({kTaskClock}), options_).error().code, Errc::kInvalid);
}

TEST_F(CounterSetOnThisKernel, CountsContextSwitchesThoughOnlyTheUsersPartIsAskedFor) {
  PerfCounterSet set(RealKernel(), events_);
  const auto opened = set.Configure(Requests({kSwitches}), options_);
  if (!opened && opened.error().code == Errc::kPermission) GTEST_SKIP() << opened.error().what;
  ASSERT_TRUE(opened);
  ASSERT_TRUE(set.Start());
  for (int i = 0; i < 50; ++i) usleep(100);
  ASSERT_TRUE(set.Stop());
  EXPECT_GE(Read(set)[0], 50);
}

TEST_F(CounterSetOnThisKernel, LeavesOutTheKernelsFaultsUnlessAsked) {
  const long page = sysconf(_SC_PAGESIZE);
  for (const bool kernel : {false, true}) {
    options_.domain.kernel = kernel;
    PerfCounterSet set(RealKernel(), events_);
    const auto opened = set.Configure(Requests({kFaults}), options_);
    if (!opened && opened.error().code == Errc::kPermission) GTEST_SKIP() << opened.error().what;
    ASSERT_TRUE(opened);
    const std::size_t bytes = 100 * static_cast<std::size_t>(page);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    int pipe_fds[2];
    ASSERT_EQ(pipe(pipe_fds), 0);
    ASSERT_TRUE(set.Start());
    for (int i = 0; i < 100; ++i) {  // the kernel writes to pages that are not there yet
      ASSERT_EQ(write(pipe_fds[1], "x", 1), 1);
      ASSERT_EQ(read(pipe_fds[0], static_cast<char*>(memory) + i * page, 1), 1);
    }
    ASSERT_TRUE(set.Stop());
    if (kernel) {
      EXPECT_GE(Read(set)[0], 100);
    } else {
      EXPECT_LT(Read(set)[0], 50 + kOwnFaults);
    }
    munmap(memory, bytes);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
  }
}

TEST_F(CounterSetOnThisKernel, MultiplexesFortyEventsRight) {
  for (const Multiplex multiplex : {Multiplex::kKernel, Multiplex::kSoftware}) {
    options_.multiplex = multiplex;
    options_.multiplex_slice_ns = 2'000'000;  // the kernel's tick is the shortest there is
    PerfCounterSet set(RealKernel(), events_);
    std::vector<CounterRequest> requests(40, {.event = kTaskClock, .sampling = {}});
    ASSERT_TRUE(set.Configure(requests, options_));
    const auto before = std::chrono::steady_clock::now();
    ASSERT_TRUE(set.Start());
    const std::uint64_t started = CpuNs();
    // In software ten groups take turns of a tick each, 4 ms mostly.
    Burn(400'000'000);
    const auto burned = static_cast<double>(CpuNs() - started);
    ASSERT_TRUE(set.Stop());
    // In a virtual machine task-clock counts time that the host took away; a thread's CPU clock
    // does not. So the upper limit is the elapsed time.
    const std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - before;
    for (const long long value : Read(set)) {
      EXPECT_GE(static_cast<double>(value), 0.98 * burned);
      EXPECT_LE(static_cast<double>(value), 1.02 * elapsed.count());
    }
    std::uint64_t enabled = 0, running = 0;
    set.Times(39, &enabled, &running);
    EXPECT_GT(running, 0u);
    if (multiplex == Multiplex::kSoftware) {
      EXPECT_LT(running, enabled / 2) << "they took turns";
    }
  }
}

TEST_F(CounterSetOnThisKernel, TakesTurnsOnAnotherThreadOfThisProcessAndOnNoOther) {
  options_.multiplex = Multiplex::kSoftware;
  events_.SetCountersAtOnce(1);
  std::atomic<pid_t> tid{0};
  std::atomic<bool> go{false}, done{false}, leave{false};
  std::thread other([&] {
    tid = gettid();
    while (!go) sched_yield();
    Burn(100'000'000);
    done = true;
    while (!leave) usleep(1000);
  });
  while (tid == 0) sched_yield();
  options_.target = {.kind = Kind::kThread, .tid = tid};
  PerfCounterSet set(RealKernel(), events_);
  ASSERT_TRUE(set.Configure(Requests({kTaskClock, kTaskClock, kTaskClock}), options_));
  ASSERT_TRUE(set.Start());
  go = true;
  while (!done) usleep(1000);
  ASSERT_TRUE(set.Stop());
  leave = true;
  other.join();
  for (const long long value : Read(set)) {
    EXPECT_GT(value, 80'000'000);
    EXPECT_LT(value, 150'000'000);
  }
  options_.target.tid = getppid();
  PerfCounterSet foreign(RealKernel(), events_);
  const auto opened = foreign.Configure(Requests({kTaskClock, kTaskClock}), options_);
  if (opened) {
    EXPECT_EQ(foreign.Start().error().code, Errc::kUnsupported);
  }
}

TEST_F(CounterSetOnThisKernel, SurvivesAForkWhileTurnsAreTaken) {
  options_.multiplex = Multiplex::kSoftware;
  options_.multiplex_slice_ns = 4'000'000;
  events_.SetCountersAtOnce(1);
  PerfCounterSet set(RealKernel(), events_);
  ASSERT_TRUE(set.Configure(Requests({kTaskClock, kTaskClock}), options_));
  ASSERT_TRUE(set.Start());
  const pid_t child = fork();
  if (child == 0) {
    set.ForgetAfterFork();
    Burn(30'000'000);
    if (!set.Configure(Requests({kTaskClock, kTaskClock}), options_)) _exit(2);
    if (!set.Start()) _exit(3);
    Burn(150'000'000);  // dozens of turns
    if (!set.Stop()) _exit(4);
    _exit(Read(set)[1] > 75'000'000 ? 0 : 5);
  }
  Burn(50'000'000);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ASSERT_TRUE(set.Stop());
  EXPECT_GT(Read(set)[0], 30'000'000) << "the child stopped nothing here";
}

TEST_F(CounterSetOnThisKernel, CountsTheThreadThatStarts) {
  PerfCounterSet set(RealKernel(), events_);
  ASSERT_TRUE(set.Configure(Requests({kFaults}), options_));
  std::thread([&] {
    ASSERT_TRUE(set.Start());
    Fault(100);
    ASSERT_TRUE(set.Stop());
    EXPECT_EQ(set.counted_tid(), gettid());
  }).join();
  EXPECT_GE(Read(set)[0], 100);
}

TEST_F(CounterSetOnThisKernel, LeavesNoDescriptorBehindInThousandsOfThreads) {
  const auto live_and_die = [&] {
    std::thread([&] {
      PerfCounterSet set(RealKernel(), events_);
      ASSERT_TRUE(set.Configure(Requests({kTaskClock, kFaults}), options_));
      ASSERT_TRUE(set.Start());
    }).join();
  };
  live_and_die();
  const std::size_t before = Descriptors();
  for (int i = 0; i < 10'000; ++i) live_and_die();
  EXPECT_EQ(Descriptors(), before);
}

TEST_F(CounterSetOnThisKernel, ReadsFromOtherThreadsWhileTheCountedOneRuns) {
  PerfCounterSet set(RealKernel(), events_);
  ASSERT_TRUE(set.Configure(Requests({kTaskClock, kFaults}), options_));
  ASSERT_TRUE(set.Start());
  std::thread([&] {
    long long last = 0;
    for (int i = 0; i < 1000; ++i) {
      const long long now = Read(set)[0];
      EXPECT_GE(now, last);
      last = now;
    }
  }).join();
  ASSERT_TRUE(set.Stop());
}

}  // namespace
}  // namespace csink
