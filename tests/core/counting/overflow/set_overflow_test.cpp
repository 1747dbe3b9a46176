#include "core/counting/overflow/set_overflow.h"

#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>

#include <string>
#include <thread>

#include "tests/core/counting/overflow/overflow_rig.h"
#include "tests/fakes/stolen_time.h"

namespace csink {
namespace {

using testing::BurnFor;
using testing::FreshPages;
using testing::OverflowRig;
using testing::PlainCounterSet;
using Kind = OverflowSourceKind;

constexpr std::uint64_t kMs = 1'000'000;
// While a thousand pages are touched; a sanitizer's shadow memory has faults of its own.
#if defined(CSINK_SANITIZED)
constexpr long long kMostFaults = 10'000;
#else
constexpr long long kMostFaults = 3'000;
#endif

std::string NameOf(const ::testing::TestParamInfo<Kind>& info) {
  return info.param == Kind::kSigtrap ? "Sigtrap" : "Signal";
}

/// What must hold whichever way the counter interrupts.
class HardwareOverflow : public ::testing::TestWithParam<Kind> {
 protected:
  OverflowRig Rig(std::initializer_list<testing::Wanted> events) {
    return OverflowRig(std::vector<testing::Wanted>(events), OverflowMode::kHardware, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Sources, HardwareOverflow,
                         ::testing::Values(Kind::kSigtrap, Kind::kSignal), NameOf);

TEST_P(HardwareOverflow, IsToldOfEachMultipleOfPageFaultsExactly) {
  for (const std::uint64_t threshold : {2, 5}) {
    FreshPages pages(1000);
    OverflowRig rig = Rig({{PlainCounterSet::kPageFaults, threshold}});
    ASSERT_TRUE(rig.ok()) << rig.error.what;
    rig.Start();
    pages.Touch(0, 1000);
    const auto counts = rig.Stop();
    EXPECT_GE(counts[0], 1000);
    EXPECT_LE(counts[0], kMostFaults);
    EXPECT_EQ(rig.Told(0), static_cast<std::uint64_t>(counts[0]) / threshold);
#if !defined(CSINK_SANITIZED)  // ThreadSanitizer hands signals on late
    EXPECT_EQ(rig.missed[0], 0u);
#endif
    EXPECT_EQ(rig.odd_vectors, 0u);
  }
}

TEST_P(HardwareOverflow, GetsThroughEachPageFaultWithThresholdOne) {
  FreshPages pages(1000);
  OverflowRig rig = Rig({{PlainCounterSet::kPageFaults, 1}});
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  rig.Start();
  // The vdso's data, among others, is mapped anew for nobody: its fault was the endless one.
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  pages.Touch(0, 1000);
  const auto counts = rig.Stop();
  EXPECT_LE(counts[0], kMostFaults);
  const std::uint64_t told = rig.Told(0);
  const auto count = static_cast<std::uint64_t>(counts[0]);
  // By signal each second one is reported, with one missed; the last may be without its second.
  EXPECT_LE(told, count);
  EXPECT_LE(count - told, GetParam() == Kind::kSigtrap ? 0u : 1u);
}

TEST_P(HardwareOverflow, KeepsBothOfTwoClocksAlive) {
  constexpr auto kTask = PlainCounterSet::kTaskClock;
  constexpr auto kCpu = PlainCounterSet::kCpuClock;
  for (const bool task_first : {true, false}) {
    OverflowRig rig = Rig({{task_first ? kTask : kCpu, kMs}, {task_first ? kCpu : kTask, kMs}});
    ASSERT_TRUE(rig.ok()) << rig.error.what;
    rig.Start();
    ASSERT_TRUE(rig.ok()) << rig.error.what;
    const testing::StolenTime stolen;
    BurnFor(200 * kMs);
    const auto counts = rig.Stop();
    for (std::size_t i = 0; i < 2; ++i) {
      const std::uint64_t due = static_cast<std::uint64_t>(counts[i]) / kMs;
      EXPECT_GE(due, 195u);
      EXPECT_LE(rig.Told(i), due);
      EXPECT_GE(rig.Told(i) + static_cast<std::uint64_t>(stolen.MostMs()), due - due / 20)
          << "event " << i;
    }
    EXPECT_EQ(rig.odd_vectors, 0u);
  }
}

TEST_P(HardwareOverflow, FortyOfFortyRunsSampleTheSibling) {
  for (int run = 0; run < 40; ++run) {
    OverflowRig rig = Rig({{PlainCounterSet::kTaskClock, 0}, {PlainCounterSet::kCpuClock, kMs}});
    ASSERT_TRUE(rig.ok()) << rig.error.what;
    rig.Start();
    // One that dies does so within its first eighteen overflows.
    BurnFor(20 * kMs);
    const std::uint64_t half = rig.Told(1);
    BurnFor(20 * kMs);
    const auto counts = rig.Stop();
    EXPECT_GE(counts[0], static_cast<long long>(40 * kMs));
    EXPECT_GE(rig.Told(1), half + 2) << "run " << run;
  }
}

TEST_P(HardwareOverflow, CountsOfTheOverflowingEventStayWhole) {
  OverflowRig rig = Rig({{PlainCounterSet::kTaskClock, kMs / 10}});
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  rig.Start();
  const std::uint64_t before = testing::ThreadCpuNs();
  BurnFor(100 * kMs);
  const std::uint64_t burned = testing::ThreadCpuNs() - before;
  const auto counts = rig.Stop();
  EXPECT_GE(static_cast<std::uint64_t>(counts[0]), burned - burned / 100);
}

TEST_P(HardwareOverflow, SaysWhereTheProgramWas) {
  OverflowRig rig = Rig({{PlainCounterSet::kPageFaults, 2}});
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  FreshPages pages(10);
  rig.Start();
  pages.Touch(0, 10);
  rig.Stop();
  const auto pc = reinterpret_cast<std::uintptr_t>(rig.last_pc);
  const auto here = reinterpret_cast<std::uintptr_t>(&NameOf);
  EXPECT_LT(pc > here ? pc - here : here - pc, std::uintptr_t{16} << 20);
}

TEST_P(HardwareOverflow, MissedTellsOfWhatFellDueInTheHandler) {
  static FreshPages* pages;
  FreshPages fresh(200);
  pages = &fresh;
  OverflowRig rig = Rig({{PlainCounterSet::kPageFaults, 10}});
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  // The first call faults a hundred times itself.
  rig.extra = [](OverflowRig& r, const OverflowHit&) {
    if (r.hits[0] == 1) pages->Touch(0, 100);
  };
  rig.Start();
  pages->Touch(100, 100);
  const auto counts = rig.Stop();
  EXPECT_GE(counts[0], 200);
  EXPECT_GE(rig.missed[0], 9u);
  EXPECT_EQ(rig.Told(0), static_cast<std::uint64_t>(counts[0]) / 10);
  EXPECT_EQ(rig.overflow.totals().calls, rig.hits[0]);
  EXPECT_EQ(rig.overflow.totals().missed, rig.missed[0]);
}

TEST_P(HardwareOverflow, MissedIsRightWhenTheRingWasFull) {
  const int number = GetParam() == Kind::kSigtrap ? SIGTRAP : SIGWINCH;
  OverflowRig rig = Rig({{PlainCounterSet::kPageFaults, 2}});
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  FreshPages pages(2000);
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, number);
  rig.Start();
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  pages.Touch(0, 1000);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(rig.Told(0), static_cast<std::uint64_t>(rig.FirstCount()) / 2);
  pages.Touch(1000, 1000);
  const auto counts = rig.Stop();
  EXPECT_EQ(rig.Told(0), static_cast<std::uint64_t>(counts[0]) / 2);
}

TEST_P(HardwareOverflow, HandlerMayReadResetAndStopItsSet) {
  OverflowRig rig = Rig({{PlainCounterSet::kTaskClock, kMs}});
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  rig.extra = [](OverflowRig& r, const OverflowHit&) {
    EXPECT_GT(r.FirstCount(), 0);
    if (r.hits[0] == 5) {
      EXPECT_TRUE(r.set.Reset());
    }
    if (r.hits[0] == 10) {
      EXPECT_TRUE(r.set.Stop());
      r.overflow.Disarm();
    }
  };
  rig.Start();
  BurnFor(50 * kMs);
  EXPECT_EQ(rig.hits[0], 10u);
  EXPECT_FALSE(rig.overflow.armed());
  rig.extra = nullptr;
  rig.Start();
  BurnFor(20 * kMs);
  rig.Stop();
  EXPECT_GT(rig.hits[0], 20u);
}

TEST_P(HardwareOverflow, HandlerMayGiveTheWholeThingBack) {
  OverflowRig rig = Rig({{PlainCounterSet::kTaskClock, kMs}});
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  rig.extra = [](OverflowRig& r, const OverflowHit&) {
    EXPECT_TRUE(r.set.Stop());
    r.overflow.Release();
  };
  rig.Start();
  BurnFor(20 * kMs);
  EXPECT_EQ(rig.hits[0], 1u);
  EXPECT_FALSE(rig.overflow.prepared());
}

sigjmp_buf g_back;

TEST_P(HardwareOverflow, HandlerMayJumpAway) {
  OverflowRig rig = Rig({{PlainCounterSet::kTaskClock, kMs}});
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  rig.extra = [](OverflowRig&, const OverflowHit&) { siglongjmp(g_back, 1); };
  rig.Start();
  volatile int jumps = 0;
  if (sigsetjmp(g_back, 1) != 0) jumps = jumps + 1;
  if (jumps < 10) BurnFor(1000 * kMs);
  EXPECT_EQ(jumps, 10);
  rig.extra = nullptr;
  BurnFor(10 * kMs);
  rig.Stop();
  EXPECT_GE(rig.hits[0], 15u);
}

TEST_P(HardwareOverflow, KeepsErrno) {
  OverflowRig rig = Rig({{PlainCounterSet::kTaskClock, kMs}});
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  rig.extra = [](OverflowRig&, const OverflowHit&) { errno = EXDEV; };
  rig.Start();
  errno = EDOM;
  const volatile std::uint64_t& hits = rig.hits[0];
  // Sanitizers hand on a signal only when the program calls something.
  while (hits < 3) BurnFor(kMs / 10);
  EXPECT_EQ(errno, EDOM);
  rig.Stop();
}

TEST_P(HardwareOverflow, GetsThroughAMaskAndRestoresIt) {
  const int number = GetParam() == Kind::kSigtrap ? SIGTRAP : SIGWINCH;
  sigset_t blocked, before, now;
  sigemptyset(&blocked);
  sigaddset(&blocked, number);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  OverflowRig rig = Rig({{PlainCounterSet::kTaskClock, kMs}});
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  rig.Start();
  BurnFor(20 * kMs);
  rig.Stop();
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  EXPECT_TRUE(sigismember(&now, number));
  EXPECT_GE(rig.hits[0], 12u);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_P(HardwareOverflow, ManyThreadsEachHaveTheirOwn) {
  constexpr int kThreads = 8;
  std::vector<std::thread> threads;
  std::vector<std::uint64_t> told(kThreads), due(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const std::uint64_t threshold = 2 + static_cast<std::uint64_t>(t);
      FreshPages pages(500);
      OverflowRig rig = Rig({{PlainCounterSet::kPageFaults, threshold}});
      ASSERT_TRUE(rig.ok()) << rig.error.what;
      for (int run = 0; run < 5; ++run) {
        const auto before = rig.Told(0);
        rig.Start();
        pages.Touch(100 * static_cast<std::size_t>(run), 100);
        const auto count = static_cast<std::uint64_t>(rig.Stop()[0]);
        told[t] += rig.Told(0) - before;
        due[t] += count;
      }
      due[t] /= threshold;
    });
  }
  for (auto& thread : threads) thread.join();
  // A stopped event keeps what it had on the way to its next overflow.
  for (int t = 0; t < kThreads; ++t) EXPECT_EQ(told[t], due[t]) << "thread " << t;
}

TEST_P(HardwareOverflow, AThreadMayEndWhileItIsArmed) {
  OverflowRig* rig = nullptr;
  std::thread([&] {
    rig =
        new OverflowRig({{PlainCounterSet::kTaskClock, kMs}}, OverflowMode::kHardware, GetParam());
    ASSERT_TRUE(rig->ok());
    rig->Start();
    BurnFor(5 * kMs);
  }).join();
  rig->overflow.Disarm();
  rig->overflow.Release();
  delete rig;
}

TEST_P(HardwareOverflow, AnotherThreadMayStopIt) {
  OverflowRig rig = Rig({{PlainCounterSet::kTaskClock, kMs}});
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  std::atomic<bool> stopped{false};
  rig.Start();
  std::thread other([&] {
    usleep(20'000);
    EXPECT_TRUE(rig.set.Stop());
    rig.overflow.Disarm();
    stopped = true;
  });
  while (!stopped) BurnFor(kMs);
  other.join();
  const auto hits = rig.hits[0];
  BurnFor(10 * kMs);
  EXPECT_EQ(rig.hits[0], hits);
}

TEST(SetOverflowArm, RefusesASetThatCountsAnotherThread) {
  OverflowRig rig({{PlainCounterSet::kTaskClock, kMs}});
  ASSERT_TRUE(rig.ok());
  std::thread([&] { EXPECT_EQ(rig.overflow.Arm(rig.set).error().code, Errc::kInvalid); }).join();
}

TEST(SetOverflowPrepare, RefusesNonsenseAndLeavesTheRequests) {
  std::vector<CounterRequest> requests(2);
  requests[0].sampling.period = 7;
  SetOverflow overflow;
  const auto prepare = [&](std::vector<OverflowArming> armings,
                           OverflowMode mode = OverflowMode::kHardware) {
    return overflow
        .Prepare(
            requests, armings, mode, [](void*, const OverflowHit&) noexcept {}, nullptr)
        .error()
        .code;
  };
  EXPECT_EQ(prepare({}), Errc::kInvalid);
  EXPECT_EQ(prepare({{0, 1, 0}}), Errc::kInvalid);
  EXPECT_EQ(prepare({{2, 1, 10}}), Errc::kInvalid);
  EXPECT_EQ(prepare({{0, 1, 10}, {0, 1, 20}}), Errc::kInvalid);
  EXPECT_EQ(prepare({{0, 1, std::uint64_t{1} << 63}}), Errc::kInvalid);
  OverflowArming derived{0, 1, 10};
  derived.value = [](const void*, const long long* counts) noexcept { return counts[0]; };
  EXPECT_EQ(prepare({derived}), Errc::kInvalid);
  EXPECT_FALSE(overflow.prepared());
  EXPECT_EQ(requests[0].sampling.period, 7u);
}

TEST(SetOverflowPrepare, OpensOnlyWhatIsArmedForSampling) {
  OverflowRig rig({{PlainCounterSet::kTaskClock, 0}, {PlainCounterSet::kPageFaults, 3}});
  ASSERT_TRUE(rig.ok());
  EXPECT_EQ(rig.requests[0].sampling.delivery, SamplingRequest::Delivery::kNone);
  EXPECT_NE(rig.requests[1].sampling.delivery, SamplingRequest::Delivery::kNone);
  EXPECT_EQ(rig.requests[1].sampling.period, 3u);
}

TEST(SetOverflowPrepare, KeepsKernelModeEventsOffSigtrap) {
  std::vector<CounterRequest> requests(1);
  OverflowArming arming{0, 1, 10};
  arming.kernel_mode = true;
  SetOverflow overflow;
  ASSERT_TRUE(overflow.Prepare(
      requests, {&arming, 1}, OverflowMode::kHardware, [](void*, const OverflowHit&) noexcept {},
      nullptr));
  EXPECT_STREQ(overflow.source(), "signal");
  EXPECT_NE(std::string(overflow.reason()).find("kernel mode"), std::string::npos);
}

}  // namespace
}  // namespace csink
