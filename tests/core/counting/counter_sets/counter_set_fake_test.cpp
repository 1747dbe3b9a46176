/// File: counter sets on a kernel that refuses on command.

#include <gtest/gtest.h>

#include <thread>

#include "core/counting/counter_sets/perf_counter_set.h"
#include "tests/fakes/fake_events.h"
#include "tests/fakes/fake_kernel.h"

namespace csink {
namespace {

using testing::FakeEvents;
using testing::FakeKernel;
using testing::Requests;
using Multiplex = CountingOptions::Multiplex;

constexpr std::uint32_t kTaskClock = PERF_COUNT_SW_TASK_CLOCK;
constexpr std::uint32_t kFaults = PERF_COUNT_SW_PAGE_FAULTS;
constexpr std::uint32_t kSwitches = PERF_COUNT_SW_CONTEXT_SWITCHES;
constexpr std::uint32_t kCycles = FakeEvents::kHardware + PERF_COUNT_HW_CPU_CYCLES;
constexpr std::uint32_t kInstructions = FakeEvents::kHardware + PERF_COUNT_HW_INSTRUCTIONS;

class CounterSetOnFakeKernel : public ::testing::Test {
 protected:
  std::vector<long long> Read(PerfCounterSet& set) {
    std::vector<long long> values(set.size(), -1);
    EXPECT_TRUE(set.Read(values.data()));
    return values;
  }
  FakeKernel kernel_;
  FakeEvents events_;
  CountingOptions options_;
};

TEST_F(CounterSetOnFakeKernel, OpensOneEventForOneNewCounter) {
  PerfCounterSet set(kernel_, events_);
  for (std::size_t n = 1; n <= 4; ++n) {
    std::vector<CounterRequest> requests(n, CounterRequest{.event = kFaults, .sampling = {}});
    ASSERT_TRUE(set.Configure(requests, options_));
    EXPECT_EQ(kernel_.opens().size(), n);
  }
  EXPECT_EQ(kernel_.controls().size(), 0u) << "software events need no trial";
}

TEST_F(CounterSetOnFakeKernel, ReadsAGroupByOneCallAndSwitchesItsLeaderAlone) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kTaskClock, kFaults, kFaults}), options_));
  ASSERT_TRUE(set.Start());
  EXPECT_EQ(kernel_.controls().size(), 1u);
  kernel_.Count(5, 10);
  EXPECT_EQ(Read(set), (std::vector<long long>{5, 5, 5}));
  EXPECT_EQ(kernel_.reads(), 1u);
  kernel_.Count(1, 1);
  ASSERT_TRUE(set.Stop());
  EXPECT_EQ(kernel_.controls().size(), 2u);
  EXPECT_EQ(kernel_.reads(), 2u);
  EXPECT_EQ(Read(set), (std::vector<long long>{6, 6, 6}));
  EXPECT_EQ(kernel_.reads(), 2u) << "a stopped set remembers";
}

TEST_F(CounterSetOnFakeKernel, StartsFromZeroWithoutAnyReset) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kFaults}), options_));
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(set.Start());
    kernel_.Count(7, 10);
    ASSERT_TRUE(set.Stop());
    EXPECT_EQ(Read(set), std::vector<long long>{7});
  }
  for (const auto& control : kernel_.controls()) {
    EXPECT_TRUE(control.request == PERF_EVENT_IOC_ENABLE ||
                control.request == PERF_EVENT_IOC_DISABLE);
  }
}

TEST_F(CounterSetOnFakeKernel, ResetsWritesAndAccumulatesByArithmetic) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kFaults}), options_));
  const long long written = 100;
  ASSERT_TRUE(set.Write(&written));
  ASSERT_TRUE(set.Start());
  kernel_.Count(3, 1);
  EXPECT_EQ(Read(set), std::vector<long long>{103});
  ASSERT_TRUE(set.Reset());
  EXPECT_EQ(Read(set), std::vector<long long>{0});
  kernel_.Count(4, 1);
  long long value = 0;
  ASSERT_TRUE(set.ReadAndReset(&value));
  EXPECT_EQ(value, 4);
  kernel_.Count(2, 1);
  ASSERT_TRUE(set.Write(&written));
  kernel_.Count(1, 1);
  EXPECT_EQ(Read(set), std::vector<long long>{101});
  ASSERT_TRUE(set.Stop());
  ASSERT_TRUE(set.Start());
  EXPECT_EQ(Read(set), std::vector<long long>{0}) << "what was written while running is past";
}

TEST_F(CounterSetOnFakeKernel, FollowsTheOrderOfTheRequests) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kTaskClock, kFaults, kSwitches}), options_));
  const int faults = set.fd(1);
  ASSERT_TRUE(set.Configure(Requests({kSwitches, kTaskClock, kFaults}), options_));
  EXPECT_EQ(kernel_.opens().size(), 3u) << "nothing new in it";
  EXPECT_EQ(set.fd(2), faults);
  ASSERT_TRUE(set.Start());
  kernel_.Count(1, 1);
  kernel_.event(faults).value += 10;
  EXPECT_EQ(Read(set), (std::vector<long long>{1, 1, 11}));
}

TEST_F(CounterSetOnFakeKernel, SurvivesTheRemovalOfAMemberAndOfTheLeader) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kTaskClock, kFaults, kSwitches}), options_));
  ASSERT_TRUE(set.Configure(Requests({kTaskClock, kSwitches}), options_));
  EXPECT_EQ(kernel_.opens().size(), 3u);
  ASSERT_TRUE(set.Configure(Requests({kSwitches}), options_));
  EXPECT_EQ(kernel_.opens().size(), 4u) << "a group does not outlive its leader";
  ASSERT_TRUE(set.Start());
  kernel_.Count(9, 1);
  EXPECT_EQ(Read(set), std::vector<long long>{9});
}

struct Refusal {
  int error;
  Errc code;
};

class CounterSetRefused : public CounterSetOnFakeKernel,
                          public ::testing::WithParamInterface<Refusal> {};

TEST_P(CounterSetRefused, LeavesTheSetAsItWas) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kTaskClock, kFaults}), options_));
  const auto opened = kernel_.open_descriptors();
  const int fds[] = {set.fd(0), set.fd(1)};
  for (int step = 0; step < 2; ++step) {
    for (int i = 0; i < step; ++i) kernel_.AllowOpen();
    kernel_.RefuseOpens(GetParam().error, 6);
    const auto refused =
        set.Configure(Requests({kTaskClock, kFaults, kSwitches, kFaults}), options_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, GetParam().code);
    EXPECT_NE(std::string_view(refused.error().what), "");
    kernel_.DropScript();
    EXPECT_EQ(kernel_.open_descriptors(), opened);
    ASSERT_EQ(set.size(), 2u);
    EXPECT_EQ(set.fd(0), fds[0]);
    EXPECT_EQ(set.fd(1), fds[1]);
  }
  ASSERT_TRUE(set.Start());
  kernel_.Count(6, 1);
  EXPECT_EQ(Read(set), (std::vector<long long>{6, 6}));
}

INSTANTIATE_TEST_SUITE_P(
    , CounterSetRefused,
    ::testing::Values(Refusal{EACCES, Errc::kPermission}, Refusal{EPERM, Errc::kPermission},
                      Refusal{ENOENT, Errc::kNoEvent}, Refusal{EMFILE, Errc::kLimit},
                      Refusal{EBUSY, Errc::kConflict}, Refusal{EINVAL, Errc::kInvalid},
                      Refusal{ENOMEM, Errc::kLimit}, Refusal{ENOSYS, Errc::kUnsupported}),
    [](const auto& info) { return std::string(strerrorname_np(info.param.error)); });

TEST_F(CounterSetOnFakeKernel, FindsAGroupThatIsNeverScheduled) {
  kernel_.SetHardwareCounters(3);
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kInstructions, kInstructions, kInstructions}), options_));
  const auto opened = kernel_.open_descriptors();
  const auto refused = set.Configure(
      Requests({kInstructions, kInstructions, kInstructions, kInstructions}), options_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kConflict);
  EXPECT_EQ(kernel_.open_descriptors(), opened);
  ASSERT_TRUE(set.Start());
  kernel_.Count(6, 1);
  EXPECT_EQ(Read(set), (std::vector<long long>{6, 6, 6}));
}

TEST_F(CounterSetOnFakeKernel, DoesNotTakeTheCounterForCyclesForOneMore) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kInstructions, kInstructions, kCycles}), options_));
  kernel_.SetHardwareCounters(2);
  EXPECT_EQ(
      set.Configure(Requests({kInstructions, kInstructions, kInstructions}), options_).error().code,
      Errc::kConflict);
}

TEST_F(CounterSetOnFakeKernel, ExchangesAnEventWhileAllCountersAreTaken) {
  kernel_.SetHardwareCounters(2);
  PerfCounterSet set(kernel_, events_);
  auto requests = Requests({kInstructions, kInstructions});
  ASSERT_TRUE(set.Configure(requests, options_));
  requests[1].sampling = {
      .delivery = SamplingRequest::Delivery::kSigtrap, .period = 2, .cookie = 7};
  ASSERT_TRUE(set.Configure(requests, options_)) << "the old one holds its counter meanwhile";
  EXPECT_EQ(kernel_.event(set.fd(1)).attr.sample_period, 2u);
  const auto opened = kernel_.open_descriptors();
  requests.push_back(requests[0]);
  requests[1].sampling = {};
  EXPECT_EQ(set.Configure(requests, options_).error().code, Errc::kConflict);
  EXPECT_EQ(kernel_.open_descriptors(), opened);
}

TEST_F(CounterSetOnFakeKernel, SaysThatAGroupLostItsCounters) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kInstructions, kCycles}), options_));
  ASSERT_TRUE(set.Start());
  kernel_.Count(3, 3);
  EXPECT_EQ(Read(set), (std::vector<long long>{3, 3}));
  kernel_.SetHardwareCounters(1);  // somebody with more rights took one
  long long values[2] = {};
  EXPECT_EQ(set.Read(values).error().code, Errc::kConflict);
}

TEST_F(CounterSetOnFakeKernel, TriesANumberOfHardwareEventsOnlyOnce) {
  const auto two = Requests({kInstructions, kInstructions, kCycles});
  PerfCounterSet first(kernel_, events_);
  ASSERT_TRUE(first.Configure(two, options_));
  const auto tried = kernel_.controls().size();
  EXPECT_EQ(tried, 4u) << "the events, and as many instructions: all counters must count";
  PerfCounterSet second(kernel_, events_);
  ASSERT_TRUE(second.Configure(two, options_));
  EXPECT_EQ(kernel_.controls().size(), tried);
}

TEST_F(CounterSetOnFakeKernel, RehearsesSampledEventsAndOtherThreadsOnTheCaller) {
  auto requests = Requests({kInstructions, kInstructions});
  requests[0].sampling = {
      .delivery = SamplingRequest::Delivery::kSigtrap, .period = 2, .cookie = 7};
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(requests, options_));
  EXPECT_EQ(kernel_.open_descriptors(), 2u);
  for (const auto& control : kernel_.controls()) {
    EXPECT_EQ(kernel_.events().count(control.fd), 0u) << "only copies were run, and are gone";
  }
  EXPECT_FALSE(kernel_.controls().empty());
}

TEST_F(CounterSetOnFakeKernel, AsksForExactPcsAndSaysWhenThereAreNone) {
  kernel_.SetOpenRule(
      [](const perf_event_attr& attr) { return attr.precise_ip > 1 ? -EINVAL : 0; });
  auto request = Requests({kCycles});
  request[0].sampling = {
      .delivery = SamplingRequest::Delivery::kRing, .period = 1000, .exact_pc = true};
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(request, options_));
  EXPECT_EQ(kernel_.opens().back().attr.precise_ip, 1u);
  kernel_.SetOpenRule(
      [](const perf_event_attr& attr) { return attr.precise_ip > 0 ? -EINVAL : 0; });
  PerfCounterSet refused(kernel_, events_);
  EXPECT_EQ(refused.Configure(request, options_).error().code, Errc::kUnsupported);
  request[0].event = kTaskClock;  // the kernel's own are exact anyway
  EXPECT_TRUE(refused.Configure(request, options_));
  request[0].sampling.data_address = true;
  EXPECT_EQ(refused.Configure(request, options_).error().code, Errc::kUnsupported);
  request[0].event = kFaults;
  EXPECT_TRUE(refused.Configure(request, options_));
  EXPECT_TRUE(kernel_.opens().back().attr.sample_type & PERF_SAMPLE_ADDR);
}

TEST_F(CounterSetOnFakeKernel, SignalsGoToTheCountedThread) {
  auto request = Requests({kTaskClock});
  request[0].sampling = {
      .delivery = SamplingRequest::Delivery::kSignal, .period = 1000, .signal = SIGIO};
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(request, options_));
  EXPECT_EQ(kernel_.event(set.fd(0)).signal, SIGIO);
  EXPECT_EQ(kernel_.opens()[0].attr.sample_period, 1000u);
  request[0].sampling.period = 0;
  EXPECT_EQ(set.Configure(request, options_).error().code, Errc::kInvalid);
}

TEST_F(CounterSetOnFakeKernel, OpensASecondGroupForAnotherPmu) {
  CountableEvent other;
  other.attr.type = 30;
  const std::uint32_t event = events_.Add(other);
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kInstructions, event, kFaults}), options_));
  EXPECT_EQ(kernel_.opens()[1].group_fd, -1);
  ASSERT_TRUE(set.Start());
  kernel_.Count(2, 1);
  const auto before = kernel_.reads();
  EXPECT_EQ(Read(set), (std::vector<long long>{2, 2, 2}));
  EXPECT_EQ(kernel_.reads() - before, 2u);
}

// As an event of a CPU that goes offline: the other groups count on.
TEST_F(CounterSetOnFakeKernel, CountsOnInTheOtherGroupsWhenOneIsLost) {
  CountableEvent other;
  other.attr.type = 30;
  const std::uint32_t event = events_.Add(other);
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kInstructions, event}), options_));
  ASSERT_TRUE(set.Start());
  kernel_.Count(2, 1);
  EXPECT_EQ(Read(set), (std::vector<long long>{2, 2}));
  kernel_.event(set.fd(0)).never_scheduled = true;
  kernel_.Count(3, 0);
  kernel_.event(set.fd(0)).value = 2;
  kernel_.event(set.fd(1)).running_ns += 1;
  long long values[2] = {};
  EXPECT_EQ(set.Read(values).error().code, Errc::kLost);
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[1], 5);
  EXPECT_EQ(set.ReadAndReset(values).error().code, Errc::kLost);
  EXPECT_EQ(values[1], 5);
  kernel_.Count(4, 0);
  EXPECT_EQ(set.Stop().error().code, Errc::kLost);
  ASSERT_TRUE(set.Read(values)) << "the last values";
  EXPECT_EQ(values[1], 4);
}

TEST_F(CounterSetOnFakeKernel, CallsAnEventThatOnlyCompanyKeepsOutAConflict) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kInstructions}), options_));
  kernel_.RefuseOpens(EINVAL);  // in the group; alone it opens
  const auto refused = set.Configure(Requests({kInstructions, kCycles}), options_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kConflict);
  EXPECT_EQ(kernel_.open_descriptors(), 1u);
}

TEST_F(CounterSetOnFakeKernel, RefusesAnEventThatWouldStayAtZero) {
  CountableEvent silent;
  silent.attr.type = PERF_TYPE_RAW;
  silent.stays_at_zero = true;
  const std::uint32_t event = events_.Add(silent);
  PerfCounterSet set(kernel_, events_);
  EXPECT_EQ(set.Configure(Requests({kInstructions, event}), options_).error().code, Errc::kNoEvent);
  EXPECT_EQ(set.size(), 0u);
  EXPECT_EQ(kernel_.opens().size(), 1u) << "it is not even tried";
}

TEST_F(CounterSetOnFakeKernel, ScalesKernelMultiplexingByRunningTime) {
  options_.multiplex = Multiplex::kKernel;
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kInstructions, kCycles}), options_));
  EXPECT_EQ(kernel_.opens()[1].group_fd, -1);
  EXPECT_FALSE(kernel_.opens()[0].attr.pinned);
  ASSERT_TRUE(set.Start());
  kernel_.event(set.fd(0)).value = 1'000'000'000'000;
  kernel_.event(set.fd(0)).enabled_ns = 3'000'000'001;
  kernel_.event(set.fd(0)).running_ns = 1'000'000'000;
  const auto values = Read(set);
  EXPECT_EQ(values[0], 3'000'000'001'000);
  EXPECT_EQ(values[1], 0) << "never ran: nothing is known";
  kernel_.event(set.fd(0)).running_ns = 3'000'000'001;  // the estimate was too high
  EXPECT_EQ(Read(set)[0], 3'000'000'001'000) << "what was shown is not taken back";
  std::uint64_t enabled = 0, running = 0;
  set.Times(0, &enabled, &running);
  EXPECT_EQ(enabled, 3'000'000'001u);
  EXPECT_EQ(running, 3'000'000'001u);
}

TEST_F(CounterSetOnFakeKernel, TakesTurnsInSoftwareMultiplexing) {
  options_.multiplex = Multiplex::kSoftware;
  events_.SetCountersAtOnce(2);
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kInstructions, kCycles, kInstructions, kCycles}), options_));
  ASSERT_TRUE(set.Start());
  ASSERT_EQ(kernel_.timers().size(), 1u);
  kernel_.Count(10, 100);  // the first turn's
  EXPECT_EQ(Read(set), (std::vector<long long>{10, 10, 0, 0}));
  siginfo_t info = {};
  info.si_code = SI_TIMER;
  info.si_value.sival_ptr = kernel_.timers()[0].value;
  struct sigaction action = {};
  ASSERT_EQ(sigaction(kernel_.timers()[0].signal, nullptr, &action), 0);
  action.sa_sigaction(kernel_.timers()[0].signal, &info, nullptr);
  kernel_.Count(40, 300);
  EXPECT_EQ(Read(set), (std::vector<long long>{40, 40, 53, 53})) << "10 * 400/100, 40 * 400/300";
  ASSERT_TRUE(set.Stop());
  EXPECT_TRUE(kernel_.timers()[0].deleted);
  ASSERT_EQ(sigaction(kernel_.timers()[0].signal, nullptr, &action), 0);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

TEST_F(CounterSetOnFakeKernel, ReadsFailsAndKeepsWhatWasShown) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kFaults}), options_));
  ASSERT_TRUE(set.Start());
  kernel_.Count(5, 1);
  EXPECT_EQ(Read(set), std::vector<long long>{5});
  kernel_.RefuseReads(EBADF, 3);
  long long value = 0;
  EXPECT_FALSE(set.Read(&value));
  EXPECT_FALSE(set.ReadAndReset(&value));
  EXPECT_FALSE(set.Reset());
  kernel_.Count(5, 1);
  EXPECT_EQ(Read(set), std::vector<long long>{10}) << "nothing was lost by the failures";
}

TEST_F(CounterSetOnFakeKernel, StartThatFailsLeavesNothingOn) {
  options_.multiplex = Multiplex::kKernel;
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kFaults, kTaskClock}), options_));
  kernel_.AllowControl();
  kernel_.RefuseControls(EACCES);
  EXPECT_FALSE(set.Start());
  EXPECT_FALSE(set.running());
  for (const auto& [fd, event] : kernel_.events()) EXPECT_FALSE(event.on);
}

TEST_F(CounterSetOnFakeKernel, OpensAnewForTheThreadThatStarts) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kFaults, kTaskClock}), options_));
  const long long written[] = {10, 20};
  ASSERT_TRUE(set.Write(written));
  std::thread([&] { ASSERT_TRUE(set.Start()); }).join();
  EXPECT_EQ(kernel_.opens().size(), 4u);
  kernel_.Count(1, 1);
  EXPECT_EQ(Read(set), (std::vector<long long>{11, 21}));
}

TEST_F(CounterSetOnFakeKernel, LetsTheBitsOfTheNameWinOverTheDomain) {
  CountableEvent event;
  event.attr.exclude_user = 1;
  event.user_given = true;
  options_.domain = {.user = true, .kernel = true, .hypervisor = false};
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({events_.Add(event)}), options_));
  EXPECT_TRUE(kernel_.opens()[0].attr.exclude_user);
  EXPECT_FALSE(kernel_.opens()[0].attr.exclude_kernel);
  EXPECT_TRUE(kernel_.opens()[0].attr.exclude_hv);
}

TEST_F(CounterSetOnFakeKernel, CountsKernelOnlyEventsInTheKernelOrSaysWhyNot) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kSwitches}), options_));
  EXPECT_FALSE(kernel_.opens()[0].attr.exclude_kernel);
  kernel_.SetOpenRule(
      [](const perf_event_attr& attr) { return attr.exclude_kernel ? 0 : -EACCES; });
  PerfCounterSet refused(kernel_, events_);
  const auto answer = refused.Configure(Requests({kSwitches}), options_);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::kPermission);
  EXPECT_NE(std::string_view(answer.error().what).find("kernel"), std::string_view::npos);
}

TEST_F(CounterSetOnFakeKernel, FallsOffExecOnlyForTheCallersOwn) {
  const auto removed = [&](CountingTarget target) {
    options_.target = target;
    PerfCounterSet set(kernel_, events_);
    EXPECT_TRUE(set.Configure(Requests({kFaults}), options_));
    return static_cast<bool>(kernel_.opens().back().attr.remove_on_exec);
  };
  EXPECT_TRUE(removed({}));
  EXPECT_FALSE(removed({.inherit = true}));
  EXPECT_FALSE(removed({.kind = CountingTarget::Kind::kThread, .tid = 17}));
}

TEST_F(CounterSetOnFakeKernel, GoesDownTheLadderOfOldKernelsOnce) {
  kernel_.SetOpenRule(
      [](const perf_event_attr& attr) { return attr.remove_on_exec ? -EINVAL : 0; });
  PerfCounterSet first(kernel_, events_);
  ASSERT_TRUE(first.Configure(Requests({kFaults}), options_));
  EXPECT_EQ(kernel_.opens().size(), 2u);
  PerfCounterSet second(kernel_, events_);
  ASSERT_TRUE(second.Configure(Requests({kFaults}), options_));
  EXPECT_EQ(kernel_.opens().size(), 3u);
}

TEST_F(CounterSetOnFakeKernel, CountsSocketWideEventsOnEachPackage) {
  CountableEvent event;
  event.attr.type = 40;
  event.cpus = {0, 24};
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({events_.Add(event)}), options_));
  ASSERT_EQ(kernel_.opens().size(), 2u);
  EXPECT_EQ(kernel_.opens()[0].tid, -1);
  EXPECT_EQ(kernel_.opens()[0].cpu, 0);
  EXPECT_EQ(kernel_.opens()[1].cpu, 24);
  ASSERT_TRUE(set.Start());
  kernel_.Count(4, 1);
  EXPECT_EQ(Read(set), std::vector<long long>{8});
}

TEST_F(CounterSetOnFakeKernel, KeepsOneEventOfAKindOpenAndClosesTheRest) {
  for (int i = 0; i < 3; ++i) {
    PerfCounterSet set(kernel_, events_);
    ASSERT_TRUE(set.Configure(Requests({kFaults, kSwitches, kInstructions}), options_));
  }
  EXPECT_EQ(kernel_.open_descriptors(), 3u);
  for (const auto& [fd, event] : kernel_.events()) EXPECT_FALSE(event.on);
}

TEST_F(CounterSetOnFakeKernel, ClosesWhatItKeptWhenNobodyCountsAnyMore) {
  for (int i = 0; i < 2; ++i) {
    {
      PerfCounterSet set(kernel_, events_);
      ASSERT_TRUE(set.Configure(Requests({kFaults, kInstructions}), options_));
    }
    EXPECT_EQ(kernel_.open_descriptors(), 2u) << "kept again";
    events_.memory().CloseKept(kernel_);
    EXPECT_EQ(kernel_.open_descriptors(), 0u);
    events_.memory().CloseKept(kernel_);
  }
}

TEST_F(CounterSetOnFakeKernel, ForgetsEverythingAfterForkWithoutAnIoctl) {
  PerfCounterSet set(kernel_, events_);
  ASSERT_TRUE(set.Configure(Requests({kFaults, kTaskClock}), options_));
  ASSERT_TRUE(set.Start());
  const auto controls = kernel_.controls().size();
  set.ForgetAfterFork();
  EXPECT_EQ(kernel_.controls().size(), controls);
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  EXPECT_EQ(set.size(), 0u);
  EXPECT_FALSE(set.running());
  ASSERT_TRUE(set.Configure(Requests({kFaults}), options_));
  EXPECT_TRUE(set.Start());
}

TEST_F(CounterSetOnFakeKernel, RefusesWhatIsRunningOrImpossible) {
  PerfCounterSet set(kernel_, events_);
  EXPECT_EQ(set.Configure(Requests({99999}), options_).error().code, Errc::kNoEvent);
  EXPECT_EQ(set.Stop().error().code, Errc::kInvalid);
  ASSERT_TRUE(set.Configure(Requests({kFaults}), options_));
  ASSERT_TRUE(set.Start());
  EXPECT_EQ(set.Start().error().code, Errc::kInvalid);
  EXPECT_EQ(set.Configure(Requests({}), options_).error().code, Errc::kInvalid);
  EXPECT_EQ(set.size(), 1u);
}

}  // namespace
}  // namespace csink
