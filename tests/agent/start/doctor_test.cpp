#include <errno.h>
#include <gtest/gtest.h>

#include <string>

#include "agent/start/doctor_events.h"
#include "agent/start/doctor_limit.h"
#include "agent/start/doctor_print.h"
#include "agent/start/doctor_trial.h"
#include "core/util/errno_words.h"
#include "tests/fakes/captured_stderr.h"
#include "tests/fakes/fake_kernel.h"

namespace csink::agent {
namespace {

using csink::testing::FakeKernel;

FakeKernel* g_kernel = nullptr;
std::string g_printed;

void Keep(std::string_view text) { g_printed += text; }
bool Printed(const std::string& text) { return g_printed.find(text) != std::string::npos; }

EventSpec Hardware(std::uint64_t frequency_hz = 0) {
  EventSpec spec;
  spec.type = PERF_TYPE_HARDWARE;
  spec.period = frequency_hz == 0 ? 1000 : 0;
  spec.frequency_hz = frequency_hz;
  return spec;
}

class Doctor : public ::testing::Test {
 protected:
  void SetUp() override {
    g_kernel = &kernel_;
    g_printed.clear();
    machine_.has_cycles = true;
    machine_.limit = {100'000, 25};
  }
  void TearDown() override { EXPECT_EQ(kernel_.open_descriptors(), 0u); }
  std::string Why(const EventSpec& spec, int error) {
    return WhyNotSampled(kernel_, spec, error, machine_).c_str();
  }
  /// Only events for which `refuses` is false can be sampled.
  void Refuse(int error, std::function<bool(const perf_event_attr&)> refuses) {
    kernel_.SetOpenRule([=](const perf_event_attr& attr) { return refuses(attr) ? -error : 0; });
  }

  FakeKernel kernel_;
  TrialMachine machine_;
};

using DoctorCounting = Doctor;
using DoctorRefusal = Doctor;
using DoctorNames = Doctor;

TEST(DoctorOutput, IsOneLineOfJsonForPrograms) {
  csink::testing::CapturedStderr captured;
  DoctorOutput out(true);
  out.Begin();
  out.Row("kernel", "a \"b\" \\ c\001");
  out.Row("source", "timer", "one way\nanother");
  out.SetSource(false, true);
  out.AddAskedEvent("cycles", false);
  out.AddAskedEvent("faults", true);
  out.SetAsked(true, "cycles (not available here)");
  out.End("CSINK_A CSINK_B");
  const auto lines = captured.lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(
      lines[0].substr(lines[0].find(",\"rows\"")),
      R"(,"rows":[{"name":"kernel","text":"a \"b\" \\ c?","advice":[]},)"
      R"({"name":"source","text":"timer","advice":["one way","another"]}],)"
      R"("perf_event_open":false,"source":"timer","asked":{"understood":true,)"
      R"j("text":"cycles (not available here)","events":[{"name":"cycles","available":false},)j"
      R"({"name":"faults","available":true}]},"variables":["CSINK_A","CSINK_B"]})");
}

TEST(DoctorOutput, IsRowsForPeople) {
  csink::testing::CapturedStderr captured;
  DoctorOutput out(false);
  out.Row("source", "timer", "one way\nanother");
  out.Row("", "more");
  out.End("A B C D E");
  const std::string blanks(24, ' ');
  const std::vector<std::string> wanted = {"  source" + std::string(18, ' ') + "timer",
                                           "  " + blanks + "-> one way",
                                           "  " + blanks + "-> another",
                                           "  " + blanks + "more",
                                           "  variables" + std::string(15, ' ') + "A B C D",
                                           "  " + blanks + "E"};
  EXPECT_EQ(captured.lines(), wanted);
}

TEST_F(DoctorCounting, SaysThatAnEventCountsWhenItsCountMoved) {
  EXPECT_EQ(TryCounting(kernel_, Hardware(), [] { g_kernel->Count(100, 1000); }), Counting::kMoved);
}

TEST_F(DoctorCounting, SeesThatAnotherProgramHoldsTheCounters) {
  EXPECT_EQ(TryCounting(kernel_, Hardware(),
                        [] {
                          g_kernel->event(g_kernel->events().begin()->first).never_scheduled = true;
                          g_kernel->Count(100, 1000);
                        }),
            Counting::kHeld);
}

TEST_F(DoctorCounting, SeesACounterThatStandsStill) {
  EXPECT_EQ(TryCounting(kernel_, Hardware(), [] { g_kernel->Count(0, 1000); }), Counting::kStill);
}

TEST_F(DoctorCounting, IsToldOfRefusals) {
  kernel_.RefuseOpens(ENOENT);
  EXPECT_EQ(TryCounting(kernel_, Hardware(), [] {}), Counting::kRefused);
  kernel_.RefuseControls(EPERM);
  EXPECT_EQ(TryCounting(kernel_, Hardware(), [] {}), Counting::kRefused);
  kernel_.RefuseReads(EIO);
  EXPECT_EQ(TryCounting(kernel_, Hardware(), [] {}), Counting::kRefused);
}

TEST_F(DoctorRefusal, OfAPmuThatOnlyCountsSaysSo) {
  Refuse(EOPNOTSUPP, [](const perf_event_attr& attr) { return attr.sample_period != 0; });
  EXPECT_EQ(TrySampling(kernel_, Hardware(), machine_.limit), EOPNOTSUPP);
  EXPECT_EQ(Why(Hardware(), EOPNOTSUPP), "the event's PMU can count, but not sample");
}

TEST_F(DoctorRefusal, OfAPmuOfTheWholeMachineSaysSo) {
  kernel_.RefuseOpens(EINVAL);
  EXPECT_EQ(Why(Hardware(), EINVAL),
            "the event's PMU counts for the whole machine only, not for a thread");
  EXPECT_EQ(kernel_.opens().back().cpu, 0);
}

TEST_F(DoctorRefusal, OfAnUnknownEventBlamesThePmuOrTheKernel) {
  Refuse(ENOENT, [](const perf_event_attr&) { return true; });
  EXPECT_EQ(Why(Hardware(), ENOENT), "not an event of this machine's PMU");
  EventSpec software = Hardware();
  software.type = PERF_TYPE_SOFTWARE;
  EXPECT_EQ(Why(software, ENOENT), "not an event of this kernel");
  machine_.has_cycles = false;
  machine_.facts.is_virtual = true;
  EXPECT_EQ(Why(Hardware(), ENOENT), "this virtual machine has no PMU");
}

TEST_F(DoctorRefusal, OfOneEventOfARunIsToldInALine) {
  Refuse(EOPNOTSUPP, [](const perf_event_attr& attr) { return attr.sample_period != 0; });
  const Error refused{Errc::kUnsupported, EOPNOTSUPP, "perf_event_open failed"};
  EXPECT_EQ(WhyLeftOut(kernel_, Hardware(), refused).view(),
            "the event's PMU can count, but not sample");
  const Error limit{Errc::kLimit, EMFILE,
                    "the process's limit of open files is reached (ulimit -n)"};
  EXPECT_EQ(WhyLeftOut(kernel_, Hardware(), limit).view(), limit.what);
}

TEST_F(DoctorRefusal, OfKernelModeNamesTheSetting) {
  machine_.facts.paranoid = 2;
  EventSpec spec = Hardware();
  spec.exclude_kernel = false;
  EXPECT_NE(Why(spec, EACCES).find("kernel.perf_event_paranoid"), std::string::npos);
}

TEST_F(DoctorRefusal, OfARateIsTakenOutOfTheTrial) {
  machine_.limit.max_hz = 6'000;
  Refuse(EINVAL, [](const perf_event_attr& a) { return a.freq && a.sample_freq > 6'000; });
  EXPECT_EQ(TrySampling(kernel_, Hardware(8'000), machine_.limit), 0);
  EXPECT_EQ(kernel_.opens().back().attr.sample_freq, 3'000u);
  EXPECT_EQ(TrySampling(kernel_, Hardware(5'000), machine_.limit), 0);
  EXPECT_EQ(kernel_.opens().back().attr.sample_freq, 5'000u);
}

TEST_F(DoctorNames, AreThoseThatCanBeSampledAndTheOthersAreCounted) {
  Refuse(EOPNOTSUPP, [](const perf_event_attr& attr) {
    return attr.type == PERF_TYPE_HARDWARE && attr.config == PERF_COUNT_HW_BUS_CYCLES &&
           attr.sample_period != 0;
  });
  SampledNames names(kernel_, machine_, Keep);
  names.Add({{}, "cycles", "processor cycles", false});
  names.Add({{}, "bus-cycles", "bus cycles", false});
  names.Finish();
  EXPECT_EQ(g_printed.find("  cycles "), 0u) << g_printed;
  EXPECT_FALSE(Printed("  bus-cycles")) << g_printed;
  EXPECT_TRUE(Printed("not listed, because they cannot be sampled on this machine: 1 of 2 names\n"))
      << g_printed;
  EXPECT_TRUE(Printed("     1  the event's PMU can count, but not sample\n")) << g_printed;
}

TEST_F(DoctorNames, TellOfNothingLeftOutWhereAllWork) {
  SampledNames names(kernel_, machine_, Keep);
  names.Add({{}, "task-clock", "CPU time", false});
  names.Finish();
  EXPECT_EQ(g_printed, "  task-clock" + std::string(30, ' ') + "CPU time\n");
}

TEST_F(DoctorNames, ThatNeedAUnitMaskStandAboveTheFirstThatWorks) {
  // Names that nobody knows stand for events without a default mask.
  SampledNames names(kernel_, machine_, Keep);
  names.Add({{}, "no-such-event", "", false});
  names.Add({{}, "task-clock", "", true});
  names.Add({{}, "page-faults", "", true});
  names.Add({{}, "no-such-event-either", "", false});
  names.Finish();
  EXPECT_EQ(g_printed.find("  no-such-event\n    task-clock\n    page-faults\n"), 0u) << g_printed;
  EXPECT_TRUE(Printed("1 of 4 names")) << g_printed;
  EXPECT_FALSE(Printed("  no-such-event-either")) << g_printed;
}

TEST_F(DoctorNames, HaveAtMostSixReasons) {
  SampledNames names(kernel_, machine_, Keep);
  const int errors[] = {EMFILE, EBUSY, ENOMEM, EFAULT, ESRCH, E2BIG, EOVERFLOW, EINTR};
  for (const int error : errors) {
    kernel_.SetOpenRule([=](const perf_event_attr&) { return -error; });
    names.Add({{}, "task-clock", "", false});
  }
  names.Finish();
  EXPECT_TRUE(Printed("8 of 8 names")) << g_printed;
  EXPECT_TRUE(Printed("     3  for other reasons\n")) << g_printed;
}

TEST(DoctorLimit, IsWhatTheKernelSeamSays) {
  FakeKernel kernel;
  kernel.SetMaxSampleRate(6'000);
  EXPECT_EQ(ReadRateLimit(kernel).max_hz, 6'000u);
  kernel.SetMaxSampleRate(-EACCES);
  EXPECT_EQ(ReadRateLimit(kernel).max_hz, 0u);
}

TEST(DoctorLimit, SaysHowToRaiseWhatTheKernelLowered) {
  const LimitText text = ExplainRateLimit({6'000, 25});
  EXPECT_EQ(text.value.view(),
            "6,000 samples a second for one event; the kernel lowers this limit when interrupts "
            "take too long");
  const std::string advice = text.advice.c_str();
  EXPECT_NE(advice.find("25 % of CPU time (perf_cpu_time_max_percent)"), std::string::npos)
      << advice;
  EXPECT_NE(advice.find("sudo sysctl kernel.perf_event_max_sample_rate=100000"), std::string::npos);
}

TEST(DoctorLimit, OfANewMachineNeedsNoAdvice) {
  EXPECT_EQ(ExplainRateLimit({100'000, 25}).advice.size(), 0u);
}

TEST(DoctorLimit, ThatIsNotWatchedCannotBeSetAtOnce) {
  for (const std::uint64_t percent : {0, 100}) {
    const LimitText text = ExplainRateLimit({7'500, percent});
    EXPECT_NE(text.value.view().find("does not lower this limit"), std::string_view::npos);
    const std::string advice = text.advice.c_str();
    EXPECT_LT(advice.find("perf_cpu_time_max_percent=25"),
              advice.find("perf_event_max_sample_rate=100000"));
  }
  EXPECT_EQ(ExplainRateLimit({0, 25}).value.view(), "cannot be read");
}

TEST(GroupedNumber, HasACommaEveryThreeDigits) {
  EXPECT_STREQ(GroupedNumber(0).c_str(), "0");
  EXPECT_STREQ(GroupedNumber(999).c_str(), "999");
  EXPECT_STREQ(GroupedNumber(2'000'003).c_str(), "2,000,003");
}

TEST(ErrnoWords, NeverHoldANumber) {
  for (int error = 0; error < 200; ++error) {
    const std::string_view words = ErrnoWords(error);
    EXPECT_FALSE(words.empty());
    EXPECT_EQ(words.find_first_of("0123456789"), std::string_view::npos) << words;
  }
}

}  // namespace
}  // namespace csink::agent
