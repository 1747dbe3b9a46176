/// File: counter sets on a PMU that throttles, has counters that do not count, or lets them jump.

#include <gtest/gtest.h>

#include "core/counting/components/perf_event/perf_capabilities.h"
#include "core/counting/counter_sets/perf_counter_set.h"
#include "tests/fakes/captured_stderr.h"
#include "tests/fakes/fake_events.h"
#include "tests/fakes/fake_kernel.h"

namespace csink {
namespace {

using testing::FakeEvents;
using testing::FakeKernel;
using testing::Requests;
using Multiplex = CountingOptions::Multiplex;

constexpr std::uint32_t kFaults = PERF_COUNT_SW_PAGE_FAULTS;
constexpr std::uint32_t kInstructions = FakeEvents::kHardware + PERF_COUNT_HW_INSTRUCTIONS;
constexpr std::uint32_t kMisses = FakeEvents::kHardware + PERF_COUNT_HW_CACHE_MISSES;
constexpr long long kJump = 1LL << kJumpBit;

std::vector<long long> ReadAll(PerfCounterSet& set) {
  std::vector<long long> values(set.size(), -1);
  EXPECT_TRUE(set.Read(values.data()));
  return values;
}

class ThrottledSet : public ::testing::Test {
 protected:
  std::vector<FakeKernel::Control> ControlsSince(std::size_t from) const {
    return {kernel_.controls().begin() + static_cast<std::ptrdiff_t>(from),
            kernel_.controls().end()};
  }
  FakeKernel kernel_;
  FakeEvents events_;
};

TEST_F(ThrottledSet, CountsOnOnceItsLeaderWasSwitchedOffAndOn) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kInstructions, kMisses}), {}));
  ASSERT_TRUE(set.Start());
  kernel_.Count(10, 10);
  kernel_.Throttle(set.fd(1));
  kernel_.Count(10, 10);
  EXPECT_EQ(ReadAll(set), (std::vector<long long>{10, 10})) << "the fake stands still";
  const std::size_t before = kernel_.controls().size();
  set.EndThrottle(1);
  const auto controls = ControlsSince(before);
  ASSERT_EQ(controls.size(), 2u);
  EXPECT_EQ(controls[0].request, static_cast<unsigned long>(PERF_EVENT_IOC_DISABLE));
  EXPECT_EQ(controls[1].request, static_cast<unsigned long>(PERF_EVENT_IOC_ENABLE));
  EXPECT_EQ(controls[0].fd, set.fd(0));
  EXPECT_EQ(controls[1].fd, set.leader_fd(1));
  kernel_.Count(10, 10);
  EXPECT_EQ(ReadAll(set), (std::vector<long long>{20, 20}));
}

TEST_F(ThrottledSet, IsNotStartedByALateSignalAfterStop) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kInstructions}), {}));
  set.EndThrottle(0);
  EXPECT_EQ(kernel_.controls().size(), 0u);
  ASSERT_TRUE(set.Start());
  ASSERT_TRUE(set.Stop());
  const std::size_t before = kernel_.controls().size();
  set.EndThrottle(0);
  EXPECT_EQ(kernel_.controls().size(), before);
}

TEST_F(ThrottledSet, StartsNoGroupWhoseTurnItIsNot) {
  kernel_.SetThreadCpu(0, 0);
  events_.SetCountersAtOnce(1);
  CountingOptions options;
  options.multiplex = Multiplex::kSoftware;
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kInstructions, kMisses}), options));
  ASSERT_TRUE(set.Start());
  const std::size_t before = kernel_.controls().size();
  set.EndThrottle(1);
  EXPECT_EQ(kernel_.controls().size(), before);
  set.EndThrottle(0);
  EXPECT_EQ(kernel_.controls().size(), before + 2);
  ASSERT_TRUE(set.Stop());
}

TEST(UserReadPages, AreNotMappedWhereTheSetSamplesOrReadingByTheKernelIsFaster) {
  FakeKernel kernel;
  FakeEvents events;
  events.memory().user_reads_at_most.store(2);
  PerfCounterSet set(kernel, events);
  auto requests = Requests({kInstructions, kMisses});
  ASSERT_TRUE(set.Configure(requests, {}));
  EXPECT_EQ(kernel.mapped_rings(), 2u);
  requests[1].sampling.delivery = SamplingRequest::Delivery::kSigtrap;
  requests[1].sampling.period = 1000;
  ASSERT_TRUE(set.Configure(requests, {}));
  EXPECT_EQ(kernel.mapped_rings(), 0u) << "the leader has none either";
  requests[1].sampling = {};
  ASSERT_TRUE(set.Configure(requests, {}));
  EXPECT_EQ(kernel.mapped_rings(), 2u);
  ASSERT_TRUE(set.Configure(Requests({kInstructions, kMisses, kMisses}), {}));
  EXPECT_EQ(kernel.mapped_rings(), 0u);
}

TEST(UserReads, AreWorthWhileForAsManyCountersAsOneReadOfTheGroupCosts) {
  EXPECT_EQ(UserReadsWorthWhile(25, 600), 24);
  EXPECT_EQ(UserReadsWorthWhile(15'000, 4'100), 0) << "the instruction traps to a hypervisor";
  EXPECT_EQ(UserReadsWorthWhile(0, 600), kMaxGroupEvents);
  EXPECT_EQ(UserReadsWorthWhile(1, 1'000'000), kMaxGroupEvents);
}

/// Says 6 counters, of which the sixth does not count.
class DeadCounter : public ::testing::Test {
 protected:
  DeadCounter() {
    kernel_.SetHardwareCounters(6);
    kernel_.SetDeadCounters(5);
    kernel_.CountBeforeOff(1000, 1000);
  }
  FakeKernel kernel_;
  FakeEvents events_;
};

TEST_F(DeadCounter, IsFoundByItsZeroOnceAndSaid) {
  PerfCounterSet set(kernel_, events_);
  std::vector<CounterRequest> requests(5, CounterRequest{.event = kMisses, .sampling = {}});
  ASSERT_TRUE(set.Configure(requests, {}));
  requests.push_back({.event = kMisses, .sampling = {}});
  testing::CapturedStderr captured;
  const auto refused = set.Configure(requests, {});
  EXPECT_EQ(refused.error().code, Errc::kConflict);
  EXPECT_NE(std::string(refused.error().what).find("count"), std::string::npos);
  EXPECT_EQ(set.size(), 5u);
  EXPECT_FALSE(set.Configure(requests, {}));
  const std::string said = captured.text();
  EXPECT_NE(said.find("only 5 of them count"), std::string::npos) << said;
  EXPECT_EQ(said.find("only 5"), said.rfind("only 5")) << "twice: " << said;
}

TEST_F(DeadCounter, IsNotOneOfTheCountersThatTheMachineHas) {
  testing::CapturedStderr captured;
  CountingMemory memory;
  EXPECT_EQ(CountHardwareCounters(kernel_, memory).alike, 5u);
}

TEST_F(DeadCounter, IsLeftOutOfMultiplexing) {
  testing::CapturedStderr captured;
  // What the component's CountersAtOnce finds out.
  (void)CountHardwareCounters(kernel_, events_.memory());
  CountingOptions options;
  options.multiplex = Multiplex::kKernel;
  events_.SetCountersAtOnce(5);
  PerfCounterSet set(kernel_, events_);
  const std::vector<CounterRequest> requests(6, CounterRequest{.event = kMisses, .sampling = {}});
  ASSERT_TRUE(set.Configure(requests, options));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_FALSE(kernel_.event(set.fd(i)).dead) << i;
  EXPECT_EQ(set.leader_fd(4), set.fd(0)) << "groups of five take turns";
  EXPECT_EQ(set.leader_fd(5), set.fd(5));
}

TEST_F(DeadCounter, IsNotSeenInEventsThatDoNotHappen) {
  kernel_.SetDeadCounters(0);  // all: nothing to compare with
  PerfCounterSet set(kernel_, events_);
  EXPECT_TRUE(set.Configure(Requests({kMisses, kMisses}), {}));
}

/// A set of one software and one hardware event that runs.
class JumpingCount : public ::testing::Test {
 protected:
  JumpingCount() : set_(kernel_, events_) {
    EXPECT_TRUE(set_.Configure(Requests({kInstructions, kMisses}), {}));
    EXPECT_TRUE(set_.Start());
    kernel_.Count(1000, 1000);
  }
  FakeKernel kernel_;
  FakeEvents events_;
  PerfCounterSet set_;
};

TEST_F(JumpingCount, IsShownWithoutItsJumps) {
  kernel_.event(set_.fd(1)).value += 3 * kJump;
  EXPECT_EQ(ReadAll(set_), (std::vector<long long>{1000, 1000}));
  kernel_.Count(500, 500);
  EXPECT_EQ(ReadAll(set_), (std::vector<long long>{1500, 1500})) << "the kernel goes on from there";
  kernel_.event(set_.fd(0)).value -= kJump;
  EXPECT_EQ(ReadAll(set_), (std::vector<long long>{1500, 1500}));
  ASSERT_TRUE(set_.Stop());
  EXPECT_EQ(ReadAll(set_), (std::vector<long long>{1500, 1500}));
}

TEST_F(JumpingCount, IsAnErrorWhereNoMultipleExplainsIt) {
  kernel_.event(set_.fd(1)).value += kJump + kJump / 2;
  long long values[2] = {-1, -1};
  EXPECT_EQ(set_.Read(values).error().code, Errc::kSystem);
  EXPECT_EQ(values[1], -1) << "never shown";
  EXPECT_FALSE(set_.Stop());
  ASSERT_TRUE(set_.Start());
  kernel_.Count(500, 500);
  EXPECT_EQ(ReadAll(set_), (std::vector<long long>{500, 500})) << "the next run is sound";
}

TEST_F(JumpingCount, IsNoJumpWhereTheTimeAllowsIt) {
  const std::uint64_t hours_ns = 3'600'000'000'000 * 10;
  kernel_.Count(hours_ns * 8, hours_ns);  // eight a nanosecond: above 2^47
  ASSERT_GT(hours_ns * 8, static_cast<std::uint64_t>(kJump));
  EXPECT_EQ(ReadAll(set_)[0], static_cast<long long>(hours_ns * 8 + 1000));
}

TEST(LargeCount, OfASoftwareEventIsNotDoubted) {
  FakeKernel kernel;
  FakeEvents events;
  PerfCounterSet set(kernel, events);
  ASSERT_TRUE(set.Configure(Requests({kFaults}), {}));
  ASSERT_TRUE(set.Start());
  kernel.event(set.fd(0)).value += static_cast<std::uint64_t>(kJump) * 5 / 2;
  EXPECT_EQ(ReadAll(set)[0], kJump * 5 / 2);
}

}  // namespace
}  // namespace csink
