#include "core/topdown/topdown_model.h"

#include <gtest/gtest.h>

#include <string>

#include "core/counting/system/cpu_info.h"
#include "tests/core/machine/recorded_machines.h"

namespace csink {
namespace {

using testing::RecordedTree;
using Use = TopdownUse;
using Role = TopdownRole;
using Vendor = Processor::Vendor;

const std::string kDevices = "/sys/bus/event_source/devices/";

std::string RootOf(const RecordedTree& machine) { return machine.tree().PathOf(""); }

/// As the full reading of a machine tells it.
Processor ProcessorOf(const RecordedTree& machine) {
  const CpuIdentity identity = ReadCpuIdentity(machine.tree(), machine.cpuid());
  Processor processor;
  processor.vendor = identity.vendor == CpuVendor::kIntel ? Vendor::kIntel
                     : identity.vendor == CpuVendor::kAmd ? Vendor::kAmd
                     : identity.vendor == CpuVendor::kArm ? Vendor::kArm
                                                          : Vendor::kOther;
  processor.family = identity.family;
  processor.model = identity.model;
  processor.implementer = identity.implementer;
  processor.revision = identity.variant << 4 | identity.stepping;
  return processor;
}

Processor Amd(std::uint32_t family, std::uint32_t model) { return {Vendor::kAmd, family, model}; }
Processor Intel(std::uint32_t model) { return {Vendor::kIntel, 6, model}; }

class TopdownModels : public ::testing::Test {
 protected:
  Result<TopdownModel> Find(const Processor& processor, Use use = Use::kSampling) {
    return FindTopdownModel(processor, RootOf(machine_), use, reason_);
  }
  void AddPmu(const std::string& name, const std::string& type = "4") {
    machine_.Add(kDevices + name + "/type", type + "\n");
  }
  void AddEvents(const std::string& pmu,
                 std::initializer_list<std::pair<const char*, const char*>> events) {
    for (const auto& [name, text] : events) {
      machine_.Add(kDevices + pmu + "/events/" + name, std::string(text) + "\n");
    }
  }
  void AddMetrics(const std::string& pmu) {
    AddEvents(pmu, {{"slots", "event=0x00,umask=0x4"},
                    {"topdown-retiring", "event=0x00,umask=0x80"},
                    {"topdown-bad-spec", "event=0x00,umask=0x81"},
                    {"topdown-fe-bound", "event=0x00,umask=0x82"},
                    {"topdown-be-bound", "event=0x00,umask=0x83"}});
  }
  RecordedTree machine_;
  TopdownReason reason_;
};

std::uint64_t ConfigOf(const TopdownModel& model, Role role) {
  for (std::size_t i = 0; i < model.count; ++i) {
    if (model.events[i].role == role) return model.events[i].config;
  }
  ADD_FAILURE() << "no event for " << NameOf(role);
  return 0;
}

TEST_F(TopdownModels, Zen5HasEightSlotsACycleAndZen4Six) {
  AddPmu("cpu");
  const auto zen5 = Find(Amd(0x1a, 0x24));
  ASSERT_TRUE(zen5) << reason_.view();
  EXPECT_EQ(zen5->formula, TopdownFormula::kZen);
  EXPECT_EQ(zen5->level1_count, 6u);
  EXPECT_EQ(zen5->events[0].role, Role::kSlots);
  EXPECT_EQ(zen5->events[0].factor, 8u);
  EXPECT_EQ(ConfigOf(*zen5, Role::kSlots), 0x76u);
  EXPECT_EQ(ConfigOf(*zen5, Role::kFrontend), 0x1'0000'01a0u);
  EXPECT_EQ(ConfigOf(*zen5, Role::kBackend), 0x1'0000'1ea0u);
  EXPECT_EQ(ConfigOf(*zen5, Role::kSmtContention), 0x1'0000'60a0u);
  EXPECT_EQ(ConfigOf(*zen5, Role::kIssued), 0x7aau);
  EXPECT_EQ(ConfigOf(*zen5, Role::kRetired), 0xc1u);
  const auto zen4 = Find(Amd(0x19, 0x61));
  ASSERT_TRUE(zen4);
  EXPECT_EQ(zen4->events[0].factor, 6u);
}

TEST_F(TopdownModels, Zen3HasNoTable) {
  AddPmu("cpu");
  EXPECT_FALSE(Find(Amd(0x19, 0x21)));
  EXPECT_EQ(reason_.view(),
            "there is no top-down table for this processor (AMD family 19h, model 21h)");
}

TEST_F(TopdownModels, WithoutAPmuThereIsNone) {
  for (const Processor& processor : {Amd(0x1a, 0x24), Intel(0x8f), ProcessorOfMidr(0x410fd4f1)}) {
    EXPECT_FALSE(Find(processor));
    EXPECT_NE(reason_.view().find("no PMU"), std::string_view::npos) << reason_.view();
  }
}

TEST_F(TopdownModels, IntelsMetricsAreForCountingAndPlainEventsForSampling) {
  AddPmu("cpu");
  AddMetrics("cpu");
  const auto counting = Find(Intel(0x6a), Use::kCounting);
  ASSERT_TRUE(counting) << reason_.view();
  EXPECT_EQ(counting->formula, TopdownFormula::kMetrics);
  EXPECT_TRUE(counting->one_group);
  EXPECT_EQ(counting->count, 5u);
  EXPECT_EQ(counting->events[0].role, Role::kSlots) << "the leader";
  EXPECT_EQ(counting->events[0].config, 0x400u);
  EXPECT_EQ(ConfigOf(*counting, Role::kRetired), 0x8000u);
  const auto sampling = Find(Intel(0x6a));
  ASSERT_TRUE(sampling);
  EXPECT_EQ(sampling->formula, TopdownFormula::kIcelake);
  EXPECT_EQ(sampling->count, 4u);
  EXPECT_FALSE(sampling->one_group);
  EXPECT_EQ(ConfigOf(*sampling, Role::kSlots), 0x1a4u);
  EXPECT_EQ(ConfigOf(*sampling, Role::kBackend), 0x2a4u);
  EXPECT_EQ(ConfigOf(*sampling, Role::kFrontend), 0x19cu);
  EXPECT_EQ(ConfigOf(*sampling, Role::kRetired), 0x2c2u);
}

TEST_F(TopdownModels, SapphireRapidsDividesLevel1Further) {
  AddPmu("cpu");
  AddMetrics("cpu");
  AddEvents("cpu", {{"topdown-heavy-ops", "event=0x00,umask=0x84"},
                    {"topdown-br-mispredict", "event=0x00,umask=0x85"},
                    {"topdown-fetch-lat", "event=0x00,umask=0x86"},
                    {"topdown-mem-bound", "event=0x00,umask=0x87"}});
  const auto counting = Find(Intel(0x8f), Use::kCounting);
  ASSERT_TRUE(counting);
  EXPECT_EQ(counting->level1_count, 5u);
  EXPECT_EQ(counting->count, 9u);
  const auto sampling = Find(Intel(0x8f));
  ASSERT_TRUE(sampling);
  EXPECT_EQ(sampling->level1_count, 4u);
  EXPECT_EQ(sampling->count, 8u);
  EXPECT_EQ(ConfigOf(*sampling, Role::kFrontendLatency), 0x600'019cu);
}

TEST_F(TopdownModels, LionCoveCountsTheCyclesOfTheFrontendsLatency) {
  AddPmu("cpu_core");
  AddMetrics("cpu_core");
  Processor nova_lake = Intel(0x01);
  nova_lake.family = 18;
  for (const Processor& processor : {Intel(0xbd), Intel(0xc6), Intel(0xcc), nova_lake}) {
    const auto sampling = Find(processor);
    ASSERT_TRUE(sampling) << processor.model;
    EXPECT_EQ(sampling->count, 8u);
    EXPECT_EQ(ConfigOf(*sampling, Role::kFrontendLatency), 0x49cu);
    EXPECT_EQ(sampling->events[7].factor, 8u) << "slots a cycle";
  }
  const auto meteor_lake = Find(Intel(0xaa));
  ASSERT_TRUE(meteor_lake);
  EXPECT_EQ(ConfigOf(*meteor_lake, Role::kFrontendLatency), 0x600'019cu);
}

TEST_F(TopdownModels, AHybridProcessorIsMeasuredOnItsFastCores) {
  const auto machine = testing::HybridAlderLake();
  machine->Add(kDevices + "cpu_core/type", "4\n");
  machine->Add(kDevices + "cpu_atom/type", "10\n");
  const auto model =
      FindTopdownModel(ProcessorOf(*machine), RootOf(*machine), Use::kSampling, reason_);
  ASSERT_TRUE(model) << reason_.view();
  EXPECT_EQ(model->type, 4u);
  EXPECT_EQ(model->formula, TopdownFormula::kIcelake);
}

TEST_F(TopdownModels, BeforeIceLakeTheKernelTellsEventsAndScales) {
  const auto machine = testing::XeonWithTwoSockets();  // Skylake with hyper-threading
  const std::string cpu = kDevices + "cpu/";
  machine->Add(cpu + "type", "4\n");
  const auto add = [&](const char* name, const char* text, const char* scale) {
    machine->Add(cpu + "events/" + name, std::string(text) + "\n");
    if (*scale != 0) machine->Add(cpu + "events/" + name + ".scale", std::string(scale) + "\n");
  };
  add("topdown-total-slots", "event=0x3c,umask=0x0,any=1", "2");
  add("topdown-slots-retired", "event=0xc2,umask=0x2", "");
  add("topdown-fetch-bubbles", "event=0x9c,umask=0x1", "");
  add("topdown-slots-issued", "event=0xe,umask=0x1", "");
  const auto find = [&] {
    return FindTopdownModel(ProcessorOf(*machine), RootOf(*machine), Use::kSampling, reason_);
  };
  EXPECT_FALSE(find()) << "one is missing";
  add("topdown-recovery-bubbles", "event=0xd,umask=0x3,cmask=1,any=1", "2");
  const auto model = find();
  ASSERT_TRUE(model) << reason_.view();
  EXPECT_EQ(model->formula, TopdownFormula::kIntel);
  EXPECT_EQ(model->events[0].factor, 2u);
  EXPECT_EQ(ConfigOf(*model, Role::kSlots), 0x20'003cu);
  EXPECT_EQ(ConfigOf(*model, Role::kRecovery), 0x120'030du);
}

TEST_F(TopdownModels, ArmNeedsStallSlotsAndTheirNumber) {
  const auto machine = testing::ArmServer();  // Neoverse N1 does not count slots
  machine->Add(kDevices + "armv8_pmuv3_0/type", "8\n");
  EXPECT_FALSE(FindTopdownModel(ProcessorOf(*machine), RootOf(*machine), Use::kSampling, reason_));
  EXPECT_NE(reason_.view().find("stall_slot_frontend"), std::string_view::npos) << reason_.view();

  AddPmu("armv8_pmuv3_0", "8");
  AddEvents("armv8_pmuv3_0", {{"stall_slot_frontend", "event=0x003e"},
                              {"stall_slot_backend", "event=0x003d"},
                              {"op_retired", "event=0x003a"},
                              {"op_spec", "event=0x003b"}});
  const Processor unknown = ProcessorOfMidr(0x410fd840);  // Neoverse V3
  EXPECT_FALSE(Find(unknown));
  EXPECT_NE(reason_.view().find("caps/slots"), std::string_view::npos) << reason_.view();
  machine_.Add(kDevices + "armv8_pmuv3_0/caps/slots", "0x0000000a\n");
  const auto v3 = Find(unknown);
  ASSERT_TRUE(v3) << reason_.view();
  EXPECT_EQ(v3->formula, TopdownFormula::kArm);
  EXPECT_EQ(v3->events[0].factor, 10u);
  EXPECT_EQ(v3->type, 8u);
  EXPECT_EQ(v3->count, 5u);
}

TEST_F(TopdownModels, NeoverseN2AndV2CorrectForFlushes) {
  AddPmu("armv8_pmuv3_0", "8");
  AddEvents("armv8_pmuv3_0", {{"stall_slot_frontend", "event=0x003e"},
                              {"stall_slot_backend", "event=0x003d"},
                              {"op_retired", "event=0x003a"},
                              {"op_spec", "event=0x003b"}});
  const auto old_n2 = Find(ProcessorOfMidr(0x410fd490));
  ASSERT_TRUE(old_n2) << reason_.view();
  EXPECT_EQ(old_n2->formula, TopdownFormula::kNeoverseN2);
  EXPECT_EQ(old_n2->events[0].factor, 5u);
  EXPECT_EQ(Find(ProcessorOfMidr(0x410fd493))->formula, TopdownFormula::kNeoverse);
  const auto v2 = Find(ProcessorOfMidr(0x410fd4f1));
  ASSERT_TRUE(v2);
  EXPECT_EQ(v2->formula, TopdownFormula::kNeoverse);
  EXPECT_EQ(ConfigOf(*v2, Role::kFlush), 0x10u);
  EXPECT_EQ(v2->events[5].factor, 32u) << "four cycles of eight slots";
}

TEST_F(TopdownModels, DamagedFilesOfTheKernelGiveNoModel) {
  AddPmu("cpu", "not a number");
  EXPECT_FALSE(Find(Amd(0x1a, 0x24)));
  AddPmu("cpu");
  AddMetrics("cpu");
  machine_.Add(kDevices + "cpu/events/slots", "event=0x100");
  const auto model = Find(Intel(0x55), Use::kCounting);
  EXPECT_FALSE(model) << "an event code of nine bits";
}

TEST(ParseIntelEvent, TakesTheKernelsSpelling) {
  std::uint64_t config = 0;
  EXPECT_TRUE(ParseIntelEvent("event=0x3c,umask=0x0,any=1", config));
  EXPECT_EQ(config, 0x20003cu);
  EXPECT_TRUE(ParseIntelEvent("event=13,edge,cmask=1,inv=1", config));
  EXPECT_EQ(config, 0x184000du);
  for (const char* text : {"", "umask=0x1", "event=", "event=0x100", "event=0x3c,any=2",
                           "event=0x3c,frontend=1", "event=0x3c,umask=zz", "event=0x"}) {
    EXPECT_FALSE(ParseIntelEvent(text, config)) << text;
  }
}

TEST(ThisProcessor, IsWhatTheFullReadingSays) {
  const CpuIdentity identity = ReadCpuIdentity(SystemTree(), HostCpuid());
  const Processor processor = ThisProcessor();
  if (processor.vendor == Vendor::kOther) GTEST_SKIP() << "neither cpuid nor MIDR_EL1";
  EXPECT_EQ(processor.vendor == Vendor::kIntel, identity.vendor == CpuVendor::kIntel);
  EXPECT_EQ(processor.vendor == Vendor::kAmd, identity.vendor == CpuVendor::kAmd);
  EXPECT_EQ(processor.model, identity.model);
}

}  // namespace
}  // namespace csink
