#include "core/sampling/sampling_attr.h"

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string.h>

#include "core/sampling/precision.h"
#include "tests/fakes/fake_kernel.h"

namespace csink {
namespace {

using testing::FakeKernel;

EventSpec TaskClock() {
  EventSpec spec;
  spec.kind = EventClass::kClock;
  spec.type = PERF_TYPE_SOFTWARE;
  spec.config = PERF_COUNT_SW_TASK_CLOCK;
  spec.period = kDefaultClockPeriodNs;
  return spec;
}

EventSpec Cycles() {
  EventSpec spec;
  spec.kind = EventClass::kCycles;
  spec.type = PERF_TYPE_HARDWARE;
  spec.config = PERF_COUNT_HW_CPU_CYCLES;
  spec.period = 2'000'003;
  spec.precise_given = true;  // the default differs between processors
  spec.precise = 3;
  return spec;
}

perf_event_attr AttrWithMappings(const EventSpec& spec) {
  SamplingOptions options;
  options.record_mappings = true;
  return MakeSamplingAttr(spec, options);
}

TEST(MakeSamplingAttr, RecordsThePcAloneWithAFixedPeriod) {
  const perf_event_attr attr = MakeSamplingAttr(TaskClock(), {});
  EXPECT_EQ(attr.sample_type, PERF_SAMPLE_IP);
  EXPECT_EQ(attr.freq, 0u);
  EXPECT_EQ(attr.sample_period, kDefaultClockPeriodNs);
  EXPECT_EQ(attr.size, sizeof attr);
  EXPECT_EQ(attr.mmap, 0u);
  EXPECT_EQ(attr.disabled, 0u);
}

TEST(MakeSamplingAttr, RecordsThePeriodBesideThePcInFrequencyMode) {
  EventSpec spec = Cycles();
  spec.period = 0;
  spec.frequency_hz = 4000;
  const perf_event_attr attr = MakeSamplingAttr(spec, {});
  EXPECT_EQ(attr.freq, 1u);
  EXPECT_EQ(attr.sample_freq, 4000u);
  EXPECT_EQ(attr.sample_type, PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD);
}

TEST(MakeSamplingAttr, StaysInUserSpaceAndEndsAtExec) {
  const perf_event_attr attr = MakeSamplingAttr(TaskClock(), {});
  EXPECT_EQ(attr.exclude_kernel, 1u);
  EXPECT_EQ(attr.exclude_hv, 1u);
  EXPECT_EQ(attr.remove_on_exec, 1u);
  EXPECT_EQ(attr.inherit, 0u);
}

TEST(MakeSamplingAttr, WakesAtHalfTheRingWhateverItsSize) {
  const perf_event_attr attr = MakeSamplingAttr(TaskClock(), {});
  EXPECT_EQ(attr.watermark, 1u);
  EXPECT_EQ(attr.wakeup_watermark, 0u);
}

TEST(MakeSamplingAttr, AsksHardwareForTheBestPrecisionAndSoftwareForNone) {
  EventSpec cycles = Cycles();
  cycles.precise_given = false;
#if defined(__x86_64__)
  EXPECT_EQ(MakeSamplingAttr(cycles, {}).precise_ip, 3u);
#else
  EXPECT_EQ(MakeSamplingAttr(cycles, {}).precise_ip, 0u);  // arm_pmu would take it and not keep it
#endif
  EXPECT_EQ(MakeSamplingAttr(TaskClock(), {}).precise_ip, 0u);
  EventSpec asked = Cycles();
  asked.precise = 1;
  EXPECT_EQ(MakeSamplingAttr(asked, {}).precise_ip, 1u);
}

TEST(AttributeLadder, OpensAtOnceOnANewKernel) {
  FakeKernel kernel;
  AttributeLadder ladder;
  perf_event_attr attr = AttrWithMappings(TaskClock());
  const Result<int> fd = ladder.Open(kernel, attr, 42);
  ASSERT_TRUE(fd);
  ASSERT_EQ(kernel.opens().size(), 1u);
  EXPECT_EQ(kernel.opens()[0].tid, 42);
  EXPECT_EQ(attr.remove_on_exec, 1u);
  EXPECT_EQ(attr.build_id, 1u);
}

// RHEL 8: reserved bits of the attribute are EINVAL.
long Linux418(const perf_event_attr& attr) {
  return attr.remove_on_exec || attr.build_id ? -EINVAL : 0;
}

TEST(AttributeLadder, KeepsMmap2OnLinux418) {
  FakeKernel kernel;
  kernel.SetOpenRule(Linux418);
  AttributeLadder ladder;
  perf_event_attr attr = AttrWithMappings(TaskClock());
  ASSERT_TRUE(ladder.Open(kernel, attr, 0));
  EXPECT_EQ(attr.remove_on_exec, 0u);
  EXPECT_EQ(attr.build_id, 0u);
  EXPECT_EQ(attr.mmap2, 1u);
  EXPECT_EQ(attr.mmap, 1u);
}

TEST(AttributeLadder, KeepsThePrecisionOnLinux418WithAPreciseCounter) {
  FakeKernel kernel;
  kernel.SetOpenRule([](const perf_event_attr& attr) -> long {
    if (attr.precise_ip > 2) return -EOPNOTSUPP;
    return Linux418(attr);
  });
  AttributeLadder ladder;
  perf_event_attr attr = AttrWithMappings(Cycles());
  ASSERT_TRUE(ladder.Open(kernel, attr, 0));
  EXPECT_EQ(attr.precise_ip, 2u);
  EXPECT_EQ(ladder.precise_obtained(), 2u);
  // Why it is not what was asked for; a later open does not forget it.
  EXPECT_EQ(ladder.precise_asked(), 3u);
  EXPECT_EQ(ladder.precise_refusal(), EOPNOTSUPP);
  attr = AttrWithMappings(Cycles());
  ASSERT_TRUE(ladder.Open(kernel, attr, 0));
  EXPECT_EQ(ladder.precise_asked(), 3u);
  EXPECT_EQ(ladder.precise_refusal(), EOPNOTSUPP);
}

TEST(AttributeLadder, HasNoRefusalWhereTheFirstPrecisionIsGranted) {
  FakeKernel kernel;
  AttributeLadder ladder;
  perf_event_attr attr = AttrWithMappings(Cycles());
  ASSERT_TRUE(ladder.Open(kernel, attr, 0));
  EXPECT_EQ(ladder.precise_obtained(), 3u);
  EXPECT_EQ(ladder.precise_asked(), 3u);
  EXPECT_EQ(ladder.precise_refusal(), 0);
}

TEST(Precision, IsNamedByThePmuOrTheProcessorsMaker) {
  EventSpec spec = Cycles();
  EXPECT_EQ(NameOf(PrecisionOf(spec, 0)), "");
#if defined(__x86_64__)
  const auto maker = PrecisionOf(spec, 2);
  EXPECT_TRUE(maker == Precision::kPebs || maker == Precision::kIbs ||
              maker == Precision::kNothing);
#endif
  strcpy(spec.name, "ibs_op");
  EXPECT_EQ(NameOf(PrecisionOf(spec, 0)), "IBS");
  strcpy(spec.name, "amd64_fam19h_zen3::ibs_op:cnt");
  EXPECT_EQ(NameOf(PrecisionOf(spec, 0)), "IBS");
  strcpy(spec.name, "arm_spe_0");
  EXPECT_EQ(NameOf(PrecisionOf(spec, 0)), "SPE");
  EXPECT_EQ(NameOf(Precision::kPebs), "PEBS");
}

TEST(AttributeLadder, FallsBackToPlainMappingRecordsBeforeMmap2) {
  FakeKernel kernel;
  kernel.SetOpenRule(
      [](const perf_event_attr& attr) -> long { return attr.mmap2 ? -EINVAL : Linux418(attr); });
  AttributeLadder ladder;
  perf_event_attr attr = AttrWithMappings(TaskClock());
  ASSERT_TRUE(ladder.Open(kernel, attr, 0));
  EXPECT_EQ(attr.mmap2, 0u);
  EXPECT_EQ(attr.mmap, 1u);
}

TEST(AttributeLadder, TakesTooBigForTooNew) {
  FakeKernel kernel;
  kernel.SetOpenRule(
      [](const perf_event_attr& attr) -> long { return attr.remove_on_exec ? -E2BIG : 0; });
  AttributeLadder ladder;
  perf_event_attr attr = AttrWithMappings(TaskClock());
  ASSERT_TRUE(ladder.Open(kernel, attr, 0));
  EXPECT_EQ(attr.build_id, 1u);
}

class PrecisionRefused : public ::testing::TestWithParam<int> {};

TEST_P(PrecisionRefused, StepsDownToWhatThePmuHas) {
  FakeKernel kernel;
  const int error = GetParam();
  kernel.SetOpenRule(
      [error](const perf_event_attr& attr) -> long { return attr.precise_ip > 0 ? -error : 0; });
  AttributeLadder ladder;
  perf_event_attr attr = AttrWithMappings(Cycles());
  ASSERT_TRUE(ladder.Open(kernel, attr, 0));
  EXPECT_EQ(kernel.opens().size(), 4u);
  EXPECT_EQ(ladder.precise_obtained(), 0u);
  EXPECT_EQ(attr.remove_on_exec, 1u) << "a PMU without precision is not an old kernel";
}
INSTANTIATE_TEST_SUITE_P(EveryAnswerThatPmusGive, PrecisionRefused,
                         ::testing::Values(EINVAL, EOPNOTSUPP, ENOENT));

TEST(AttributeLadder, RemembersWhatWorkedForTheNextThread) {
  FakeKernel kernel;
  kernel.SetOpenRule([](const perf_event_attr& attr) -> long {
    if (attr.precise_ip > 1) return -EINVAL;
    return Linux418(attr);
  });
  AttributeLadder ladder;
  perf_event_attr first = AttrWithMappings(Cycles());
  ASSERT_TRUE(ladder.Open(kernel, first, 0));
  const std::size_t before = kernel.opens().size();
  perf_event_attr second = AttrWithMappings(Cycles());
  ASSERT_TRUE(ladder.Open(kernel, second, 43));
  EXPECT_EQ(kernel.opens().size(), before + 1);
  EXPECT_EQ(second.precise_ip, 1u);
}

TEST(AttributeLadder, ForgetsWhatItGaveUpForAnEventThatFailed) {
  FakeKernel kernel;
  kernel.RefuseOpens(EINVAL, 50);
  AttributeLadder ladder;
  perf_event_attr impossible = AttrWithMappings(Cycles());
  EXPECT_EQ(ladder.Open(kernel, impossible, 0).error().code, Errc::kInvalid);

  FakeKernel willing;
  perf_event_attr next = AttrWithMappings(TaskClock());
  ASSERT_TRUE(ladder.Open(willing, next, 0));
  EXPECT_EQ(next.mmap2, 1u) << "its place in the list went to another event";
  EXPECT_EQ(next.remove_on_exec, 1u);
}

struct Refusal {
  int error;
  Errc code;
};

class Refused : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refused, IsToldAtOnceAndAsItIs) {
  FakeKernel kernel;
  kernel.RefuseOpens(GetParam().error, 50);
  AttributeLadder ladder;
  perf_event_attr attr = AttrWithMappings(TaskClock());
  const Result<int> fd = ladder.Open(kernel, attr, 0);
  ASSERT_FALSE(fd);
  EXPECT_EQ(fd.error().code, GetParam().code);
  EXPECT_EQ(fd.error().sys_errno, GetParam().error);
  EXPECT_STRNE(fd.error().what, "");
  EXPECT_EQ(kernel.opens().size(), 1u);
}
TEST(AttributeLadder, NamesTheSettingWhereFilesRanOut) {
  for (const auto& [error, setting] : {std::pair{EMFILE, "ulimit -n"}, {ENFILE, "fs.file-max"}}) {
    FakeKernel kernel;
    kernel.RefuseOpens(error, 50);
    AttributeLadder ladder;
    perf_event_attr attr = AttrWithMappings(TaskClock());
    EXPECT_THAT(ladder.Open(kernel, attr, 0).error().what, ::testing::HasSubstr(setting));
  }
}

INSTANTIATE_TEST_SUITE_P(
    ByErrno, Refused,
    ::testing::Values(Refusal{EACCES, Errc::kPermission}, Refusal{EPERM, Errc::kPermission},
                      Refusal{ENOENT, Errc::kNoEvent}, Refusal{ENODEV, Errc::kNoEvent},
                      Refusal{EMFILE, Errc::kLimit}, Refusal{ENFILE, Errc::kLimit},
                      Refusal{EBUSY, Errc::kConflict}, Refusal{ENOSYS, Errc::kUnsupported},
                      Refusal{EOPNOTSUPP, Errc::kUnsupported}, Refusal{ESRCH, Errc::kSystem}),
    [](const auto& refusal) { return "errno" + std::to_string(refusal.param.error); });

TEST(AttributeLadder, DoesNotMistakeARefusalForAnOldKernelHalfWay) {
  FakeKernel kernel;
  kernel.RefuseOpens(EINVAL);
  kernel.RefuseOpens(EACCES);
  AttributeLadder ladder;
  perf_event_attr attr = AttrWithMappings(TaskClock());
  EXPECT_EQ(ladder.Open(kernel, attr, 0).error().code, Errc::kPermission);
  EXPECT_EQ(kernel.opens().size(), 2u);
}

TEST(AttributeLadder, EndsWhenEverythingWasGivenUpInVain) {
  FakeKernel kernel;
  kernel.SetOpenRule([](const perf_event_attr&) -> long { return -EINVAL; });
  AttributeLadder ladder;
  perf_event_attr attr = AttrWithMappings(Cycles());
  EXPECT_EQ(ladder.Open(kernel, attr, 0).error().code, Errc::kInvalid);
  EXPECT_LE(kernel.opens().size(), 16u);
}

}  // namespace
}  // namespace csink
