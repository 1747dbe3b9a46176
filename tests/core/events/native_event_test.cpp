// Run once for each PMU that LIBPFM_FORCE_PMU names (CMakeLists.txt): libpfm4 reads it
// when it is initialised, and that happens once in a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstdlib>
#include <string>

#include "core/events/event_listing.h"
#include "core/events/event_spec.h"

namespace csink {
namespace {

using testing::HasSubstr;

bool Forced(const char* pmu) {
  const char* forced = std::getenv("LIBPFM_FORCE_PMU");
  return forced && std::string(forced) == pmu;
}

struct Parsed {
  Errc code;
  std::string complaint;
  EventSpec spec;
};

Parsed Parse(std::string_view text) {
  EventComplaint complaint;
  const Result<EventList> list = ParseEventList(text, complaint);
  return {list ? Errc::kOk : list.error().code, complaint.c_str(),
          list ? list->events[0] : EventSpec{}};
}

struct Expected {
  const char* written;
  const char* name;
  std::uint64_t config;
  EventClass kind;
  std::uint64_t period;
};

void Check(const Expected& e) {
  const Parsed parsed = Parse(e.written);
  ASSERT_EQ(parsed.code, Errc::kOk) << e.written << ": " << parsed.complaint;
  EXPECT_EQ(parsed.complaint, "");
  EXPECT_STREQ(parsed.spec.name, e.name);
  EXPECT_EQ(parsed.spec.type, PERF_TYPE_RAW + 0u) << e.written;
  EXPECT_EQ(parsed.spec.config, e.config) << e.written;
  EXPECT_EQ(parsed.spec.kind, e.kind) << e.written;
  EXPECT_EQ(parsed.spec.period, e.period) << e.written;
  EXPECT_EQ(parsed.spec.frequency_hz, e.period == 0 ? kDefaultCounterHz : 0) << e.written;
  EXPECT_FALSE(parsed.spec.exclude_user) << e.written;
  EXPECT_TRUE(parsed.spec.exclude_kernel) << e.written;
}

class OnSkylakeX : public testing::Test {
 protected:
  void SetUp() override {
    if (!Forced("skx")) GTEST_SKIP() << "LIBPFM_FORCE_PMU is not skx";
    if (Parse("skx::INST_RETIRED").code == Errc::kUnsupported) GTEST_SKIP() << "no libpfm4";
  }
};

TEST_F(OnSkylakeX, EncodesNativeEvents) {
  const Expected cases[] = {
      {"INST_RETIRED:ANY_P", "skx::INST_RETIRED:ANY_P", 0xc0, EventClass::kInstructions, 0},
      {"skx::inst_retired", "skx::INST_RETIRED:ANY_P", 0xc0, EventClass::kInstructions, 0},
      {"INST_RETIRED.ANY_P:u", "skx::INST_RETIRED:ANY_P", 0xc0, EventClass::kInstructions, 0},
      {"UNHALTED_CORE_CYCLES", "skx::UNHALTED_CORE_CYCLES", 0x3c, EventClass::kCycles, 0},
      {"INST_RETIRED:ANY_P:c=1:i", "skx::INST_RETIRED:ANY_P:i=1:c=1", 0x18000c0, EventClass::kOther,
       0},
      {"MEM_LOAD_RETIRED:L3_MISS", "skx::MEM_LOAD_RETIRED:L3_MISS", 0x20d1, EventClass::kOther, 0},
      {"MEM_LOAD_RETIRED:L3_MISS@1k", "skx::MEM_LOAD_RETIRED:L3_MISS", 0x20d1, EventClass::kOther,
       1000},
      {"INST_RETIRED:period=10007", "skx::INST_RETIRED:ANY_P", 0xc0, EventClass::kInstructions,
       10'007},
  };
  for (const Expected& e : cases) Check(e);
}

TEST_F(OnSkylakeX, EncodesExtraRegisters) {
  const Parsed latency = Parse("MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=40:pp");
  ASSERT_EQ(latency.code, Errc::kOk) << latency.complaint;
  EXPECT_EQ(latency.spec.config1, 40u);
  EXPECT_EQ(latency.spec.precise, 2);
  EXPECT_STREQ(latency.spec.name, "skx::MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=40");
  const Parsed offcore = Parse("OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_HIT");
  ASSERT_EQ(offcore.code, Errc::kOk) << offcore.complaint;
  EXPECT_EQ(offcore.spec.config1, 0x3f803c0001u);
  EXPECT_STREQ(offcore.spec.name, "skx::OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_HIT")
      << "as written, since libpfm4's own form is too long";
}

TEST_F(OnSkylakeX, TakesOurModifiersAndLibpfmsAlike) {
  for (const char* text : {"INST_RETIRED:k:pp", "INST_RETIRED:kpp", "INST_RETIRED:k=1:precise=2",
                           "INST_RETIRED:u=0:k=1:precise=2"}) {
    const Parsed parsed = Parse(text);
    ASSERT_EQ(parsed.code, Errc::kOk) << text << ": " << parsed.complaint;
    EXPECT_TRUE(parsed.spec.exclude_user) << text;
    EXPECT_FALSE(parsed.spec.exclude_kernel) << text;
    EXPECT_EQ(parsed.spec.precise, 2) << text;
    EXPECT_TRUE(parsed.spec.precise_given) << text;
  }
}

TEST_F(OnSkylakeX, TakesLibpfmsFrequency) {
  const Parsed parsed = Parse("INST_RETIRED:freq=997");
  ASSERT_EQ(parsed.code, Errc::kOk) << parsed.complaint;
  EXPECT_EQ(parsed.spec.frequency_hz, 997u);
  EXPECT_EQ(parsed.spec.period, 0u);
  EXPECT_EQ(Parse("INST_RETIRED:freq=997@5k").spec.period, 5000u) << "ours comes last";
}

TEST_F(OnSkylakeX, SaysWhatIsWrong) {
  struct {
    const char* text;
    Errc code;
    const char* says;
  } const cases[] = {
      {"MEM_LOAD_RETIRED", Errc::kInvalid, "needs a unit mask: L1_HIT, "},
      {"INST_RETIRED:ANY_Q", Errc::kInvalid, "no unit mask or modifier \"ANY_Q\"; nearest: ANY_P"},
      {"INST_RETIRED.FOOBAR", Errc::kInvalid, "\"FOOBAR\"; it has "},
      {"INST_RETIRED:perido=4", Errc::kInvalid, "\"perido\"; nearest: period"},
      {"INST_RETIRED:c=1000", Errc::kInvalid, "value of an attribute"},
      {"INST_RETIRED:c=foo", Errc::kInvalid, "value of an attribute"},
      {"INST_RETIRED:excl", Errc::kInvalid, "attribute \"excl\" is not supported"},
      {"INST_RETIRED:ANY_P:", Errc::kInvalid, "the attribute after a ':' is missing"},
      {"INST_RETIRED@99", Errc::kInvalid, "use a period of 100 or more"},
      {"INST_RETIRD:ANY_P", Errc::kNoEvent, "is not known; nearest: INST_RETIRED"},
      {"skz::INST_RETIRED", Errc::kNoEvent, "unknown PMU: \"skz\"; nearest: skx; present: skx"},
      {"wsm::INST_RETIRED", Errc::kNoEvent, "that this machine does not have: \"wsm\""},
      {"skx::NOT_THERE_AT_ALL", Errc::kNoEvent, "is not known; \"csink doctor"},
  };
  for (const auto& c : cases) {
    const Parsed parsed = Parse(c.text);
    EXPECT_EQ(parsed.code, c.code) << c.text;
    EXPECT_THAT(parsed.complaint, HasSubstr(c.says)) << c.text;
  }
}

TEST_F(OnSkylakeX, KeepsTheBuiltInNames) {
  EXPECT_EQ(Parse("cycles").spec.type, PERF_TYPE_HARDWARE + 0u);
  EXPECT_EQ(Parse("r1a8").spec.config, 0x1a8u);
}

bool CountNames(const EventName& name, void* arg) {
  int* counts = static_cast<int*>(arg);
  EXPECT_FALSE(name.name.empty());
  EXPECT_EQ(name.what.find('\n'), std::string_view::npos) << name.name;
  ++counts[name.pmu.empty() ? 0 : name.is_unit_mask ? 2 : 1];
  if (name.pmu.empty() || name.is_unit_mask) return true;
  // What the list offers is taken, or asks for one of its unit masks.
  const Parsed parsed = Parse(std::string(name.pmu) + "::" + std::string(name.name));
  EXPECT_TRUE(parsed.code == Errc::kOk ||
              parsed.complaint.find("needs a unit mask") != std::string::npos)
      << parsed.complaint;
  return true;
}

TEST_F(OnSkylakeX, ListsNamesThatCanBeUsed) {
  int counts[3] = {};
  EXPECT_TRUE(ForEachEventName(CountNames, counts));
  EXPECT_GT(counts[0], 20);
  EXPECT_GT(counts[1], 50);
  EXPECT_GT(counts[2], 200);
  EXPECT_THAT(DescribeEventLibrary().c_str(), HasSubstr(", PMUs: skx"));
}

TEST(OnSocketWidePmu, IsRefusedWithItsReasonAndNotListed) {
  if (!Forced("nhm_unc")) GTEST_SKIP() << "LIBPFM_FORCE_PMU is not nhm_unc";
  const Parsed parsed = Parse("nhm_unc::UNC_CLK_UNHALTED");  // libpfm4: PFM_ERR_NOTSUPP
  if (parsed.code == Errc::kUnsupported) GTEST_SKIP() << parsed.complaint;
  EXPECT_EQ(parsed.code, Errc::kInvalid);
  EXPECT_THAT(parsed.complaint, HasSubstr("counts for the whole socket"));
  int counts[3] = {};
  ForEachEventName(CountNames, counts);
  EXPECT_EQ(counts[1], 0);
}

TEST(OnRapl, IsRefusedWithItsReason) {
  if (!std::getenv("LIBPFM_ENCODE_INACTIVE")) GTEST_SKIP() << "needs LIBPFM_ENCODE_INACTIVE";
  const Parsed parsed = Parse("rapl::RAPL_ENERGY_PKG");  // libpfm4: success
  if (parsed.code == Errc::kUnsupported) GTEST_SKIP() << parsed.complaint;
  EXPECT_EQ(parsed.code, Errc::kInvalid);
  EXPECT_THAT(parsed.complaint, HasSubstr("counts for the whole socket"));
}

TEST(OnZen3, EncodesNativeEvents) {
  if (!Forced("amd64_fam19h_zen3")) GTEST_SKIP() << "LIBPFM_FORCE_PMU is not amd64_fam19h_zen3";
  if (Parse("RETIRED_INSTRUCTIONS").code == Errc::kUnsupported) GTEST_SKIP() << "no libpfm4";
  const Expected cases[] = {
      {"RETIRED_INSTRUCTIONS", "amd64_fam19h_zen3::RETIRED_INSTRUCTIONS", 0xc0,
       EventClass::kInstructions, 0},
      {"CYCLES_NOT_IN_HALT", "amd64_fam19h_zen3::CYCLES_NOT_IN_HALT", 0x76, EventClass::kCycles, 0},
      {"RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED@1k",
       "amd64_fam19h_zen3::RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", 0xc3,
       EventClass::kBranchMisses, 1000},
  };
  for (const Expected& e : cases) Check(e);
}

TEST(OnCortexA57, EncodesNativeEvents) {
#if !defined(__aarch64__)
  GTEST_SKIP() << "libpfm4 has the tables of its own architecture only";
#endif
  if (!Forced("arm_ac57")) GTEST_SKIP() << "LIBPFM_FORCE_PMU is not arm_ac57";
  if (Parse("INST_RETIRED").code == Errc::kUnsupported) GTEST_SKIP() << "no libpfm4";
  const Expected cases[] = {
      {"INST_RETIRED", "arm_ac57::INST_RETIRED", 0x8, EventClass::kInstructions, 0},
      {"CPU_CYCLES", "arm_ac57::CPU_CYCLES", 0x11, EventClass::kCycles, 0},
      {"BRANCH_MISPRED", "arm_ac57::BRANCH_MISPRED", 0x10, EventClass::kBranchMisses, 0},
  };
  for (const Expected& e : cases) Check(e);
}

TEST(OnNoPmuAtAll, NamesNothingNativeButKeepsTheBuiltIn) {
  if (!Forced("none")) GTEST_SKIP() << "LIBPFM_FORCE_PMU is not none";
  const Parsed parsed = Parse("INST_RETIRED");
  if (parsed.code == Errc::kUnsupported) GTEST_SKIP() << parsed.complaint;
  EXPECT_EQ(parsed.code, Errc::kNoEvent);
  EXPECT_THAT(parsed.complaint, HasSubstr("does not support a hardware PMU"));
  EXPECT_THAT(Parse("skx::INST_RETIRED").complaint, HasSubstr("present: none"));
  EXPECT_EQ(Parse("task-clock").code, Errc::kOk);
}

}  // namespace
}  // namespace csink
