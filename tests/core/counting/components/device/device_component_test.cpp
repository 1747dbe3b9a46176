#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/counting/components/device/device_source.h"
#include "core/machine/clocks.h"
#include "tests/fakes/captured_stderr.h"
#include "tests/fakes/fake_device_source.h"

namespace csink {
namespace {

using testing::DeviceScript;
using testing::FakeDeviceSource;
using ::testing::HasSubstr;

std::atomic<std::uint64_t> g_now_ns{1'000};
std::uint64_t FakeNow() noexcept { return g_now_ns.load(); }

class Device : public ::testing::Test {
 protected:
  Device() {
    energy_ = script_.Add({.name = "ENERGY",
                           .description = "What was used.",
                           .units = "nJ",
                           .accumulates = true,
                           .aliases = {"ENERGY_OLD"}},
                          5'000);
    heat_ = script_.Add({.name = "HEAT", .description = "How hot it is.", .units = "°C"}, 40);
    work_ = script_.Add(
        {.name = "WORK", .value_type = ComponentEvent::Type::kFloating, .accumulates = true},
        std::bit_cast<std::uint64_t>(10.5));
    busy_ = script_.Add({.name = "busy", .accumulates = true, .hidden = true}, 100);
    all_ = script_.Add({.name = "all", .accumulates = true, .hidden = true}, 400);
    DeviceEvent load = {.name = "LOAD", .value_type = ComponentEvent::Type::kFloating};
    load.rate = {100.0, {busy_ - 1}, {all_ - 1}};
    load_ = script_.Add(std::move(load));
    component_ = MakeDeviceComponent({"dev", "A device"},
                                     std::make_unique<FakeDeviceSource>(script_), FakeNow);
  }

  std::unique_ptr<CounterSet> SetOf(std::initializer_list<std::uint32_t> events) {
    std::unique_ptr<CounterSet> set = component_->MakeCounterSet();
    std::vector<CounterRequest> requests;
    for (const std::uint32_t event : events) requests.push_back({event, {}});
    EXPECT_TRUE(set->Configure(requests, {}));
    return set;
  }

  DeviceScript script_;
  std::uint32_t energy_, heat_, work_, busy_, all_, load_;
  std::unique_ptr<Component> component_;
  EventComplaint complaint_;
};

long long One(CounterSet& set) {
  long long value = -1;
  EXPECT_TRUE(set.Read(&value));
  return value;
}
double Floating(long long bits) { return std::bit_cast<double>(bits); }

TEST_F(Device, IsOpenedWhenSomebodyAsks) {
  EXPECT_EQ(component_->name(), "dev");
  EXPECT_EQ(script_.opened, 0);
  const ComponentInfo& info = component_->Info();
  EXPECT_EQ(script_.opened, 1);
  EXPECT_FALSE(info.disabled);
  EXPECT_EQ(info.native_events, 4);
  EXPECT_EQ(info.counters, 4);
  EXPECT_EQ(info.support_version, "9.9");
  ASSERT_TRUE(component_->Find("HEAT", complaint_));
  EXPECT_EQ(script_.opened, 1);
}

TEST_F(Device, SaysWhyItIsOff) {
  script_.refusal = "no such card; install one";
  const ComponentInfo& info = component_->Info();
  EXPECT_TRUE(info.disabled);
  EXPECT_EQ(info.disabled_reason, "no such card; install one");
  EXPECT_FALSE(component_->Find("HEAT", complaint_));
  EXPECT_THAT(complaint_.c_str(), HasSubstr("no such card"));
  EXPECT_FALSE(component_->Enumerate(EnumerateStep::kFirst, 0));
  EXPECT_EQ(script_.opened, 1);
}

TEST_F(Device, SaysWhatIsMissingBesideWhatThereIs) {
  script_.missing = "no energy here";
  EXPECT_FALSE(component_->Info().disabled);
  EXPECT_EQ(component_->Info().hardware_reason, "no energy here");
  EXPECT_FALSE(component_->Find("POWER", complaint_));
  EXPECT_THAT(complaint_.c_str(), HasSubstr("no energy here"));
}

TEST_F(Device, FindsByNameAliasAndPrefix) {
  EXPECT_EQ(*component_->Find("ENERGY", complaint_), energy_);
  EXPECT_EQ(*component_->Find("ENERGY_OLD", complaint_), energy_);
  EXPECT_EQ(*component_->Find("dev:::HEAT", complaint_), heat_);
  EXPECT_FALSE(component_->Find("busy", complaint_));
  const auto missed = component_->Find("ENERGI", complaint_);
  ASSERT_FALSE(missed);
  EXPECT_EQ(missed.error().code, Errc::kNoEvent);
  EXPECT_STREQ(complaint_.c_str(), "dev has no event ENERGI; did you mean ENERGY?");
}

TEST_F(Device, ListsAndDescribesWhatIsNotHidden) {
  std::vector<std::string> names;
  auto next = component_->Enumerate(EnumerateStep::kFirst, 77);
  for (; next; next = component_->Enumerate(EnumerateStep::kNext, *next)) {
    ComponentEvent event;
    ASSERT_TRUE(component_->Describe(*next, event));
    names.push_back(event.name + " " + event.units);
  }
  EXPECT_THAT(names, ::testing::ElementsAre("dev:::ENERGY nJ", "dev:::HEAT °C", "dev:::WORK ",
                                            "dev:::LOAD "));
  ComponentEvent event;
  EXPECT_FALSE(component_->Describe(busy_, event));
  EXPECT_FALSE(component_->Describe(0, event));
  EXPECT_FALSE(component_->Describe(99, event));
  EXPECT_FALSE(component_->Enumerate(EnumerateStep::kUnitMasks, energy_));
}

TEST_F(Device, ShowsGrowthSinceStartAndWhatIsNow) {
  const auto set = SetOf({energy_, heat_, work_});
  ASSERT_TRUE(set->Start());
  EXPECT_FALSE(set->Start());
  script_.Set(energy_, 5'700);
  script_.Set(heat_, 55);
  script_.Set(work_, std::bit_cast<std::uint64_t>(12.0));
  long long values[3];
  ASSERT_TRUE(set->Read(values));
  EXPECT_EQ(values[0], 700);
  EXPECT_EQ(values[1], 55);
  EXPECT_DOUBLE_EQ(Floating(values[2]), 1.5);

  ASSERT_TRUE(set->Reset());
  script_.Set(energy_, 5'800);
  ASSERT_TRUE(set->Stop());
  EXPECT_FALSE(set->Stop());
  script_.Set(energy_, 9'999);
  ASSERT_TRUE(set->Read(values));
  EXPECT_EQ(values[0], 100) << "the last count stays readable";
  EXPECT_EQ(values[1], 55);
  EXPECT_DOUBLE_EQ(Floating(values[2]), 0);

  ASSERT_TRUE(set->Start());
  script_.Set(energy_, 10'001);
  ASSERT_TRUE(set->Read(values));
  EXPECT_EQ(values[0], 2);
}

TEST_F(Device, ReadAndResetLosesNothing) {
  const auto set = SetOf({energy_});
  ASSERT_TRUE(set->Start());
  long long value = 0, sum = 0;
  for (std::uint64_t now : {5'100, 5'350, 6'000}) {
    script_.Set(energy_, now);
    ASSERT_TRUE(set->ReadAndReset(&value));
    sum += value;
  }
  EXPECT_EQ(sum, 1'000);
  EXPECT_EQ(One(*set), 0);
}

TEST_F(Device, WriteGoesOnFromThere) {
  const auto set = SetOf({energy_, heat_});
  const long long written[2] = {40, 7};
  ASSERT_TRUE(set->Write(written));
  ASSERT_TRUE(set->Start());
  script_.Set(energy_, 5'001);
  long long values[2];
  ASSERT_TRUE(set->Read(values));
  EXPECT_EQ(values[0], 41);
  EXPECT_EQ(values[1], 40) << "a reading cannot be written";
  const long long again[2] = {1'000, 0};
  ASSERT_TRUE(set->Write(again));
  script_.Set(energy_, 5'003);
  ASSERT_TRUE(set->Read(values));
  EXPECT_EQ(values[0], 1'002);
}

TEST_F(Device, RatesAreThoseBetweenTwoReadsOfTheirOwnSet) {
  const auto set = SetOf({load_});
  const auto other = SetOf({load_});
  ASSERT_TRUE(set->Start());
  EXPECT_DOUBLE_EQ(Floating(One(*set)), 25) << "at first since the device's counters began";
  ASSERT_TRUE(other->Start());
  script_.Set(busy_, 150);
  script_.Set(all_, 500);
  EXPECT_DOUBLE_EQ(Floating(One(*other)), 50);
  script_.Set(busy_, 160);
  script_.Set(all_, 600);
  EXPECT_DOUBLE_EQ(Floating(One(*other)), 10);
  EXPECT_DOUBLE_EQ(Floating(One(*set)), 30) << "another set's reads are not its own";
  EXPECT_DOUBLE_EQ(Floating(One(*set)), 30) << "as it was while nothing grows";
}

TEST_F(Device, RefusesWhatDevicesCannotDo) {
  const auto set = component_->MakeCounterSet();
  CounterRequest request{energy_, {}};
  CountingOptions options;
  options.target.kind = CountingTarget::Kind::kThread;
  options.target.tid = 1;
  EXPECT_EQ(set->Configure({&request, 1}, options).error().code, Errc::kUnsupported);
  options = {};
  options.multiplex = CountingOptions::Multiplex::kKernel;
  EXPECT_EQ(set->Configure({&request, 1}, options).error().code, Errc::kUnsupported);
  request.sampling.delivery = SamplingRequest::Delivery::kRing;
  EXPECT_EQ(set->Configure({&request, 1}, {}).error().code, Errc::kUnsupported);
  for (const std::uint32_t event : {0u, busy_, 99u}) {
    request = {event, {}};
    EXPECT_EQ(set->Configure({&request, 1}, {}).error().code, Errc::kNoEvent);
  }
  EXPECT_EQ(component_->CanCount(99).error().code, Errc::kNoEvent);
  EXPECT_TRUE(component_->CanCount(energy_));
}

TEST_F(Device, AFailedReadIsAnErrorAndTheNextOneGoesOn) {
  const auto set = SetOf({energy_});
  ASSERT_TRUE(set->Start());
  script_.fails = true;
  long long value = 77;
  EXPECT_EQ(set->Read(&value).error().code, Errc::kSystem);
  EXPECT_EQ(value, 77);
  script_.fails = false;
  script_.Set(energy_, 5'009);
  EXPECT_EQ(One(*set), 9);
  script_.fails = true;
  EXPECT_FALSE(set->Stop());
  EXPECT_FALSE(set->running());
  EXPECT_EQ(One(*set), 9);
  EXPECT_FALSE(set->Start());
  EXPECT_FALSE(set->running());
}

TEST_F(Device, ReadEachGivesTheValuesOfTheDevicesThatAnswer) {
  const auto set = SetOf({energy_, heat_});
  ASSERT_TRUE(set->Start());
  script_.lost = {energy_};
  script_.Set(heat_, 41);
  long long values[] = {77, 77};
  Error errors[2];
  EXPECT_EQ(set->Read(values).error().code, Errc::kSystem) << "Read is all or nothing";
  EXPECT_EQ(values[1], 77);
  ASSERT_TRUE(set->ReadEach(values, errors));
  EXPECT_EQ(errors[0].sys_errno, 19);
  EXPECT_EQ(errors[1].code, Errc::kOk);
  EXPECT_EQ(values[1], 41);
  script_.lost.clear();
  script_.Set(energy_, 5'009);
  ASSERT_TRUE(set->ReadEach(values, errors));
  EXPECT_EQ(errors[0].code, Errc::kOk);
  EXPECT_EQ(values[0], 9) << "the growth since the start, as if all reads had succeeded";
  script_.fails = true;
  EXPECT_EQ(set->ReadEach(values, errors).error().code, Errc::kSystem);
}

TEST_F(Device, ARateHasTheErrorOfItsInputs) {
  const auto set = SetOf({load_, heat_});
  ASSERT_TRUE(set->Start());
  script_.lost = {all_};
  long long values[2];
  Error errors[2];
  ASSERT_TRUE(set->ReadEach(values, errors));
  EXPECT_EQ(errors[0].sys_errno, 19);
  EXPECT_EQ(errors[1].code, Errc::kOk);
}

TEST_F(Device, ASetThatIsForgottenAfterAForkCanBeMadeAnew) {
  const auto set = SetOf({energy_});
  ASSERT_TRUE(set->Start());
  component_->ForgetAfterFork();
  set->ForgetAfterFork();
  EXPECT_EQ(script_.forks, 1);
  EXPECT_FALSE(set->running());
  EXPECT_EQ(set->size(), 0u);
  const CounterRequest request{heat_, {}};
  ASSERT_TRUE(set->Configure({&request, 1}, {}));
  ASSERT_TRUE(set->Start());
  EXPECT_EQ(One(*set), 40);
}

TEST_F(Device, TwoThreadsMayReadAtOnce) {
  const auto set = SetOf({energy_, heat_});
  ASSERT_TRUE(set->Start());
  std::atomic<int> wrong{0};
  const auto read = [&] {
    for (int i = 0; i < 2'000; ++i) {
      long long values[2] = {};
      if (!set->Read(values) || values[0] < 0 || values[1] != 40) ++wrong;
    }
  };
  std::thread one(read), two(read);
  for (std::uint64_t i = 0; i < 1'000; ++i) script_.Set(energy_, 5'000 + i);
  one.join();
  two.join();
  EXPECT_EQ(wrong, 0);
}

// --- counters that wrap

TEST_F(Device, AGapThatIsTooLongIsSaidAndFailsOneReadOfTheSetsThatMissedIt) {
  script_.events[energy_ - 1].longest_gap_ns = 60'000'000'000;
  const auto set = SetOf({energy_});
  const auto heat = SetOf({heat_});
  ASSERT_TRUE(set->Start());
  ASSERT_TRUE(heat->Start());
  script_.Set(energy_, 5'800);
  // The keeper waits for half a minute of real time: only the clock that is looked at has jumped.
  g_now_ns += 150'000'000'000;
  testing::CapturedStderr captured;
  long long value = 0;
  EXPECT_EQ(set->Read(&value).error().code, Errc::kLost);
  EXPECT_EQ(value, 800) << "the lower bound is there";
  EXPECT_THAT(captured.text(),
              HasSubstr("dev was not read for 150.0 s, and its counters may wrap every 60.0 s at "
                        "full power: up to 2 wraps"));
  EXPECT_EQ(One(*set), 800);
  EXPECT_EQ(One(*heat), 40);

  g_now_ns += 70'000'000'000;
  testing::CapturedStderr again;
  EXPECT_EQ(set->Stop().error().code, Errc::kLost);
  EXPECT_EQ(again.text(), "") << "said once";
  ASSERT_TRUE(set->Start()) << "what nobody counted is not lost";
  EXPECT_EQ(One(*set), 0);
}

TEST_F(Device, ACounterThatBeganAnewIsToldToEachSetThatCountsIt) {
  script_.events[energy_ - 1].most_per_second = 1'000;
  const auto set = SetOf({energy_, heat_});
  const auto other = SetOf({heat_, energy_});
  ASSERT_TRUE(set->Start());
  ASSERT_TRUE(other->Start());
  script_.Set(energy_, 5'100);
  script_.anew = {energy_};
  g_now_ns += 2'000'000'000;
  long long values[2];
  Error errors[2];
  EXPECT_TRUE(set->ReadEach(values, errors));
  EXPECT_EQ(errors[0].code, Errc::kLost);
  EXPECT_EQ(errors[1].code, Errc::kOk);
  EXPECT_EQ(values[0], 100) << "what is known";
  double lacks[2];
  set->Lacks(lacks);
  EXPECT_EQ(lacks[0], 2'000) << "what can have been used in the 2 s";
  EXPECT_EQ(lacks[1], 0);
  EXPECT_TRUE(set->ReadEach(values, errors));
  EXPECT_EQ(errors[0].code, Errc::kOk);
  // The other set has not read it itself. A read as a whole says it once, and has the values.
  EXPECT_EQ(other->Read(values).error().code, Errc::kLost);
  EXPECT_EQ(values[1], 100);
  EXPECT_TRUE(other->Read(values));
  ASSERT_TRUE(set->Stop());
  set->Lacks(lacks);
  EXPECT_EQ(lacks[0], 2'000);
  ASSERT_TRUE(set->Start());
  set->Lacks(lacks);
  EXPECT_EQ(lacks[0], 0);
}

TEST_F(Device, AGapBoundsWhatIsLost) {
  script_.events[energy_ - 1].longest_gap_ns = 60'000'000'000;
  script_.events[energy_ - 1].most_per_second = 10;
  const auto set = SetOf({energy_});
  ASSERT_TRUE(set->Start());
  g_now_ns += 150'000'000'000;
  testing::CapturedStderr captured;
  long long value = 0;
  EXPECT_EQ(set->Read(&value).error().code, Errc::kLost);
  double lacks = 0;
  set->Lacks(&lacks);
  EXPECT_EQ(lacks, 1'200) << "two wraps of 600";
}

TEST_F(Device, AFirstReadingThatCannotBeDoesNotKeepASetFromStarting) {
  const auto set = SetOf({energy_});
  script_.impossible = {energy_};
  ASSERT_TRUE(set->Start());
  long long value = 0;
  EXPECT_EQ(set->Read(&value).error().code, Errc::kCorrupt);
  script_.impossible.clear();
  EXPECT_EQ(set->Read(&value).error().code, Errc::kLost) << "what was used since the start";
  EXPECT_EQ(value, 0);
  script_.Set(energy_, 5'040);
  EXPECT_EQ(One(*set), 40);
}

std::unique_ptr<Component> WithRealClock(DeviceScript& script) {
  return MakeDeviceComponent({"dev", "A device"}, std::make_unique<FakeDeviceSource>(script),
                             MonotonicNs);
}

TEST_F(Device, ARunningSetIsKeptReadUntilItStops) {
  script_.events[energy_ - 1].longest_gap_ns = 40'000'000;
  component_ = WithRealClock(script_);
  const auto set = SetOf({energy_, heat_});
  ASSERT_TRUE(set->Start());
  script_.WaitForReads(5);
  ASSERT_TRUE(set->Stop());
  const int reads = script_.Reads();
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  EXPECT_EQ(script_.Reads(), reads) << "it ends with the last set";
  ASSERT_TRUE(set->Start());
  script_.WaitForReads(reads + 4);
  ASSERT_TRUE(set->Stop());
}

TEST_F(Device, WithoutCountersThatWrapNobodyReadsButTheProgram) {
  component_ = WithRealClock(script_);
  const auto set = SetOf({energy_});
  ASSERT_TRUE(set->Start());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(script_.Reads(), 1);
}

// --- devices that do not answer

TEST_F(Device, AStuckReadHoldsNeitherStopNorTheEndOfTheSet) {
  auto set = SetOf({energy_});
  ASSERT_TRUE(set->Start());
  script_.SetStuck(true);
  long long stuck_value = 0;
  std::thread stuck([&] { (void)set->Read(&stuck_value); });
  script_.WaitForReads(2);
  const auto before = std::chrono::steady_clock::now();
  const Result<void> stopped = set->Stop();
  EXPECT_EQ(stopped.error().sys_errno, ETIMEDOUT);
  EXPECT_FALSE(set->running());
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(2));
  script_.SetStuck(false);
  stuck.join();
  ASSERT_TRUE(set->Start()) << "its events are still the same";
  script_.Set(energy_, 5'030);
  EXPECT_EQ(One(*set), 30);
}

}  // namespace
}  // namespace csink
