#include "core/sampling/ring_source.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <time.h>

#include <cstring>
#include <memory>

#include "tests/fakes/fake_kernel.h"
#include "tests/fakes/recording_sink.h"

namespace csink {
namespace {

using testing::FakeKernel;
using testing::RecordingSink;

EventSpec Event(std::uint64_t period, std::uint64_t frequency_hz = 0) {
  EventSpec spec;
  spec.kind = period > 500 ? EventClass::kClock : EventClass::kOther;
  spec.type = PERF_TYPE_SOFTWARE;
  spec.config = PERF_COUNT_SW_TASK_CLOCK;
  spec.period = period;
  spec.frequency_hz = frequency_hz;
  return spec;
}

class RingSourceTest : public ::testing::Test {
 protected:
  void Configure(std::initializer_list<EventSpec> specs) {
    EventList list;
    for (const EventSpec& spec : specs) list.events[list.count++] = spec;
    source_.Configure(list);
  }
  ThreadSlot& slot() { return *slot_; }

  FakeKernel kernel_;
  RingSource source_{kernel_};
  std::unique_ptr<ThreadSlot> slot_ = std::make_unique<ThreadSlot>();
};

using RingSourceArm = RingSourceTest;
using RingSourceDrain = RingSourceTest;

TEST_F(RingSourceArm, OpensOneRingAnEventAndKeepsNoDescriptor) {
  Configure({Event(1'000'003), Event(1), Event(0, 1000)});
  ASSERT_TRUE(source_.Arm(slot(), 77));
  EXPECT_EQ(slot().ring_count, 3);
  EXPECT_EQ(kernel_.mapped_rings(), 3u);
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  for (const auto& open : kernel_.opens()) EXPECT_EQ(open.tid, 77);
  source_.Disarm(slot());
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
  EXPECT_EQ(slot().ring_count, 0);
}

TEST_F(RingSourceArm, AsksForMappingRecordsInTheFirstRingOnly) {
  Configure({Event(1'000'003), Event(1)});
  ASSERT_TRUE(source_.Arm(slot(), 1));
  EXPECT_EQ(kernel_.opens()[0].attr.mmap2, 1u);
  EXPECT_EQ(kernel_.opens()[1].attr.mmap2, 0u);
  EXPECT_EQ(kernel_.opens()[1].attr.mmap, 0u);
  source_.Disarm(slot());
}

TEST_F(RingSourceArm, OpensTheFirstEventAnewWithoutMappingRecords) {
  Configure({Event(1'000'003), Event(1)});
  ASSERT_TRUE(source_.Arm(slot(), 5));
  EXPECT_TRUE(slot().records_mappings);
  ASSERT_TRUE(source_.StopRecordingMaps(slot(), 5));
  EXPECT_FALSE(slot().records_mappings);
  EXPECT_EQ(kernel_.opens().size(), 3u);
  EXPECT_EQ(kernel_.opens()[2].attr.mmap2, 0u);
  EXPECT_EQ(kernel_.opens()[2].attr.mmap, 0u);
  EXPECT_EQ(kernel_.opens()[2].tid, 5);
  EXPECT_EQ(kernel_.mapped_rings(), 2u) << "the old ring is given back, the second one stays";
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  source_.Disarm(slot());
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
}

TEST_F(RingSourceArm, KeepsTheRingWhenItCannotBeOpenedAnew) {
  Configure({Event(1'000'003)});
  ASSERT_TRUE(source_.Arm(slot(), 5));
  kernel_.RefuseOpens(EMFILE);
  EXPECT_FALSE(source_.StopRecordingMaps(slot(), 5));
  EXPECT_TRUE(slot().records_mappings);
  kernel_.RefuseMaps(EPERM, 20);
  EXPECT_FALSE(source_.StopRecordingMaps(slot(), 5));
  ASSERT_EQ(kernel_.mapped_rings(), 1u);
  kernel_.ring(0).Sample(0x10);
  RecordingSink sink;
  source_.Drain(slot(), sink);
  EXPECT_EQ(sink.samples.size(), 1u) << "the old ring goes on";
  source_.Disarm(slot());
}

TEST_F(RingSourceArm, TellsNoMappingsToThreadsThatComeLater) {
  Configure({Event(1'000'003)});
  source_.set_record_maps(false);
  ASSERT_TRUE(source_.Arm(slot(), 5));
  EXPECT_EQ(kernel_.opens()[0].attr.mmap2, 0u);
  EXPECT_FALSE(slot().records_mappings);
  source_.Disarm(slot());
}

TEST_F(RingSourceArm, ShrinksTheRingToOnePageWhenTheLockedMemoryIsSpent) {
  Configure({Event(1'000'003)});
  slot().is_main = true;
  kernel_.SetMlockLimit(2 * PageBytes());
  ASSERT_TRUE(source_.Arm(slot(), 1));
  EXPECT_EQ(slot().rings[0].data_bytes(), PageBytes());
  EXPECT_EQ(kernel_.opens().size(), 1u) << "one event, however many tries at its ring";
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  source_.Disarm(slot());
}

TEST_F(RingSourceArm, StopsShrinkingAtTheFirstRingThatFits) {
  Configure({Event(1'000'003)});
  slot().is_main = true;
  kernel_.SetMlockLimit(32 * 1024 + PageBytes());
  ASSERT_TRUE(source_.Arm(slot(), 1));
  EXPECT_EQ(slot().rings[0].data_bytes(), 32u * 1024);
  source_.Disarm(slot());
}

TEST_F(RingSourceArm, ClosesTheDescriptorWhenNotEvenAPageCanBeHad) {
  Configure({Event(1'000'003)});
  kernel_.SetMlockLimit(PageBytes());
  const Result<void> armed = source_.Arm(slot(), 1);
  ASSERT_FALSE(armed);
  EXPECT_EQ(armed.error().sys_errno, EPERM);
  EXPECT_EQ(armed.error().code, Errc::kLimit) << "the event itself was granted";
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  EXPECT_EQ(slot().ring_count, 0);
}

TEST_F(RingSourceArm, DoesNotShrinkOnOtherFailures) {
  Configure({Event(1'000'003)});
  slot().is_main = true;
  kernel_.RefuseMaps(EACCES);
  ASSERT_FALSE(source_.Arm(slot(), 1));
  EXPECT_EQ(kernel_.map_sizes().size(), 1u);
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
}

TEST_F(RingSourceArm, UnwindsEveryEventWhenALaterOneIsRefused) {
  Configure({Event(1'000'003), Event(1), Event(2)});
  kernel_.AllowOpen();
  kernel_.AllowOpen();
  kernel_.RefuseOpens(EMFILE);
  const Result<void> armed = source_.Arm(slot(), 1);
  ASSERT_FALSE(armed);
  EXPECT_EQ(armed.error().code, Errc::kLimit);
  EXPECT_EQ(source_.failed_event(), 2u);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  EXPECT_EQ(slot().ring_count, 0);
  for (const RingBuffer& ring : slot().rings) EXPECT_FALSE(ring.mapped());
}

TEST_F(RingSourceArm, GivesUpAtOnceWhereTheMachineHasNoFileLeft) {
  Configure({Event(1'000'003), Event(1)});
  kernel_.RefuseOpens(ENFILE, 50);
  const Result<void> armed = source_.Arm(slot(), 1);
  ASSERT_FALSE(armed);
  EXPECT_EQ(armed.error().code, Errc::kLimit);
  EXPECT_EQ(armed.error().sys_errno, ENFILE);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
}

TEST_F(RingSourceArm, UnwindsEveryEventWhenALaterRingIsRefused) {
  Configure({Event(1'000'003), Event(1)});
  kernel_.AllowMap();
  kernel_.RefuseMaps(EPERM, 10);
  ASSERT_FALSE(source_.Arm(slot(), 1));
  EXPECT_EQ(source_.failed_event(), 1u);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
}

TEST_F(RingSourceArm, CanArmTheSameSlotAfterAFailure) {
  Configure({Event(1'000'003)});
  kernel_.RefuseOpens(EBUSY);
  EXPECT_EQ(source_.Arm(slot(), 1).error().code, Errc::kConflict);
  ASSERT_TRUE(source_.Arm(slot(), 1));
  source_.Disarm(slot());
}

TEST(RingSourceRingBytes, GivesMainTheLargestRingAndCrowdsTheSmallest) {
  const std::size_t page = PageBytes();
  EXPECT_EQ(RingSource::RingBytes(true, 1), std::max<std::size_t>(64 * 1024, page));
  EXPECT_EQ(RingSource::RingBytes(true, 1000), std::max<std::size_t>(64 * 1024, page));
  EXPECT_EQ(RingSource::RingBytes(false, 2), std::max<std::size_t>(16 * 1024, page));
  EXPECT_EQ(RingSource::RingBytes(false, 64), std::max<std::size_t>(16 * 1024, page));
  EXPECT_EQ(RingSource::RingBytes(false, 65), std::max<std::size_t>(8 * 1024, page));
  EXPECT_EQ(RingSource::RingBytes(false, 256), std::max<std::size_t>(8 * 1024, page));
  EXPECT_EQ(RingSource::RingBytes(false, 257), page);
}

TEST_F(RingSourceArm, AsksForTimesOfAllEventsAndForSwitchesOfTheFirst) {
  Configure({Event(1'000'003), Event(1)});
  source_.set_timed(true);
  ASSERT_TRUE(source_.Arm(slot(), 1));
  for (std::size_t i = 0; i < 2; ++i) {
    const perf_event_attr& attr = kernel_.opens()[i].attr;
    EXPECT_EQ(attr.sample_type, PERF_SAMPLE_IP | PERF_SAMPLE_TIME);
    EXPECT_EQ(attr.sample_id_all, 1u);
    EXPECT_EQ(attr.use_clockid, 1u);
    EXPECT_EQ(attr.clockid, CLOCK_MONOTONIC);
    EXPECT_EQ(attr.context_switch, i == 0 ? 1u : 0u);
  }
  source_.Disarm(slot());
}

TEST_F(RingSourceArm, AsksForNoTimesByDefault) {
  Configure({Event(1'000'003)});
  ASSERT_TRUE(source_.Arm(slot(), 1));
  EXPECT_EQ(kernel_.opens()[0].attr.sample_type, PERF_SAMPLE_IP);
  EXPECT_EQ(kernel_.opens()[0].attr.context_switch, 0u);
  EXPECT_EQ(kernel_.opens()[0].attr.use_clockid, 0u);
  source_.Disarm(slot());
}

TEST_F(RingSourceDrain, PassesTimesSwitchesAndTheEndsOfLosses) {
  Configure({Event(1'000'003)});
  source_.set_timed(true);
  ASSERT_TRUE(source_.Arm(slot(), 1));
  testing::FakeRing& ring = kernel_.ring(0);
  ring.ContextSwitch(0, 100);
  ring.TimedSample(0x10, 150);
  ring.ContextSwitch(PERF_RECORD_MISC_SWITCH_OUT, 200);
  ring.ContextSwitch(PERF_RECORD_MISC_SWITCH_OUT | 1 << 14, 210);
  ring.TimedLost(9, 300);
  RecordingSink sink;
  source_.Drain(slot(), sink);
  EXPECT_EQ(sink.samples, (std::vector<RecordingSink::Sample>{{0, 0x10, 1'000'003}}));
  EXPECT_EQ(sink.times, std::vector<std::uint64_t>{150});
  EXPECT_EQ(sink.switches,
            (std::vector<RecordingSink::SwitchSeen>{
                {100, Switch::kIn}, {200, Switch::kOutBlocked}, {210, Switch::kOutPreempted}}));
  EXPECT_EQ(sink.lost, 9u);
  EXPECT_EQ(sink.lost_until, std::vector<std::uint64_t>{300});
  source_.Disarm(slot());
}

TEST_F(RingSourceDrain, ReadsThePeriodBehindTheTime) {
  Configure({Event(0, 1000)});
  source_.set_timed(true);
  ASSERT_TRUE(source_.Arm(slot(), 1));
  std::vector<unsigned char> body(24);
  const std::uint64_t words[] = {0x10, 150, 4711};
  std::memcpy(body.data(), words, sizeof words);
  kernel_.ring(0).Record(PERF_RECORD_SAMPLE, 0, body);
  RecordingSink sink;
  source_.Drain(slot(), sink);
  EXPECT_EQ(sink.samples, (std::vector<RecordingSink::Sample>{{0, 0x10, 4711}}));
  EXPECT_EQ(sink.times, std::vector<std::uint64_t>{150});
  source_.Disarm(slot());
}

TEST_F(RingSourceDrain, WeighsSamplesByThePeriodAskedFor) {
  Configure({Event(1'000'003), Event(500)});
  ASSERT_TRUE(source_.Arm(slot(), 1));
  kernel_.ring(0).Sample(0x10);
  kernel_.ring(1).Sample(0x20);
  RecordingSink sink;
  source_.Drain(slot(), sink);
  EXPECT_EQ(sink.samples,
            (std::vector<RecordingSink::Sample>{{0, 0x10, 1'000'003}, {1, 0x20, 500}}));
  source_.Disarm(slot());
}

TEST_F(RingSourceDrain, WeighsSamplesByThePeriodInTheRecordInFrequencyMode) {
  Configure({Event(0, 4000)});
  ASSERT_TRUE(source_.Arm(slot(), 1));
  kernel_.ring(0).Sample(0x10, 123);
  kernel_.ring(0).Sample(0x11, 456);
  RecordingSink sink;
  source_.Drain(slot(), sink);
  EXPECT_EQ(sink.samples, (std::vector<RecordingSink::Sample>{{0, 0x10, 123}, {0, 0x11, 456}}));
  source_.Disarm(slot());
}

TEST_F(RingSourceDrain, TellsSamplesFromWhateverElseIsInTheRing) {
  Configure({Event(1'000'003)});
  ASSERT_TRUE(source_.Arm(slot(), 1));
  testing::FakeRing& ring = kernel_.ring(0);
  ring.Mmap2({0x1000, 0x1000, 0, "/lib/a.so"});
  ring.Fork();
  ring.Sample(0x10);
  ring.Throttle();
  ring.Lost(17);
  ring.Mmap2({0x2000, 0x1000, 0, "/lib/b.so"}, "0123456789abcdefghij");
  ring.Mmap({0x3000, 0x1000, 0, "/lib/c.so"});
  RecordingSink sink;
  source_.Drain(slot(), sink);
  EXPECT_EQ(sink.samples.size(), 1u);
  EXPECT_EQ(sink.lost, 17u);
  EXPECT_EQ(sink.throttled, 1u);
  EXPECT_EQ(sink.mappings,
            (std::vector<std::uint32_t>{PERF_RECORD_MMAP2, PERF_RECORD_MMAP2, PERF_RECORD_MMAP}));
  source_.Disarm(slot());
}

TEST_F(RingSourceDrain, TakesNothingFromASlotWithoutRings) {
  Configure({Event(1'000'003)});
  RecordingSink sink;
  source_.Drain(slot(), sink);
  source_.Disarm(slot());
  EXPECT_TRUE(sink.samples.empty());
}

/// Events that need a counter, in frequency mode.
class RingSourceThrottled : public RingSourceTest {
 protected:
  void Begin(std::uint64_t frequency_hz, std::uint64_t period = 0) {
    EventSpec spec = Event(period, frequency_hz);
    spec.type = PERF_TYPE_HARDWARE;
    spec.config = PERF_COUNT_HW_CPU_CYCLES;
    spec.kind = EventClass::kCycles;
    Configure({spec});
    slot().tid.store(5);
    ASSERT_TRUE(source_.Arm(slot(), 5));
  }
  EventAccount::Totals Account() { return source_.AccountOf(slot(), 0, /*own=*/false); }
  void ThrottleTwice(std::size_t ring, std::uint64_t at_ns = 1'000'000) {
    for (int i = 0; i < 2; ++i, at_ns += 4'000'000) {
      kernel_.ring(ring).Throttle(at_ns);
      kernel_.ring(ring).Unthrottle(at_ns + 3'000'000);
    }
  }
  RecordingSink sink_;
};

TEST_F(RingSourceThrottled, CountsTheTimeOfThrottlesAndWhatNoSampleTells) {
  Begin(1000);
  kernel_.ring(0).Sample(0x10, 400);
  ThrottleTwice(0);
  kernel_.ring(0).Sample(0x10, 500);
  kernel_.ring(0).SetCount(1000);
  kernel_.ring(0).SetTimes(50'000'000, 40'000'000);
  source_.Drain(slot(), sink_);
  EXPECT_EQ(sink_.throttled, 2u);
  const EventAccount::Totals totals = Account();
  EXPECT_EQ(totals.throttled_ns, 6'000'000u);
  EXPECT_EQ(totals.unsampled, 100u);
  EXPECT_EQ(totals.enabled_ns, 50'000'000u);
  EXPECT_EQ(totals.running_ns, 40'000'000u);
  source_.Disarm(slot());
}

TEST_F(RingSourceThrottled, LowersTheRateWhenTheKernelHasLoweredItsLimit) {
  Begin(4000);
  kernel_.ring(0).Sample(0x10, 700);
  kernel_.ring(0).SetCount(900);
  kernel_.ring(0).SetTimes(20'000'000, 20'000'000);
  ThrottleTwice(0);
  kernel_.SetMaxSampleRate(1000);
  source_.DrainAndMakeSteady(slot(), sink_);
  ASSERT_EQ(kernel_.opens().size(), 2u);
  EXPECT_EQ(kernel_.opens()[1].attr.sample_freq, 500u);
  EXPECT_EQ(kernel_.opens()[1].tid, 5);
  EXPECT_EQ(kernel_.mapped_rings(), 1u) << "the old event is gone before the new one is there";
  EXPECT_EQ(source_.frequency_hz(0), 500u);
  const EventAccount::Totals totals = Account();
  EXPECT_EQ(totals.unsampled, 200u) << "of the old ring";
  EXPECT_EQ(totals.running_ns, 20'000'000u);
  source_.Disarm(slot());
  ASSERT_TRUE(source_.Arm(slot(), 5));
  EXPECT_EQ(kernel_.opens()[2].attr.sample_freq, 500u) << "threads that come later";
  source_.Disarm(slot());
}

TEST_F(RingSourceThrottled, KeepsARateThatFitsTheLimit) {
  Begin(1000);
  ThrottleTwice(0);  // the first periods of frequency mode are short
  source_.DrainAndMakeSteady(slot(), sink_);
  EXPECT_EQ(kernel_.opens().size(), 1u);
  source_.Disarm(slot());
}

TEST_F(RingSourceThrottled, KeepsAFixedPeriodAndTells) {
  Begin(0, 6500);
  EXPECT_EQ(kernel_.opens()[0].attr.sample_period, 6500u);
  ThrottleTwice(0);
  kernel_.SetMaxSampleRate(1000);
  source_.DrainAndMakeSteady(slot(), sink_);
  EXPECT_EQ(kernel_.opens().size(), 1u);
  EXPECT_EQ(Account().throttled_ns, 6'000'000u);
  source_.Disarm(slot());
}

TEST_F(RingSourceThrottled, IsOpenedAtALowerRateWhereTheKernelRefusesTheRate) {
  kernel_.SetMaxSampleRate(1500);
  Begin(4000);
  EXPECT_EQ(kernel_.opens().back().attr.sample_freq, 750u);
  EXPECT_EQ(kernel_.opens().back().attr.precise_ip, kernel_.opens().front().attr.precise_ip)
      << "the rate was refused, nothing else";
  source_.Disarm(slot());
}

TEST_F(RingSourceThrottled, TellsARefusalWhoseReasonIsNotTheRate) {
  kernel_.SetOpenRule([](const perf_event_attr&) { return -EINVAL; });
  EventSpec spec = Event(0, 1000);
  spec.type = PERF_TYPE_HARDWARE;
  Configure({spec});
  const Result<void> armed = source_.Arm(slot(), 5);
  ASSERT_FALSE(armed);
  EXPECT_EQ(armed.error().sys_errno, EINVAL);
}

TEST_F(RingSourceThrottled, GoesOnWithoutTheEventWhereItCannotBeOpenedAnew) {
  Begin(4000);
  ThrottleTwice(0);
  kernel_.SetMaxSampleRate(1000);
  kernel_.RefuseOpens(EBUSY);
  source_.DrainAndMakeSteady(slot(), sink_);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
  source_.DrainAndMakeSteady(slot(), sink_);
  source_.Disarm(slot());
}

TEST_F(RingSourceThrottled, HasNoRandomFirstPeriod) {
  source_.set_random_first(true);
  Begin(0, 1'000'003);
  EXPECT_EQ(kernel_.opens()[0].attr.sample_period, 1'000'003u);
  EXPECT_TRUE(slot().first[0].steady());
  source_.Disarm(slot());
}

TEST_F(RingSourceThrottled, KnowsAnEventThatHasNoCounter) {
  Begin(1000);
  EXPECT_TRUE(source_.HasCounted(slot())) << "the kernel has told nothing yet";
  kernel_.ring(0).SetTimes(90'000, 0);
  EXPECT_FALSE(source_.HasCounted(slot()));
  kernel_.ring(0).SetTimes(90'000, 1000);
  EXPECT_TRUE(source_.HasCounted(slot()));
  source_.Disarm(slot());
}

TEST_F(RingSourceThrottled, FillsItsRingAsFastAsItsRateSays) {
  constexpr std::uint64_t kMost = 10'000'000'000;
  Begin(1000);
  const std::uint64_t slow_ns = source_.HalfFullNs(false, kMost);
  source_.Disarm(slot());
  Begin(10'000);
  EXPECT_NEAR(static_cast<double>(source_.HalfFullNs(false, kMost)),
              static_cast<double>(slow_ns) / 10, static_cast<double>(slow_ns) / 100);
  source_.Disarm(slot());
  Begin(0, 100'000);
  EXPECT_LT(source_.HalfFullNs(false, kMost), slow_ns) << "100,000 cycles are 17 us at 6 GHz";
  source_.Disarm(slot());
}

class RingSourceFirst : public RingSourceTest {
 protected:
  void Begin(const EventSpec& spec) {
    source_.set_random_first(true);
    Configure({spec});
    slot().is_main = true;
    slot().tid.store(5);
    ASSERT_TRUE(source_.Arm(slot(), 5));
  }
  // The middle of what can be drawn, 0.57 periods: due for replacement after 2.7 of them.
  void DrawTheMiddle(std::uint64_t taking = 0) {
    slot().first[0].Draw(kPeriod, true, {std::uint64_t{1} << 63, taking}, true);
    ASSERT_NEAR(static_cast<double>(slot().first[0].period()), 0.571 * kPeriod, 0.001 * kPeriod);
  }
  void FireUntil(std::uint64_t end) {
    const std::uint64_t step = slot().first[0].period();
    for (std::uint64_t at = step; at < end; at += step) kernel_.ring(0).Sample(0x10, at);
  }
  static constexpr std::uint64_t kPeriod = 1'000'003;
  static constexpr std::uint64_t kGoldenSection = 0x9E3779B97F4A7C15;
  RecordingSink sink_;
};

TEST_F(RingSourceFirst, OpensWithARandomPartOfThePeriodAndTheCountInTheRecord) {
  Begin(Event(kPeriod));
  const perf_event_attr& attr = kernel_.opens()[0].attr;
  EXPECT_GT(attr.sample_period, kPeriod / 16);
  EXPECT_LE(attr.sample_period, kPeriod);
  EXPECT_EQ(attr.sample_type, static_cast<std::uint64_t>(PERF_SAMPLE_IP | PERF_SAMPLE_READ));
  source_.Disarm(slot());
}

TEST_F(RingSourceFirst, HasALargeRingAtOnceWhereRecordsAreLarge) {
  Begin(Event(kPeriod));
  EXPECT_EQ(slot().rings[0].data_bytes(), source_.RingBytes(false)) << "a few small records";
  source_.Disarm(slot());
  for (const std::uint32_t stack_bytes : {kShortStackBytes, kLongStackBytes}) {
    source_.set_stack_bytes(stack_bytes);
    Begin(Event(kPeriod));
    ASSERT_FALSE(slot().first[0].steady());
    EXPECT_EQ(slot().rings[0].data_bytes(), source_.RingBytes(true))
        << "the interval between drains is reckoned with this";
    source_.Disarm(slot());
    // The latest that a first event is replaced: its records until then fit.
    slot().first[0].Draw(kPeriod, true, {~std::uint64_t{0} / 100 * 93, 0}, true);
    const std::uint64_t records = source_.RingBytes(true) / source_.record_bytes();
    EXPECT_LT(slot().first[0].DueIn(kPeriod) / slot().first[0].period(), records);
  }
}

TEST_F(RingSourceFirst, CountsWholePeriodsWhateverTheFirstOne) {
  // One event has one or two periods more or fewer, by chance; all that can be drawn have as many
  // as passed.
  constexpr std::uint64_t kEvents = 256;
  std::size_t taken = 0;
  for (std::uint64_t i = 0; i < kEvents; ++i) {
    Begin(Event(kPeriod));
    sink_.samples.clear();
    const std::uint64_t step = ~std::uint64_t{0} / kEvents;
    slot().first[0].Draw(kPeriod, true, {i * step + step / 2, i * kGoldenSection}, true);
    for (std::uint64_t at = slot().first[0].period(); at < 5 * kPeriod;
         at += slot().first[0].period()) {
      kernel_.ring(kernel_.opens().size() - 1).Sample(0x10, at);
    }
    source_.Drain(slot(), sink_);
    EXPECT_NEAR(static_cast<double>(sink_.samples.size()), 5, 2.01) << "event " << i;
    for (const auto& sample : sink_.samples) EXPECT_EQ(sample.weight, kPeriod);
    taken += sink_.samples.size();
    source_.Disarm(slot());
  }
  EXPECT_NEAR(static_cast<double>(taken) / kEvents, 5, 0.1);
}

TEST_F(RingSourceFirst, IsReplacedByTheFullPeriodAndLosesNothingThatWaits) {
  Begin(Event(kPeriod));
  DrawTheMiddle();
  kernel_.ring(0).Sample(0x10, slot().first[0].period());
  source_.DrainAndMakeSteady(slot(), sink_);
  EXPECT_EQ(kernel_.opens().size(), 1u) << "replaced before its time";
  FireUntil(9 * kPeriod);
  kernel_.ring(0).Mmap2({0x1000, 0x1000, 0, "/lib/a.so"});
  source_.DrainAndMakeSteady(slot(), sink_);
  ASSERT_EQ(kernel_.opens().size(), 2u);
  EXPECT_EQ(kernel_.opens()[1].attr.sample_period, kPeriod);
  EXPECT_EQ(kernel_.opens()[1].attr.sample_type, static_cast<std::uint64_t>(PERF_SAMPLE_IP));
  EXPECT_EQ(kernel_.opens()[1].tid, 5);
  EXPECT_EQ(kernel_.mapped_rings(), 1u);
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  EXPECT_EQ(sink_.mappings.size(), 1u);
  const std::size_t taken = sink_.samples.size();
  kernel_.ring(1).Sample(0x20);
  kernel_.ring(1).Sample(0x21);
  source_.DrainAndMakeSteady(slot(), sink_);
  EXPECT_EQ(sink_.samples.size(), taken + 2);
  EXPECT_EQ(kernel_.opens().size(), 2u);
  source_.Disarm(slot());
}

TEST_F(RingSourceFirst, IsReplacedAtOnceBeforeNobodyMayOpenAnEvent) {
  // The second time the event has fired, too rarely to be worth a replacement otherwise.
  for (const bool fired : {false, true}) {
    SCOPED_TRACE(fired);
    Begin(Event(kPeriod));
    DrawTheMiddle();
    sink_.samples.clear();
    const std::size_t opens = kernel_.opens().size();
    if (fired) kernel_.ring(opens - 1).Sample(0x10, slot().first[0].period());
    source_.MakeSteadyNow(slot(), sink_);
    EXPECT_GE(sink_.samples.size(), fired ? 1u : 0u);
    ASSERT_EQ(kernel_.opens().size(), opens + 1);
    EXPECT_EQ(kernel_.opens().back().attr.sample_period, kPeriod);
    EXPECT_EQ(kernel_.mapped_rings(), 1u);
    EXPECT_TRUE(slot().first[0].steady());
    source_.MakeSteadyNow(slot(), sink_);
    EXPECT_EQ(kernel_.opens().size(), opens + 1) << "steady already";
    source_.Disarm(slot());
  }
}

TEST_F(RingSourceFirst, TheLastSampleMakesGoodTheHalfPeriodThatAReplacementCosts) {
  // Wherever the sum of chances begins: half of them have one more of the last.
  constexpr std::uint64_t kEvents = 64;
  std::size_t extra = 0;
  for (std::uint64_t i = 0; i < kEvents; ++i) {
    std::size_t taken[2] = {};
    for (const bool replace : {false, true}) {
      RecordingSink sink;
      Begin(Event(kPeriod));
      DrawTheMiddle((i << 58) + 1);
      const std::size_t ring = kernel_.opens().size() - 1;
      const std::uint64_t step = slot().first[0].period();
      for (std::uint64_t at = 1; at <= 16; ++at) kernel_.ring(ring).Sample(0x10 + at, at * step);
      replace ? source_.DrainAndMakeSteady(slot(), sink) : source_.Drain(slot(), sink);
      taken[replace] = sink.samples.size();
      if (replace) {
        EXPECT_TRUE(taken[1] == taken[0] || sink.samples.back().pc == 0x20u);
      }
      source_.Disarm(slot());
    }
    extra += taken[1] - taken[0];
  }
  EXPECT_NEAR(static_cast<double>(extra), kEvents / 2.0, 2);
}

TEST_F(RingSourceFirst, GoesOnAsItIsWhenTheReplacementIsRefused) {
  Begin(Event(kPeriod));
  DrawTheMiddle();
  FireUntil(9 * kPeriod);
  kernel_.RefuseOpens(EMFILE, 10);
  for (std::uint64_t i = 0; i < 5; ++i) {
    source_.DrainAndMakeSteady(slot(), sink_);
    kernel_.ring(0).Sample(0x10, (9 + i) * slot().first[0].period());
  }
  EXPECT_EQ(kernel_.opens().size(), 4u) << "three tries";
  EXPECT_EQ(kernel_.mapped_rings(), 1u);
  EXPECT_EQ(slot().ring_count, 1);
  source_.Disarm(slot());
}

TEST_F(RingSourceFirst, NobodyLooksAtARingOfAThreadThatUsedLessThanIt) {
  Begin(Event(kPeriod));
  DrawTheMiddle();
  slot().before_cpu_ns = 5000;
  const std::uint64_t first = slot().first[0].period();
  EXPECT_TRUE(source_.LeavesAlone(slot(), 5000 + first - 1));
  EXPECT_TRUE(slot().left_alone);
  EXPECT_EQ(source_.AccountOf(slot(), 0, false).enabled_ns, 0u);
  EXPECT_FALSE(source_.LeavesAlone(slot(), 5000 + first));
  EXPECT_FALSE(slot().left_alone);
  EXPECT_FALSE(source_.LeavesAlone(slot(), 0)) << "the clock could not be read";
  // A sample that was seen: the ring may have the next one.
  kernel_.ring(0).Sample(0x10, first);
  source_.Drain(slot(), sink_);
  EXPECT_FALSE(source_.LeavesAlone(slot(), 5000 + first - 1));
  source_.Disarm(slot());
}

TEST_F(RingSourceFirst, AllRingsAreLookedAtOnceMappingsMayGo) {
  Begin(Event(kPeriod));
  DrawTheMiddle();
  EXPECT_TRUE(source_.LeavesAlone(slot(), 1));
  EXPECT_TRUE(source_.LookAtAll()) << "its ring may have told of a mapping";
  EXPECT_FALSE(source_.LeavesAlone(slot(), 1));
  EXPECT_FALSE(source_.LookAtAll());
  source_.Disarm(slot());
}

TEST_F(RingSourceFirst, OnlyAClockAloneTellsThatThereIsNoSample) {
  source_.set_random_first(true);
  Configure({Event(kPeriod), Event(kPeriod)});
  ASSERT_TRUE(source_.Arm(slot(), 5));
  EXPECT_FALSE(source_.LeavesAlone(slot(), 1));
  source_.Disarm(slot());
  source_.set_random_first(false);
  Begin(Event(400));  // not a clock
  EXPECT_FALSE(source_.LeavesAlone(slot(), 1));
  source_.Disarm(slot());
}

TEST_F(RingSourceFirst, LeavesFrequencyModeAndCountsOfOneAlone) {
  Begin(Event(0, 4000));
  EXPECT_EQ(kernel_.opens()[0].attr.sample_freq, 4000u);
  source_.Disarm(slot());
  Configure({Event(1)});
  ASSERT_TRUE(source_.Arm(slot(), 5));
  EXPECT_EQ(kernel_.opens()[1].attr.sample_period, 1u);
  source_.Disarm(slot());
}

}  // namespace
}  // namespace csink
