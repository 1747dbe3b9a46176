#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <atomic>
#include <cstring>
#include <string>

#include "core/counting/overflow/overflow_cookie.h"
#include "tests/core/counting/overflow/overflow_rig.h"

namespace csink {
namespace {

using testing::BurnFor;
using testing::OverflowRig;
using testing::PlainCounterSet;
using Kind = OverflowSourceKind;

constexpr std::uint64_t kMs = 1'000'000;

struct sigaction ActionOf(int signal) {
  struct sigaction now = {};
  sigaction(signal, nullptr, &now);
  return now;
}

class OneClock : public OverflowRig {
 public:
  explicit OneClock(Kind forced, std::uint64_t threshold = kMs)
      : OverflowRig(
            {{PlainCounterSet::kTaskClock, threshold}},
            forced == Kind::kTimer ? OverflowMode::kForcedSoftware : OverflowMode::kHardware,
            forced) {}
};

/// What the process does must end well whatever overflows are on the way.
class OverflowInProcess : public ::testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Sources, OverflowInProcess,
                         ::testing::Values(Kind::kSigtrap, Kind::kSignal, Kind::kTimer),
                         [](const auto& info) {
                           return info.param == Kind::kSigtrap  ? "Sigtrap"
                                  : info.param == Kind::kSignal ? "Signal"
                                                                : "Timer";
                         });

TEST_P(OverflowInProcess, AForkedChildInheritsNoOverflow) {
  OneClock rig(GetParam());
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  rig.Start();
  BurnFor(20 * kMs);
  const pid_t child = fork();
  if (child == 0) {
    const auto before = rig.hits[0];
    BurnFor(50 * kMs);
    if (rig.hits[0] != before) _exit(1);
    // And it can begin anew.
    SetOverflow::ProcessForked();
    rig.overflow.ForgetAfterFork();
    rig.set.ForgetAfterFork();
    OneClock fresh(GetParam());
    if (!fresh.ok()) _exit(2);
    fresh.Start();
    for (int i = 0; i < 50 && fresh.hits[0] == 0; ++i) BurnFor(20 * kMs);
    fresh.Stop();
    _exit(fresh.hits[0] > 0 ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const auto before = rig.hits[0];
  for (int i = 0; i < 50 && rig.hits[0] == before; ++i) BurnFor(20 * kMs);
  rig.Stop();
  EXPECT_GT(rig.hits[0], before) << "the parent's go on";
}

TEST_P(OverflowInProcess, AnExecedImageIsNeverKilled) {
  for (int run = 0; run < 40; ++run) {
    const pid_t child = fork();
    if (child == 0) {
      OneClock rig(GetParam(), 20'000);
      if (!rig.ok()) _exit(1);
      rig.Start();
      BurnFor(2 * kMs + static_cast<std::uint64_t>(run) * 7'000);
      execl("/bin/true", "true", nullptr);
      _exit(2);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << "run " << run;
  }
}

TEST_P(OverflowInProcess, TheFormerDispositionComesBack) {
  static std::atomic<int> heard{0};
  const int numbers[] = {SIGTRAP, SIGWINCH, SIGURG};
  struct sigaction mine = {};
  mine.sa_handler = [](int) { ++heard; };
  mine.sa_flags = SA_NODEFER;
  sigaddset(&mine.sa_mask, SIGUSR2);
  struct sigaction old[3];
  for (int i = 0; i < 3; ++i) sigaction(numbers[i], &mine, &old[i]);
  heard = 0;
  {
    OneClock rig(GetParam());
    ASSERT_TRUE(rig.ok());
    OneClock other(GetParam());
    rig.Start();
    for (int i = 0; i < 50 && rig.hits[0] == 0; ++i) BurnFor(20 * kMs);
    // What others send still arrives, once.
    for (const int number : numbers) raise(number);
    EXPECT_EQ(heard, 3);
    rig.Stop();
    EXPECT_GT(rig.hits[0], 0u);
    other.overflow.Release();
  }
  for (int i = 0; i < 3; ++i) {
    const struct sigaction now = ActionOf(numbers[i]);
    EXPECT_EQ(now.sa_handler, mine.sa_handler);
    EXPECT_EQ(now.sa_flags & SA_NODEFER, SA_NODEFER);
    EXPECT_TRUE(sigismember(&now.sa_mask, SIGUSR2));
    sigaction(numbers[i], &old[i], nullptr);
  }
}

TEST(OverflowBySigtrap, ASignalThatWasPendingDoesNotKillLater) {
  sigset_t trap, pending;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  {
    OneClock rig(Kind::kSigtrap);
    ASSERT_TRUE(rig.ok());
    rig.Start();
    pthread_sigmask(SIG_BLOCK, &trap, nullptr);  // after Arm: the program's right
    BurnFor(20 * kMs);
    sigpending(&pending);
    EXPECT_TRUE(sigismember(&pending, SIGTRAP));
    rig.Stop();
  }
  EXPECT_EQ(ActionOf(SIGTRAP).sa_handler, SIG_DFL);
  sigpending(&pending);
  EXPECT_FALSE(sigismember(&pending, SIGTRAP));
  pthread_sigmask(SIG_UNBLOCK, &trap, nullptr);
}

TEST(OverflowBySigtrap, ThePendingSignalOfTheProgramIsPutBack) {
  static std::atomic<int> heard{0};
  struct sigaction mine = {}, old;
  mine.sa_handler = [](int) { ++heard; };
  sigaction(SIGTRAP, &mine, &old);
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  {
    OneClock rig(Kind::kSigtrap, 1'000 * kMs);
    rig.Start();
    pthread_sigmask(SIG_BLOCK, &trap, nullptr);
    raise(SIGTRAP);
    rig.Stop();
    EXPECT_EQ(heard, 0);
  }
  pthread_sigmask(SIG_UNBLOCK, &trap, nullptr);
  EXPECT_EQ(heard, 1);
  sigaction(SIGTRAP, &old, nullptr);
}

int StatusOfChild(void (*body)()) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(OverflowBySigtrap, ABreakpointStillKillsAProgramWithoutADebugger) {
  const int status = StatusOfChild([] {
    signal(SIGTRAP, SIG_IGN);  // which a breakpoint does not care about
    OneClock rig(Kind::kSigtrap);
    rig.Start();
#if defined(__x86_64__)
    __asm__ volatile("int3");
#else
    __asm__ volatile("brk #0");
#endif
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTRAP);
}

TEST(OverflowBySigtrap, ASignalThatWasSentIsIgnoredOrKillsAsBefore) {
  EXPECT_EQ(StatusOfChild([] {
              signal(SIGTRAP, SIG_IGN);
              OneClock rig(Kind::kSigtrap);
              rig.Start();
              raise(SIGTRAP);
              _exit(0);
            }),
            0);
  const int status = StatusOfChild([] {
    OneClock rig(Kind::kSigtrap);
    rig.Start();
    raise(SIGTRAP);
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP) << status;
}

TEST(OverflowBySigtrap, TheProgramsOwnSigtrapEventsReachTheProgram) {
  static std::atomic<std::uint64_t> theirs{0};
  struct sigaction mine = {}, old;
  mine.sa_sigaction = [](int, siginfo_t* info, void*) {
    if (info->si_code == kTrapPerf && PerfSigData(*info) == 77) ++theirs;
  };
  mine.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &mine, &old);
  {
    OneClock rig(Kind::kSigtrap);
    CounterRequest request{PlainCounterSet::kPageFaults, {}};
    request.sampling.delivery = SamplingRequest::Delivery::kSigtrap;
    request.sampling.period = 1;
    request.sampling.cookie = 77;
    PlainCounterSet own;
    ASSERT_TRUE(own.Configure({&request, 1}, {}));
    testing::FreshPages pages(50);
    rig.Start();
    ASSERT_TRUE(own.Start());
    pages.Touch(0, 50);
    BurnFor(10 * kMs);
    ASSERT_TRUE(own.Stop());
    rig.Stop();
    EXPECT_GE(rig.hits[0], 3u);
  }
  EXPECT_GE(theirs, 50u);
  sigaction(SIGTRAP, &old, nullptr);
}

TEST(OverflowBySigtrap, AHandlerThatTheProgramPutOverOursStays) {
  struct sigaction mine = {}, old;
  mine.sa_handler = [](int) {};
  {
    OneClock rig(Kind::kSigtrap);
    sigaction(SIGTRAP, &mine, &old);
  }
  EXPECT_EQ(ActionOf(SIGTRAP).sa_handler, mine.sa_handler);
  {
    // Started again, ours is on top once more.
    OneClock rig(Kind::kSigtrap);
    rig.Start();
    BurnFor(10 * kMs);
    rig.Stop();
    EXPECT_GE(rig.hits[0], 3u);
  }
  EXPECT_EQ(ActionOf(SIGTRAP).sa_handler, mine.sa_handler);
  signal(SIGTRAP, SIG_DFL);
}

TEST(OverflowUnderADebugger, ComesByTheOtherSignal) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    OneClock rig(Kind::kAutomatic);
    if (!rig.ok() || std::string(rig.overflow.source()) != "signal") _exit(1);
    if (!std::strstr(rig.overflow.reason(), "debugger")) _exit(2);
    rig.Start();
    BurnFor(30 * kMs);
    rig.Stop();
    _exit(rig.hits[0] >= 10 ? 0 : 3);
  }
  int status = 0;
  int traps = 0;
  // A debugger that, like gdb, keeps SIGTRAP for itself and passes on the others.
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    const int number = WSTOPSIG(status);
    traps += number == SIGTRAP;
    ptrace(PTRACE_CONT, child, nullptr, number == SIGTRAP ? 0 : number);
  }
  EXPECT_EQ(status, 0);
  EXPECT_EQ(traps, 0);
}

TEST(OverflowSignal, SparesAScreenProgramsSignal) {
  const int status = StatusOfChild([] {
    signal(SIGWINCH, [](int) {});
    OneClock rig(Kind::kSignal);
    _exit(rig.requests[0].sampling.signal == SIGURG ? 0 : 1);
  });
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace csink
