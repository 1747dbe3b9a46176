#include "core/counting/components/topdown/topdown_component.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tests/fakes/fake_kernel.h"
#include "tests/fakes/recorded_tree.h"

namespace csink {
namespace {

using testing::FakeKernel;
using testing::RecordedTree;
using Vendor = Processor::Vendor;

constexpr Processor kZen5{Vendor::kAmd, 0x1a, 0x24};
constexpr Processor kSapphireRapids{Vendor::kIntel, 6, 0x8f};
const std::string kCpu = "/sys/bus/event_source/devices/cpu/";

double AsDouble(long long value) {
  double number = 0;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

class TopdownComponentTest : public ::testing::Test {
 protected:
  TopdownComponentTest() { machine_.Add(kCpu + "type", "4\n"); }
  void AddMetrics() {
    const char* names[] = {"topdown-retiring",  "topdown-bad-spec",  "topdown-fe-bound",
                           "topdown-be-bound",  "topdown-heavy-ops", "topdown-br-mispredict",
                           "topdown-fetch-lat", "topdown-mem-bound"};
    machine_.Add(kCpu + "events/slots", "event=0x00,umask=0x4\n");
    for (int i = 0; i < 8; ++i) {
      machine_.Add(kCpu + "events/" + names[i], "event=0x00,umask=0x8" + std::to_string(i) + "\n");
    }
  }
  Component& Make(const Processor& processor) {
    component_ = MakeTopdownComponent(kernel_, processor, machine_.tree().PathOf(""));
    return *component_;
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    auto number = component_->Enumerate(EnumerateStep::kFirst, 0);
    for (; number; number = component_->Enumerate(EnumerateStep::kNext, *number)) {
      ComponentEvent event;
      EXPECT_TRUE(component_->Describe(*number, event));
      EXPECT_EQ(event.units, "%");
      EXPECT_EQ(event.value_type, ComponentEvent::Type::kFloating);
      names.push_back(event.name);
    }
    return names;
  }
  std::vector<CounterRequest> Requests(const std::vector<const char*>& names) {
    std::vector<CounterRequest> requests;
    for (const char* name : names) {
      EventComplaint complaint;
      const auto found = component_->Find(name, complaint);
      EXPECT_TRUE(found) << complaint.view();
      if (found) requests.push_back({*found, {}});
    }
    return requests;
  }
  /// What the open events count, by config.
  void SetCounts(const std::map<std::uint64_t, std::uint64_t>& counts) {
    for (const auto& [fd, event] : kernel_.events()) {
      const auto found = counts.find(event.attr.config);
      if (found != counts.end() && event.on) kernel_.event(fd).value = found->second;
    }
  }
  RecordedTree machine_;
  FakeKernel kernel_;
  std::unique_ptr<Component> component_;
};

TEST_F(TopdownComponentTest, HasPapisNamesOnSapphireRapids) {
  AddMetrics();
  Make(kSapphireRapids);
  EXPECT_FALSE(component_->Info().disabled) << component_->Info().disabled_reason;
  EXPECT_EQ(component_->Info().native_events, 12);
  EXPECT_EQ(Names(),
            (std::vector<std::string>{
                "topdown:::TOPDOWN_RETIRING_PERC", "topdown:::TOPDOWN_BAD_SPEC_PERC",
                "topdown:::TOPDOWN_FE_BOUND_PERC", "topdown:::TOPDOWN_BE_BOUND_PERC",
                "topdown:::TOPDOWN_HEAVY_OPS_PERC", "topdown:::TOPDOWN_BR_MISPREDICT_PERC",
                "topdown:::TOPDOWN_FETCH_LAT_PERC", "topdown:::TOPDOWN_MEM_BOUND_PERC",
                "topdown:::TOPDOWN_LIGHT_OPS_PERC", "topdown:::TOPDOWN_MACHINE_CLEARS_PERC",
                "topdown:::TOPDOWN_FETCH_BAND_PERC", "topdown:::TOPDOWN_CORE_BOUND_PERC"}));
  EXPECT_FALSE(component_->needs_prefix()) << "PAPI finds them without a component's name";
}

TEST_F(TopdownComponentTest, LeadsTheGroupOfMetricsByTheSlots) {
  AddMetrics();
  Make(kSapphireRapids);
  const auto set = component_->MakeCounterSet();
  const std::size_t before = kernel_.opens().size();
  ASSERT_TRUE(set->Configure(Requests({"TOPDOWN_BE_BOUND_PERC"}), {}));
  const auto& opens = kernel_.opens();
  ASSERT_EQ(opens.size() - before, 5u);
  EXPECT_EQ(opens[before].attr.config, 0x400u);
  EXPECT_EQ(opens[before].group_fd, -1);
  const auto leader = static_cast<int>(opens[before].answer);
  for (std::size_t i = before + 1; i < opens.size(); ++i) {
    EXPECT_EQ(opens[i].group_fd, leader);
    EXPECT_TRUE(opens[i].attr.read_format & PERF_FORMAT_GROUP) << "the kernel's rule for metrics";
    EXPECT_EQ(opens[i].attr.sample_period, 0u);
  }
}

TEST_F(TopdownComponentTest, GivesPercentsAsDoubles) {
  AddMetrics();
  Make(kSapphireRapids);
  const auto set = component_->MakeCounterSet();
  ASSERT_TRUE(set->Configure(Requests({"TOPDOWN_RETIRING_PERC", "topdown:::TOPDOWN_MEM_BOUND_PERC",
                                       "TOPDOWN_CORE_BOUND_PERC"}),
                             {}));
  ASSERT_TRUE(set->Start());
  long long values[3] = {-1, -1, -1};
  ASSERT_TRUE(set->Read(values));
  for (const long long value : values) EXPECT_EQ(AsDouble(value), 0) << "no slot yet";
  SetCounts({{0x400, 1000}, {0x8000, 250}, {0x8300, 600}, {0x8700, 450}});
  ASSERT_TRUE(set->Stop());
  ASSERT_TRUE(set->Read(values));
  EXPECT_NEAR(AsDouble(values[0]), 25, 1e-9);
  EXPECT_NEAR(AsDouble(values[1]), 45, 1e-9);
  EXPECT_NEAR(AsDouble(values[2]), 15, 1e-9);
}

TEST_F(TopdownComponentTest, CountsZensSixEventsAndItsContention) {
  Make(kZen5);
  EXPECT_EQ(component_->Info().native_events, 8);
  const auto set = component_->MakeCounterSet();
  const std::size_t before = kernel_.opens().size();
  ASSERT_TRUE(set->Configure(Requests({"TOPDOWN_BE_BOUND_PERC", "TOPDOWN_BAD_SPEC_PERC",
                                       "TOPDOWN_SMT_CONTENTION_PERC", "TOPDOWN_UNATTRIBUTED_PERC"}),
                             {}));
  EXPECT_EQ(kernel_.opens().size() - before, 6u) << "level 2 is not asked for";
  ASSERT_TRUE(set->Start());
  SetCounts({{0x76, 1'000'000},
             {0xc1, 800'000},
             {0x1'0000'1ea0, 6'000'000},
             {0x1'0000'01a0, 200'000},
             {0x7aa, 880'000},
             {0x1'0000'60a0, 720'000}});
  long long values[4] = {};
  ASSERT_TRUE(set->ReadAndReset(values));
  EXPECT_NEAR(AsDouble(values[0]), 75, 1e-9);
  EXPECT_NEAR(AsDouble(values[1]), 1, 1e-9);
  EXPECT_NEAR(AsDouble(values[2]), 9, 1e-9);
  EXPECT_NEAR(AsDouble(values[3]), 2.5, 1e-9);
  ASSERT_TRUE(set->Read(values));
  EXPECT_EQ(AsDouble(values[0]), 0) << "nothing since the reset";
}

TEST_F(TopdownComponentTest, MultiplexesWhereTheCountersAreTooFew) {
  kernel_.SetHardwareCounters(4);
  Make(kZen5);
  EXPECT_FALSE(component_->Info().disabled) << component_->Info().disabled_reason;
  const auto set = component_->MakeCounterSet();
  ASSERT_TRUE(set->Configure(Requests({"TOPDOWN_RETIRING_PERC"}), {}));
  ASSERT_TRUE(set->Start());
  // Retired operations were counted in half of the time.
  for (const auto& [fd, event] : kernel_.events()) {
    if (!event.on) continue;
    auto& counter = kernel_.event(fd);
    counter.enabled_ns += 1000;
    counter.running_ns += event.attr.config == 0xc1 ? 500 : 1000;
    counter.value += event.attr.config == 0x76 ? 1000 : event.attr.config == 0xc1 ? 800 : 0;
  }
  long long values[1] = {};
  ASSERT_TRUE(set->Read(values));
  EXPECT_NEAR(AsDouble(values[0]), 20, 0.1);
  std::uint64_t enabled = 0;
  std::uint64_t running = 0;
  set->Times(0, &enabled, &running);
  EXPECT_LT(running, enabled);
}

TEST_F(TopdownComponentTest, IsOffWithAReasonWithoutATable) {
  Make({Vendor::kAmd, 0x19, 0x21});
  EXPECT_TRUE(component_->Info().disabled);
  EXPECT_EQ(component_->Info().disabled_reason,
            "there is no top-down table for this processor (AMD family 19h, model 21h)");
  EventComplaint complaint;
  EXPECT_FALSE(component_->Find("TOPDOWN_RETIRING_PERC", complaint));
  EXPECT_NE(complaint.view().find("there is no top-down table"), std::string_view::npos);
  EXPECT_FALSE(component_->Enumerate(EnumerateStep::kFirst, 0));
  EXPECT_FALSE(component_->CanCount(1));
  EXPECT_EQ(kernel_.opens().size(), 0u);
}

TEST_F(TopdownComponentTest, IsOffWhereTheKernelRefuses) {
  kernel_.SetOpenRule([](const perf_event_attr&) { return -EACCES; });
  Make(kZen5);
  EXPECT_TRUE(component_->Info().disabled);
  EXPECT_NE(component_->Info().disabled_reason, "");
}

TEST_F(TopdownComponentTest, OpensNothingForEventsOfOthers) {
  Make(kZen5);
  EventComplaint complaint;
  EXPECT_FALSE(component_->Find("INSTRUCTION_RETIRED", complaint));
  EXPECT_EQ(kernel_.opens().size(), 0u);
  EXPECT_FALSE(component_->Find("TOPDOWN_RETIRED_PERC", complaint));
  EXPECT_NE(complaint.view().find("did you mean TOPDOWN_RETIRING_PERC"), std::string_view::npos)
      << complaint.view();
}

TEST_F(TopdownComponentTest, SharesCanNeitherOverflowNorBeWritten) {
  Make(kZen5);
  const auto set = component_->MakeCounterSet();
  auto requests = Requests({"TOPDOWN_RETIRING_PERC"});
  requests[0].sampling.delivery = SamplingRequest::Delivery::kRing;
  requests[0].sampling.period = 1000;
  EXPECT_EQ(set->Configure(requests, {}).error().code, Errc::kUnsupported);
  const long long value = 0;
  EXPECT_EQ(set->Write(&value).error().code, Errc::kUnsupported);
  EXPECT_EQ(set->Configure(std::vector<CounterRequest>{{99, {}}}, {}).error().code, Errc::kNoEvent);
}

}  // namespace
}  // namespace csink
