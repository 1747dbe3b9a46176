#include <gtest/gtest.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "core/counting/overflow/overflow_state.h"
#include "tests/core/counting/overflow/overflow_rig.h"
#include "tests/fakes/fake_kernel.h"
#include "tests/fakes/fake_ring.h"

namespace csink {
namespace {

using testing::FakeRing;
using testing::OverflowRig;
using testing::PlainCounterSet;
using Kind = OverflowSourceKind;

TEST(TakeOverflows, TellsThrottlingFromOverflows) {
  testing::FakeKernel kernel;
  perf_event_attr attr = {};
  const int fd = static_cast<int>(kernel.PerfEventOpen(&attr, 0, -1, -1));
  RingBuffer ring;
  ASSERT_TRUE(ring.Map(kernel, fd, PageBytes()));
  kernel.ring(0).Sample(1);
  EXPECT_FALSE(TakeOverflows(ring).throttled);
  kernel.ring(0).Throttle();
  kernel.ring(0).Sample(1);
  const RingContents news = TakeOverflows(ring);
  EXPECT_TRUE(news.throttled);
  EXPECT_EQ(news.overflows, 1u);
  EXPECT_FALSE(news.incomplete);
  EXPECT_FALSE(TakeOverflows(ring).throttled);
  ring.Unmap(kernel);
}

TEST(TakeOverflows, KnowsAFullRingByItsBytes) {
  testing::FakeKernel kernel;
  perf_event_attr attr = {};
  const int fd = static_cast<int>(kernel.PerfEventOpen(&attr, 0, -1, -1));
  RingBuffer ring;
  ASSERT_TRUE(ring.Map(kernel, fd, PageBytes()));
  // Records of throttling leave room for fewer samples than a ring of samples alone.
  while (kernel.ring(0).Throttle() && kernel.ring(0).Sample(1)) {
  }
  EXPECT_TRUE(TakeOverflows(ring).incomplete);
  EXPECT_FALSE(TakeOverflows(ring).incomplete);
  ring.Unmap(kernel);
}

/// A set whose events are files in memory: what the kernel would write into their rings is written
/// by the test. Counters 1 and up are members of counter 0's group.
class FileSet final : public CounterSet {
 public:
  explicit FileSet(std::size_t counters) : ended(counters) {
    for (std::size_t i = 0; i < counters; ++i) {
      fds_.push_back(memfd_create("ring", MFD_CLOEXEC));
      EXPECT_EQ(ftruncate(fds_[i], static_cast<off_t>(2 * PageBytes())), 0);
      bases_.push_back(
          mmap(nullptr, 2 * PageBytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fds_[i], 0));
    }
  }
  ~FileSet() override {
    for (void* base : bases_) munmap(base, 2 * PageBytes());
    for (const int fd : fds_) close(fd);
  }
  FakeRing Ring(std::size_t i) const { return {bases_[i], PageBytes(), PageBytes()}; }

  Result<void> Configure(std::span<const CounterRequest>, const CountingOptions&) override {
    return {};
  }
  std::size_t size() const noexcept override { return fds_.size(); }
  Result<void> Start() override { return {}; }
  Result<void> Stop() override { return {}; }
  Result<void> Read(long long* values) noexcept override {
    for (std::size_t i = 0; i < fds_.size(); ++i) values[i] = count;
    return {};
  }
  Result<void> Reset() noexcept override { return {}; }
  Result<void> ReadAndReset(long long* values) noexcept override { return Read(values); }
  Result<void> Write(const long long*) noexcept override { return {}; }
  bool running() const noexcept override { return true; }
  int fd(std::size_t i) const noexcept override { return has_rings ? fds_[i] : -1; }
  int leader_fd(std::size_t) const noexcept override { return fd(0); }
  void EndThrottle(std::size_t i) noexcept override { ++ended[i]; }
  pid_t counted_tid() const noexcept override { return gettid(); }
  void Times(std::size_t, std::uint64_t* enabled, std::uint64_t* ran) const noexcept override {
    *enabled = *ran = 0;
  }
  void ForgetAfterFork() noexcept override {}

  long long count = 0;
  bool has_rings = true;
  std::vector<int> ended;

 private:
  std::vector<int> fds_;
  std::vector<void*> bases_;
};

/// Overflows at each 10 counts of counter `armed` of a FileSet.
class ThrottleRig {
 public:
  ThrottleRig(FileSet& set, std::size_t armed) : set_(set) {
    requests_.resize(set.size());
    const OverflowArming arming = {armed, std::uint64_t{1} << armed, 10};
    EXPECT_TRUE(overflow_.Prepare(requests_, {&arming, 1}, OverflowMode::kHardware, OnHit, this,
                                  Kind::kSigtrap));
    cookie_ = OverflowCookie::Unpack(requests_[armed].sampling.cookie);
    EXPECT_TRUE(overflow_.Arm(set));
  }
  ~ThrottleRig() { overflow_.Disarm(); }
  void Interrupt() {
    ucontext_t context;
    getcontext(&context);
    DeliverByCookie(cookie_, &context);
  }
  std::uint64_t told = 0;
  int ended_before_call = -1;

 private:
  static void OnHit(void* owner, const OverflowHit& hit) noexcept {
    auto& rig = *static_cast<ThrottleRig*>(owner);
    rig.told += 1 + hit.missed;
    rig.ended_before_call = rig.set_.ended.back();
  }
  FileSet& set_;
  std::vector<CounterRequest> requests_;
  SetOverflow overflow_;
  OverflowCookie cookie_;
};

TEST(OverflowThrottle, IsEndedWhenTheKernelReportsItAndOnlyThen) {
  FileSet set(1);
  ThrottleRig rig(set, 0);
  set.Ring(0).Sample(1);
  rig.Interrupt();
  EXPECT_EQ(set.ended[0], 0);
  set.Ring(0).Throttle();
  set.Ring(0).Sample(1);
  rig.Interrupt();
  EXPECT_EQ(set.ended[0], 1);
  set.Ring(0).Sample(1);
  rig.Interrupt();
  EXPECT_EQ(set.ended[0], 1);
  EXPECT_EQ(rig.told, 3u);
}

TEST(OverflowThrottle, IsEndedBeforeTheHandlerIsCalled) {
  FileSet set(1);
  ThrottleRig rig(set, 0);
  set.Ring(0).Throttle();
  set.Ring(0).Sample(1);
  rig.Interrupt();
  EXPECT_EQ(rig.ended_before_call, 1);
}

TEST(OverflowThrottle, OverflowsWithoutARecordAreFoundInTheCount) {
  FileSet set(1);
  ThrottleRig rig(set, 0);
  set.count = 75;
  set.Ring(0).Throttle();
  set.Ring(0).Sample(1);
  rig.Interrupt();
  EXPECT_EQ(rig.told, 7u);
}

TEST(OverflowThrottle, IsEndedAtEachOverflowWithoutARing) {
  FileSet set(1);
  set.has_rings = false;
  ThrottleRig rig(set, 0);
  rig.Interrupt();
  rig.Interrupt();
  EXPECT_EQ(set.ended[0], 2);
}

TEST(OverflowThrottle, IsEndedAtEachOverflowOfAMemberWhoseLeaderIsNotHeard) {
  // A file in memory refuses PERF_EVENT_IOC_SET_OUTPUT.
  FileSet set(2);
  ThrottleRig rig(set, 1);
  set.Ring(1).Sample(1);
  rig.Interrupt();
  EXPECT_EQ(set.ended[1], 1);
}

constexpr char kLimitFile[] = "/proc/sys/kernel/perf_event_max_sample_rate";

/// The machine's limit of interrupts, lowered while it lives.
class LowLimit {
 public:
  explicit LowLimit(long hz) {
    std::ifstream(kLimitFile) >> before_;
    lowered_ = Set(hz);
  }
  ~LowLimit() {
    if (lowered_) Set(before_);
  }
  bool lowered() const { return lowered_; }

 private:
  static bool Set(long hz) {
    std::ofstream file(kLimitFile);
    file << hz << std::flush;
    return static_cast<bool>(file);
  }
  long before_ = 0;
  bool lowered_ = false;
};

/// Both events are clocks, so that the thread's CPU time says what they must count.
class ThrottledClocks : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (std::getenv("CSINK_TEST_THROTTLING") == nullptr) {
      GTEST_SKIP() << "lowers kernel.perf_event_max_sample_rate of the whole machine for a moment: "
                      "set CSINK_TEST_THROTTLING=1 (the guest's tests do)";
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Sources, ThrottledClocks, ::testing::Values(Kind::kSigtrap, Kind::kSignal),
                         [](const auto& info) {
                           return info.param == Kind::kSigtrap ? "Sigtrap" : "Signal";
                         });

TEST_P(ThrottledClocks, CountExactlyWhicheverMemberOverflows) {
  constexpr std::uint64_t kThreshold = 100'000;
  constexpr auto kTask = PlainCounterSet::kTaskClock;
  constexpr auto kCpu = PlainCounterSet::kCpuClock;
  const std::vector<std::vector<testing::Wanted>> sets = {
      {{kTask, kThreshold}},
      {{kTask, kThreshold}, {kCpu, 0}},
      {{kTask, 0}, {kCpu, kThreshold}},
      {{kTask, 0}, {kTask, kThreshold}},
      {{kTask, kThreshold}, {kCpu, kThreshold}},
  };
  for (std::size_t s = 0; s < sets.size(); ++s) {
    OverflowRig rig(sets[s], OverflowMode::kHardware, GetParam());
    ASSERT_TRUE(rig.ok()) << rig.error.what;
    const LowLimit limit(2000);  // every 500 us; the overflows come every 100
    if (!limit.lowered()) GTEST_SKIP() << kLimitFile << " cannot be written";
    rig.Start();
    ASSERT_TRUE(rig.ok()) << rig.error.what;
    const std::uint64_t before = testing::ThreadCpuNs();
    testing::BurnFor(50'000'000);
    const auto burned = static_cast<double>(testing::ThreadCpuNs() - before);
    const auto counts = rig.Stop();
    EXPECT_GT(rig.set.throttles_ended, 5u) << "set " << s;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(counts[i]), burned, 0.05 * burned)
          << "set " << s << " event " << i;
      if (sets[s][i].threshold == 0) continue;
      const auto due = static_cast<double>(counts[i]) / static_cast<double>(kThreshold);
      EXPECT_NEAR(static_cast<double>(rig.Told(i)), due, 0.05 * due + 2)
          << "set " << s << " event " << i;
    }
  }
}

}  // namespace
}  // namespace csink
