// Run once for each PMU that LIBPFM_FORCE_PMU names (CMakeLists.txt).
#include "core/counting/catalogue/native_catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "core/counting/catalogue/event_attributes.h"

namespace csink {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Catalogue : public testing::Test {
 protected:
  void SetUp() override {
    const char* forced = std::getenv("LIBPFM_FORCE_PMU");
    if (!forced || Wanted() != forced) GTEST_SKIP() << "LIBPFM_FORCE_PMU is not " << Wanted();
  }
  virtual std::string Wanted() const = 0;

  /// The code of the mistake (kOk: none); the sentence is in complaint_.
  Errc Refusal(std::string_view name) {
    complaint_.Clear();
    const Result<std::uint32_t> id = catalogue_.Find(CatalogueSide::kCore, name, complaint_);
    return id ? Errc::kOk : id.error().code;
  }
  const NativeEncoding& Encoding(std::string_view name) {
    const Result<std::uint32_t> id = catalogue_.Find(CatalogueSide::kCore, name, complaint_);
    EXPECT_TRUE(id) << complaint_.c_str();
    return catalogue_.Encoding(id ? *id : ~0u);
  }
  std::string said() const { return complaint_.c_str(); }
  const EventAttribute& Attribute(std::string_view event, std::string_view name) {
    static const EventAttribute kNone;
    const Result<const EventAttributes*> found = catalogue_.Attributes(event, complaint_);
    EXPECT_TRUE(found) << said();
    for (const EventAttribute& attribute : (*found)->attributes) {
      if (attribute.name == name) return attribute;
    }
    ADD_FAILURE() << "no " << name;
    return kNone;
  }

  NativeCatalogue& catalogue_ = NativeCatalogue::Get();
  EventComplaint complaint_;
};

class CatalogueOnSkylakeX : public Catalogue {
  std::string Wanted() const override { return "skx"; }
};

TEST_F(CatalogueOnSkylakeX, KeepsTheUsersName) {
  for (const char* name :
       {"UOPS_ISSUED", "uops_issued:any", "skx::UOPS_ISSUED:ANY", "UOPS_ISSUED.ANY"}) {
    const Result<std::uint32_t> id = catalogue_.Find(CatalogueSide::kCore, name, complaint_);
    ASSERT_TRUE(id) << said();
    EXPECT_EQ(catalogue_.Describe(*id).name, name);
    EXPECT_EQ(catalogue_.Encoding(*id).attr.config, 0x10eu);
    EXPECT_EQ(catalogue_.Encoding(*id).attr.type, PERF_TYPE_RAW + 0u);
    EXPECT_EQ(catalogue_.Describe(*id).event_text, "Uops issued");
    EXPECT_EQ(catalogue_.Describe(*id).pmu_name, "skx");
    EXPECT_LT(*id, 1u << 24);
  }
}

TEST_F(CatalogueOnSkylakeX, GivesTheSameTextTheSameId) {
  const Result<std::uint32_t> first =
      catalogue_.Find(CatalogueSide::kCore, "L2_RQSTS:MISS", complaint_);
  const Result<std::uint32_t> again =
      catalogue_.Find(CatalogueSide::kCore, "L2_RQSTS:MISS", complaint_);
  ASSERT_TRUE(first && again);
  EXPECT_EQ(*first, *again);
}

TEST_F(CatalogueOnSkylakeX, FindsTheGroupsOfOffcoreResponse) {
  const Result<const EventAttributes*> found =
      catalogue_.Attributes("OFFCORE_RESPONSE_0", complaint_);
  ASSERT_TRUE(found);
  ASSERT_EQ((*found)->groups.size(), 3u);
  EXPECT_EQ((*found)->groups[0].default_name, "ANY_REQUEST");
  EXPECT_EQ((*found)->groups[1].default_name, "ANY_RESPONSE");
  EXPECT_EQ((*found)->groups[2].default_name, "SNP_ANY");
  EXPECT_TRUE((*found)->groups[1].required);
  EXPECT_FALSE((*found)->groups[2].required);
  EXPECT_EQ(Attribute("OFFCORE_RESPONSE_0", "DMND_RFO").group, 0);
  EXPECT_EQ(Attribute("OFFCORE_RESPONSE_0", "L3_HIT").group, 1);
  EXPECT_EQ(Attribute("OFFCORE_RESPONSE_0", "SNP_HITM").group, 2);
  EXPECT_TRUE(Attribute("OFFCORE_RESPONSE_0", "SNP_ANY").is_default);
  EXPECT_FALSE(Attribute("OFFCORE_RESPONSE_0", "SNP_ANY").hard_wired);
  EXPECT_EQ(Attribute("OFFCORE_RESPONSE_0", "L3_MISS_LOCAL").code, 0x4000000u);
}

TEST_F(CatalogueOnSkylakeX, FindsTheWiredValuesOfCycleActivity) {
  EXPECT_TRUE(Attribute("CYCLE_ACTIVITY", "STALLS_TOTAL").hard_wired);
  EXPECT_EQ(Attribute("CYCLE_ACTIVITY", "STALLS_TOTAL").modifiers, "c=4");
  EXPECT_EQ(Attribute("CYCLE_ACTIVITY", "CYCLES_L1D_MISS").modifiers, "c=8");
  EXPECT_EQ(Attribute("CYCLE_ACTIVITY", "CYCLES_L1D_PENDING").same_as, "CYCLES_L1D_MISS");
  const Result<const EventAttributes*> found = catalogue_.Attributes("CYCLE_ACTIVITY", complaint_);
  ASSERT_EQ((*found)->groups.size(), 1u);
  EXPECT_EQ((*found)->groups[0].default_name, "");
}

TEST_F(CatalogueOnSkylakeX, FindsTheDefaultAndTheShortSpellingsOfUopsIssued) {
  EXPECT_TRUE(Attribute("UOPS_ISSUED", "ANY").is_default);
  EXPECT_FALSE(Attribute("UOPS_ISSUED", "ANY").hard_wired);
  EXPECT_EQ(Attribute("UOPS_ISSUED", "STALL_CYCLES").modifiers, "i=1:c=1");
  EXPECT_EQ(Attribute("UOPS_ISSUED", "STALL_CYCLES").same_as, "ANY:c=1:i=1");
  EXPECT_EQ(Attribute("UOPS_ISSUED", "c").modifiers, "c=0");
  EXPECT_TRUE(Attribute("UOPS_ISSUED", "c").is_integer);
  EXPECT_FALSE(Attribute("UOPS_ISSUED", "c").hard_wired);
}

TEST_F(CatalogueOnSkylakeX, AcceptsAWiredValueRepeatedAndRefusesItsChange) {
  EXPECT_EQ(Refusal("CYCLE_ACTIVITY:STALLS_TOTAL:c=4"), Errc::kOk);
  EXPECT_EQ(Refusal("CYCLE_ACTIVITY:STALLS_TOTAL:c=5"), Errc::kAttribute);
  EXPECT_THAT(said(),
              HasSubstr("unit mask STALLS_TOTAL has c=4 fixed, and c=5 would change the value"));
  EXPECT_EQ(Refusal("UOPS_ISSUED:STALL_CYCLES:c=1"), Errc::kOk);
  EXPECT_EQ(Refusal("UOPS_ISSUED:STALL_CYCLES:i=0"), Errc::kAttribute);
  EXPECT_THAT(said(), HasSubstr("STALL_CYCLES has i=1 fixed"));
}

TEST_F(CatalogueOnSkylakeX, LetsAnExplicitValueReplaceADefault) {
  EXPECT_EQ(Encoding("UOPS_ISSUED:c=2").attr.config, 0x200010eu);
  EXPECT_EQ(Encoding("UOPS_ISSUED:SLOW_LEA").attr.config, 0x200eu);
}

TEST_F(CatalogueOnSkylakeX, NamesTheMissingUnitMask) {
  EXPECT_EQ(Refusal("CYCLE_ACTIVITY"), Errc::kAttribute);
  EXPECT_THAT(said(), HasSubstr("needs a unit mask: CYCLES_L2_MISS, "));
  EXPECT_EQ(Refusal("CYCLE_ACTIVITY:e=1"), Errc::kAttribute);
  EXPECT_THAT(said(), HasSubstr("needs a unit mask: "));
}

TEST_F(CatalogueOnSkylakeX, NamesTheMasksThatExcludeEachOther) {
  EXPECT_EQ(Refusal("OFFCORE_RESPONSE_0:DMND_RFO:ANY_RESPONSE:L3_HIT"), Errc::kCombination);
  EXPECT_THAT(said(),
              HasSubstr("ANY_RESPONSE and L3_HIT exclude each other (both belong to group 1)"));
  EXPECT_EQ(Refusal("CYCLE_ACTIVITY:STALLS_TOTAL:CYCLES_L2_MISS"), Errc::kCombination);
}

TEST_F(CatalogueOnSkylakeX, NamesTheNearestSpelling) {
  EXPECT_EQ(Refusal("UOPS_ISSUED:STAL_CYCLES"), Errc::kAttribute);
  EXPECT_THAT(said(), HasSubstr("no unit mask or modifier \"STAL_CYCLES\"; nearest: STALL_CYCLES"));
  EXPECT_EQ(Refusal("UOPS_ISUED"), Errc::kNoEvent);
  EXPECT_THAT(said(), HasSubstr("nearest: UOPS_ISSUED"));
  EXPECT_EQ(Refusal("sxk::UOPS_ISSUED"), Errc::kNoEvent);
  EXPECT_THAT(said(), HasSubstr("nearest: skx"));
}

TEST_F(CatalogueOnSkylakeX, NamesAnImpossibleValue) {
  EXPECT_EQ(Refusal("UOPS_ISSUED:c=300"), Errc::kAttribute);
  EXPECT_THAT(said(), HasSubstr("modifier c cannot be \"300\" (counter-mask in range [0-255])"));
  EXPECT_EQ(Refusal("UOPS_ISSUED:e=7"), Errc::kAttribute);
  EXPECT_THAT(said(), HasSubstr("the value must be 0 or 1"));
  EXPECT_EQ(Refusal("UOPS_ISSUED:c=1:c=2"), Errc::kAttribute);
  EXPECT_THAT(said(), HasSubstr("given twice, as 1 and 2"));
  EXPECT_EQ(Refusal("UOPS_ISSUED:ANY=1"), Errc::kAttribute);
  EXPECT_THAT(said(), HasSubstr("does not accept a value"));
}

TEST_F(CatalogueOnSkylakeX, RefusesWhatIsNoEventString) {
  for (std::string_view name :
       {"", "UOPS_ISSUED:", "A,B", "UOPS_ISSUED ", "UOPS\x7f", "UOPS_ISSUED:ANY::"}) {
    EXPECT_EQ(Refusal(name), Errc::kInvalid) << name;
    EXPECT_THAT(said(), StartsWith("event \""));
  }
  EXPECT_EQ(Refusal(std::string(5000, 'A')), Errc::kInvalid);
}

TEST_F(CatalogueOnSkylakeX, LeavesLevelsThatAreNotStatedToTheDomain) {
  EXPECT_FALSE(Encoding("UOPS_ISSUED").user_given);
  EXPECT_FALSE(Encoding("UOPS_ISSUED").kernel_given);
  EXPECT_TRUE(Encoding("UOPS_ISSUED:u").kernel_given);
  EXPECT_TRUE(Encoding("UOPS_ISSUED:u").attr.exclude_kernel);
  EXPECT_FALSE(Encoding("UOPS_ISSUED:k=0").user_given);
  EXPECT_TRUE(Encoding("UOPS_ISSUED:k=0").attr.exclude_kernel);
  EXPECT_FALSE(Encoding("UOPS_ISSUED:k=0").attr.exclude_user);
}

TEST_F(CatalogueOnSkylakeX, GivesPeriodAndCpu) {
  EXPECT_TRUE(Encoding("UOPS_ISSUED:period=100").period_given);
  EXPECT_EQ(Encoding("UOPS_ISSUED:period=100").attr.sample_period, 100u);
  EXPECT_EQ(Encoding("UOPS_ISSUED:cpu=1").cpu, 1);
  EXPECT_EQ(Encoding("UOPS_ISSUED").cpu, -1);
  EXPECT_EQ(Encoding("INST_RETIRED:PREC_DIST:precise=2").attr.precise_ip, 2u);
}

TEST_F(CatalogueOnSkylakeX, ListsAnIncompleteEventAndSaysSoWhenItIsUsed) {
  std::uint32_t listed = ~0u;
  for (auto id = catalogue_.First(CatalogueSide::kCore); id; id = catalogue_.Next(*id)) {
    if (catalogue_.Describe(*id).name == "CYCLE_ACTIVITY") listed = *id;
  }
  ASSERT_NE(listed, ~0u);
  EXPECT_EQ(catalogue_.Encoding(listed).pmu, -1);
  const Result<const NativeEncoding*> refused = catalogue_.Encode(listed, complaint_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kAttribute);
  const auto mask = catalogue_.NextUnitMask(listed);
  ASSERT_TRUE(mask);
  EXPECT_EQ(catalogue_.Describe(*mask).name, "CYCLE_ACTIVITY:CYCLES_L2_MISS");
  EXPECT_TRUE(catalogue_.Describe(*mask).is_attribute);
  EXPECT_TRUE(catalogue_.Encode(*mask, complaint_));
  EXPECT_EQ(catalogue_.Encoding(*mask).attr.config, 0x10001a3u);
}

TEST_F(CatalogueOnSkylakeX, EnumeratesFromANameOfTheUsers) {
  const Result<std::uint32_t> id =
      catalogue_.Find(CatalogueSide::kCore, "skx::uops_issued", complaint_);
  ASSERT_TRUE(id);
  const auto mask = catalogue_.NextUnitMask(*id);
  ASSERT_TRUE(mask);
  EXPECT_EQ(catalogue_.Describe(*mask).name, "UOPS_ISSUED:ANY");
  EXPECT_TRUE(catalogue_.Next(*id));
}

TEST_F(CatalogueOnSkylakeX, ListsEveryNameOnceAndFindsItAgain) {
  std::set<std::string_view> names;
  std::size_t events = 0;
  for (auto id = catalogue_.First(CatalogueSide::kCore); id; id = catalogue_.Next(*id)) {
    ++events;
    EXPECT_TRUE(names.insert(catalogue_.Describe(*id).name).second);
    for (auto mask = catalogue_.NextUnitMask(*id); mask; mask = catalogue_.NextUnitMask(*mask)) {
      EXPECT_TRUE(names.insert(catalogue_.Describe(*mask).name).second);
      const Result<std::uint32_t> found =
          catalogue_.Find(CatalogueSide::kCore, catalogue_.Describe(*mask).name, complaint_);
      EXPECT_EQ(found ? *found : *mask, *mask);
    }
  }
  EXPECT_EQ(events, catalogue_.CountEvents(CatalogueSide::kCore));
  EXPECT_GT(names.size(), 1500u);
}

TEST_F(CatalogueOnSkylakeX, WritesTheLongTextIntoWhatIsThere) {
  const Result<std::uint32_t> id =
      catalogue_.Find(CatalogueSide::kCore, "UOPS_ISSUED:SLOW_LEA:c=1", complaint_);
  ASSERT_TRUE(id);
  char text[200];
  catalogue_.CopyLongText(*id, text, sizeof(text));
  EXPECT_THAT(text, StartsWith("Uops issued, masks:"));
  EXPECT_THAT(text, HasSubstr(":counter-mask in range [0-255]"));
  catalogue_.CopyLongText(*id, text, 5);
  EXPECT_STREQ(text, "Uops");
  catalogue_.CopyLongText(*id, text, 0);
  EXPECT_STREQ(text, "Uops");
}

class CatalogueOnZen3 : public Catalogue {
  std::string Wanted() const override { return "amd64_fam19h_zen3"; }
};

TEST_F(CatalogueOnZen3, ResolvesAndLists) {
  EXPECT_EQ(Encoding("RETIRED_INSTRUCTIONS:u").attr.config, 0xc0u);
  ASSERT_EQ(catalogue_.Pmus().size(), 1u);
  EXPECT_TRUE(catalogue_.Pmus()[0].is_default);
  EXPECT_EQ(catalogue_.Pmus()[0].generic_counters, 6);
  EXPECT_EQ(catalogue_.Pmus()[0].kind, PmuKind::kCore);
}

}  // namespace
}  // namespace csink
