#include "core/counting/components/sde/sde_component.h"

#include <gtest/gtest.h>

#include "tests/core/counting/components/sde/fake_sde.h"

namespace csink::sde {
namespace {

using testing::FakeSde;

struct SdeComponentTest : ::testing::Test {
  SdeComponentTest() { FakeSde::Clear(); }

  std::unique_ptr<CounterSet> SetOf(std::vector<std::uint32_t> events) {
    auto set = component->MakeCounterSet();
    std::vector<CounterRequest> requests;
    for (const std::uint32_t event : events) requests.push_back({event, {}});
    EXPECT_TRUE(set->Configure(requests, {}));
    return set;
  }

  std::unique_ptr<Component> component = MakeSdeComponent(FakeSde::Find);
  EventComplaint complaint;
};

TEST_F(SdeComponentTest, SaysWhatIsMissingUntilItIsThere) {
  FakeSde::present = false;
  EXPECT_TRUE(component->Info().disabled);
  EXPECT_NE(component->Info().disabled_reason.find("libsde1"), std::string::npos);
  EXPECT_EQ(component->Find("L::a", complaint).error().code, Errc::kNoEvent);
  EXPECT_NE(complaint.view().find("libsde1"), std::string_view::npos);
  EXPECT_FALSE(component->Enumerate(EnumerateStep::kFirst, 0));
  EXPECT_EQ(component->MakeCounterSet(), nullptr);
  FakeSde::present = true;
  FakeSde::Add({.name = "L::a"});
  EXPECT_FALSE(component->Info().disabled);
  EXPECT_EQ(component->Info().native_events, 1);
}

TEST_F(SdeComponentTest, ListsWhatIsRegisteredNow) {
  FakeSde::Add({.name = "L::a"});
  FakeSde::Add({.name = "L::b", .gone = true});
  FakeSde::Add({.name = "L::c"});
  const auto first = component->Enumerate(EnumerateStep::kFirst, 7);
  ASSERT_TRUE(first);
  const auto second = component->Enumerate(EnumerateStep::kNext, *first);
  ASSERT_TRUE(second);
  ComponentEvent event;
  ASSERT_TRUE(component->Describe(*second, event));
  EXPECT_EQ(event.name, "sde:::L::c");
  EXPECT_FALSE(component->Enumerate(EnumerateStep::kNext, *second));
  EXPECT_FALSE(component->Describe(2, event)) << "gone";
  EXPECT_FALSE(component->Describe(0, event));
  EXPECT_FALSE(component->Enumerate(EnumerateStep::kUnitMasks, *first));
}

TEST_F(SdeComponentTest, SaysHowAnEventIsWritten) {
  FakeSde::Add({.name = "Solver::iterations"});
  EXPECT_FALSE(component->Find("Solver:iterations", complaint));
  EXPECT_NE(complaint.view().find("sde:::LIBRARY::EVENT"), std::string_view::npos)
      << complaint.view();
  for (const char* name : {"", "::", "L::", "::a", "L"}) {
    EXPECT_EQ(component->Find(name, complaint).error().code, Errc::kNoEvent) << name;
  }
  EXPECT_TRUE(component->Find("sde:::Solver::iterations", complaint));
}

TEST_F(SdeComponentTest, CountsFromTheStart) {
  const auto a = FakeSde::Add({.name = "L::a", .value = 100});
  const auto set = SetOf({a});
  long long value = -1;
  ASSERT_TRUE(set->Read(&value));
  EXPECT_EQ(value, 0) << "not started";
  ASSERT_TRUE(set->Start());
  FakeSde::events[0].value += 5;
  ASSERT_TRUE(set->ReadAndReset(&value));
  EXPECT_EQ(value, 5);
  FakeSde::events[0].value += 2;
  ASSERT_TRUE(set->Stop());
  FakeSde::events[0].value += 50;
  ASSERT_TRUE(set->Read(&value));
  EXPECT_EQ(value, 2) << "what it was at the stop";
  ASSERT_TRUE(set->Reset());
  ASSERT_TRUE(set->Read(&value));
  EXPECT_EQ(value, 0);
  EXPECT_FALSE(set->Stop());
}

TEST_F(SdeComponentTest, AnEventThatGoesFailsItsReadsAndTheSetStops) {
  const auto set = SetOf({FakeSde::Add({.name = "L::a"})});
  ASSERT_TRUE(set->Start());
  FakeSde::events[0].gone = true;
  long long value = 0;
  EXPECT_EQ(set->Read(&value).error().code, Errc::kNoEvent);
  EXPECT_EQ(set->Reset().error().code, Errc::kNoEvent);
  EXPECT_EQ(set->Stop().error().code, Errc::kNoEvent);
  EXPECT_FALSE(set->running());
  EXPECT_EQ(set->Start().error().code, Errc::kNoEvent);
  const CounterRequest gone{1, {}};
  EXPECT_EQ(set->Configure({&gone, 1}, {}).error().code, Errc::kNoEvent);
  EXPECT_EQ(component->CanCount(1).error().code, Errc::kNoEvent);
}

TEST_F(SdeComponentTest, WritesVariablesWhileTheSetRuns) {
  FakeSde::Add({.name = "L::a"});
  FakeSde::Add({.name = "L::callback", .writable = false});
  const auto set = SetOf({1});
  const long long values[2] = {70, 80};
  EXPECT_EQ(set->Write(values).error().code, Errc::kInvalid);
  ASSERT_TRUE(set->Start());
  ASSERT_TRUE(set->Write(values));
  EXPECT_EQ(FakeSde::events[0].value, 70);
  const auto both = SetOf({1, 2});
  ASSERT_TRUE(both->Start());
  EXPECT_EQ(both->Write(values).error().code, Errc::kUnsupported);
}

TEST_F(SdeComponentTest, RefusesWhatBelongsToThreadsAndCounters) {
  const auto set = component->MakeCounterSet();
  const CounterRequest plain{FakeSde::Add({.name = "L::a"}), {}};
  CounterRequest sampled = plain;
  sampled.sampling.delivery = SamplingRequest::Delivery::kRing;
  EXPECT_EQ(set->Configure({&sampled, 1}, {}).error().code, Errc::kUnsupported);
  CountingOptions options;
  options.target.inherit = true;
  EXPECT_EQ(set->Configure({&plain, 1}, options).error().code, Errc::kUnsupported);
  options = {};
  options.target.kind = CountingTarget::Kind::kCpu;
  EXPECT_EQ(set->Configure({&plain, 1}, options).error().code, Errc::kUnsupported);
  options = {};
  options.multiplex = CountingOptions::Multiplex::kKernel;
  EXPECT_EQ(set->Configure({&plain, 1}, options).error().code, Errc::kUnsupported);
  ASSERT_TRUE(set->Configure({&plain, 1}, {}));
}

TEST_F(SdeComponentTest, KnowsWhoTellsOfAnOverflow) {
  FakeSde::Add({.name = "L::variable"});
  FakeSde::Add({.name = "L::created", .simple = 0, .overflow_answer = 0});
  FakeSde::Add({.name = "L::later", .simple = 0, .overflow_answer = 0, .set_before = true});
  FakeSde::Add({.name = "L::callback", .simple = 0});
  FakeSde::Add({.name = "L::recorder", .simple = 0, .overflow_answer = -1});
  OverflowArming arming;
  arming.threshold = 1ULL << 40;
  ASSERT_TRUE(component->SetUpReportedOverflow(1, arming));
  EXPECT_EQ(arming.reporter, OverflowReporter::kPolled);
  FakeSde::events[0].value = 12;
  EXPECT_EQ(arming.value(arming.formula, nullptr), 0) << "libsde itself, which has no such event";
  ASSERT_TRUE(component->SetUpReportedOverflow(2, arming));
  EXPECT_EQ(arming.reporter, OverflowReporter::kLibrary);
  EXPECT_EQ(arming.reported_number, 1u);
  EXPECT_EQ(FakeSde::events[1].threshold, INT32_MAX);
  ASSERT_TRUE(component->SetUpReportedOverflow(3, arming));
  EXPECT_EQ(arming.reporter, OverflowReporter::kUndecided);
  EXPECT_EQ(component->SetUpReportedOverflow(4, arming).error().code, Errc::kUnsupported);
  EXPECT_EQ(component->SetUpReportedOverflow(5, arming).error().code, Errc::kUnsupported);
  EXPECT_EQ(component->SetUpReportedOverflow(6, arming).error().code, Errc::kNoEvent);
  EXPECT_EQ(component->SetUpReportedOverflow(0, arming).error().code, Errc::kNoEvent);
}

TEST_F(SdeComponentTest, AForkedChildsSetsAreEmptyAndStopped) {
  const auto set = SetOf({FakeSde::Add({.name = "L::a"})});
  ASSERT_TRUE(set->Start());
  component->ForgetAfterFork();
  set->ForgetAfterFork();
  EXPECT_FALSE(set->running());
  EXPECT_EQ(set->size(), 0u);
}

}  // namespace
}  // namespace csink::sde
