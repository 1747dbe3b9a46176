#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/counting/catalogue/event_attributes.h"
#include "core/counting/catalogue/native_catalogue.h"
#include "core/events/cpu_tables.h"
#include "tests/fakes/fake_pfm.h"
#include "tests/fakes/one_pmu_pfm.h"

namespace csink {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class HybridCpu : public testing::Test {
 protected:
  std::uint64_t ConfigOf(std::string_view name, CatalogueSide side = CatalogueSide::kCore) {
    const Result<std::uint32_t> id = catalogue_.Find(side, name, complaint_);
    return id ? catalogue_.Encoding(*id).attr.config : 0;
  }
  std::vector<std::string> Listed(CatalogueSide side) {
    std::vector<std::string> names;
    for (auto id = catalogue_.First(side); id; id = catalogue_.Next(*id)) {
      names.emplace_back(catalogue_.Describe(*id).name);
    }
    return names;
  }

  NativeCatalogue catalogue_{&fakes::FakePfm::Open, ""};
  EventComplaint complaint_;
};

TEST_F(HybridCpu, ResolvesANamePerPmu) {
  EXPECT_EQ(ConfigOf("big::CYCLES"), 1000u);
  EXPECT_EQ(ConfigOf("little::CYCLES"), 1100u);
  EXPECT_EQ(ConfigOf("little::ONLY_BIG"), 0u);
}

TEST_F(HybridCpu, GivesANameWithoutPmuToTheDefaultCorePmu) {
  EXPECT_EQ(ConfigOf("CYCLES"), 1000u);
  EXPECT_EQ(ConfigOf("ONLY_BIG"), 1001u);
  EXPECT_EQ(ConfigOf("ONLY_LITTLE"), 1101u);
}

TEST_F(HybridCpu, ListsEveryEventWithItsPmu) {
  EXPECT_THAT(Listed(CatalogueSide::kCore),
              ElementsAre("big::CYCLES", "big::ONLY_BIG", "little::CYCLES", "little::ONLY_LITTLE"));
  EXPECT_THAT(Listed(CatalogueSide::kUncore), ElementsAre("socket::TRAFFIC"));
  EXPECT_EQ(catalogue_.CountEvents(CatalogueSide::kCore), 4u);
}

TEST_F(HybridCpu, TellsItsPmus) {
  const std::vector<CataloguePmu>& pmus = catalogue_.Pmus();
  ASSERT_EQ(pmus.size(), 3u);
  EXPECT_EQ(pmus[0].name, "big");
  EXPECT_TRUE(pmus[0].is_default);
  EXPECT_EQ(pmus[0].generic_counters, 6);
  EXPECT_FALSE(pmus[1].is_default);
  EXPECT_EQ(pmus[2].kind, PmuKind::kUncore);
}

TEST_F(HybridCpu, KeepsTheSidesApart) {
  EXPECT_EQ(ConfigOf("socket::TRAFFIC:IN:FAR"), 0u);
  EXPECT_THAT(complaint_.c_str(), HasSubstr("counts for a whole socket"));
  EXPECT_EQ(ConfigOf("socket::TRAFFIC:IN:FAR", CatalogueSide::kUncore), 1200u);
  EXPECT_EQ(ConfigOf("big::CYCLES", CatalogueSide::kUncore), 0u);
  EXPECT_THAT(complaint_.c_str(), HasSubstr("not an event of a whole socket"));
}

TEST_F(HybridCpu, FindsTwoGroupsWithoutDefaults) {
  const Result<const EventAttributes*> found = catalogue_.Attributes("socket::TRAFFIC", complaint_);
  ASSERT_TRUE(found);
  const EventAttributes& event = **found;
  ASSERT_EQ(event.groups.size(), 2u);
  std::vector<int> groups;
  for (const EventAttribute& attribute : event.attributes) groups.push_back(attribute.group);
  EXPECT_THAT(groups, ElementsAre(0, 0, 1, 1));
}

TEST_F(HybridCpu, NamesTheGroupThatHasNoMember) {
  EXPECT_EQ(ConfigOf("socket::TRAFFIC:OUT", CatalogueSide::kUncore), 0u);
  EXPECT_THAT(complaint_.c_str(), HasSubstr("needs a unit mask of group 1: NEAR, FAR"));
  EXPECT_EQ(ConfigOf("socket::TRAFFIC:FAR", CatalogueSide::kUncore), 0u);
  EXPECT_THAT(complaint_.c_str(), HasSubstr("needs a unit mask of group 0: IN, OUT"));
}

TEST_F(HybridCpu, ListsTheCombinationsOfGroups) {
  std::vector<std::string> names;
  const auto event = catalogue_.First(CatalogueSide::kUncore);
  ASSERT_TRUE(event);
  for (auto id = catalogue_.NextCombination(*event); id; id = catalogue_.NextCombination(*id)) {
    names.emplace_back(catalogue_.Describe(*id).name);
  }
  EXPECT_THAT(names, ElementsAre("socket::TRAFFIC:IN:NEAR", "socket::TRAFFIC:IN:FAR",
                                 "socket::TRAFFIC:OUT:NEAR", "socket::TRAFFIC:OUT:FAR"));
}

TEST(NoLibpfm4, StillKnowsTheKernelsOwnEvents) {
  NativeCatalogue catalogue([]() -> const PfmLibrary* { return nullptr; }, "");
  EventComplaint complaint;
  EXPECT_TRUE(catalogue.Find(CatalogueSide::kCore, "perf::TASK-CLOCK", complaint));
  EXPECT_TRUE(catalogue.Find(CatalogueSide::kCore, "cycles", complaint));
  const Result<std::uint32_t> id = catalogue.Find(CatalogueSide::kCore, "INST_RETIRED", complaint);
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().code, Errc::kUnsupported);
  EXPECT_THAT(std::string(catalogue.Problem()), HasSubstr("libpfm4 cannot be loaded"));
  EXPECT_FALSE(catalogue.First(CatalogueSide::kCore));
  EXPECT_TRUE(catalogue.Pmus().empty());
}

TEST(NoLibpfm4, IsNotOpenedForTheKernelsOwnEvents) {
  static int opened = 0;
  NativeCatalogue catalogue(
      []() -> const PfmLibrary* {
        ++opened;
        return fakes::FakePfm::Open();
      },
      "");
  EventComplaint complaint;
  for (const char* name :
       {"perf::TASK-CLOCK", "PAGE-FAULTS", "perf::CYCLES:u", "context-switches"}) {
    EXPECT_TRUE(catalogue.Find(CatalogueSide::kCore, name, complaint)) << complaint.c_str();
  }
  EXPECT_EQ(opened, 0);
  EXPECT_TRUE(catalogue.Find(CatalogueSide::kCore, "big::CYCLES", complaint));
  EXPECT_EQ(opened, 1);
}

/// The tables of processors that libpfm4 does not know, behind the same interface.
const PfmLibrary* Tables(const char* names) {
  CpuFacts cpu;
  cpu.forced = names;
  cpu.devices = "/nowhere";
  return PfmLibrary::WithTables(nullptr, cpu);
}

std::vector<std::string> ListedOf(NativeCatalogue& catalogue) {
  std::vector<std::string> names;
  for (auto id = catalogue.First(CatalogueSide::kCore); id; id = catalogue.Next(*id)) {
    names.emplace_back(catalogue.Describe(*id).name);
  }
  return names;
}

TEST(CatalogueOfATable, FindsListsAndDescribes) {
  NativeCatalogue catalogue([] { return Tables("amd64_fam1ah_zen5"); }, "");
  EventComplaint complaint;
  const auto id =
      catalogue.Find(CatalogueSide::kCore, "RETIRED_SSE_AVX_FLOPS:MAC_FLOPS:u", complaint);
  ASSERT_TRUE(id) << complaint.c_str();
  EXPECT_EQ(catalogue.Encoding(*id).attr.config, 0x803u);
  EXPECT_EQ(catalogue.Encoding(*id).attr.exclude_kernel, 1u);
  EXPECT_EQ(catalogue.Describe(*id).event_text, "retired sse avx flops");
  EXPECT_EQ(catalogue.Describe(*id).mask_text, "mac flops:monitor at user level");
  EXPECT_EQ(catalogue.Describe(*id).pmu_name, "amd64_fam1ah_zen5");
  const std::vector<std::string> listed = ListedOf(catalogue);
  EXPECT_EQ(listed.size(), 81u);
  EXPECT_THAT(listed, testing::Contains("CYCLES_NOT_IN_HALT"));
}

TEST(CatalogueOfATable, DerivesGroupsDefaultsAndWiredValues) {
  NativeCatalogue zen5([] { return Tables("amd64_fam1ah_zen5"); }, "");
  EventComplaint complaint;
  const auto flops = zen5.Attributes("RETIRED_SSE_AVX_FLOPS", complaint);
  ASSERT_TRUE(flops) << complaint.c_str();
  ASSERT_EQ((*flops)->groups.size(), 2u);
  std::set<std::string> defaults;
  for (const AttributeGroup& group : (*flops)->groups) defaults.insert(group.default_name);
  EXPECT_EQ(defaults, (std::set<std::string>{"ALL_TYPE", "ANY"}));

  NativeCatalogue granite([] { return Tables("gnr"); }, "");
  const auto activity = granite.Attributes("CYCLE_ACTIVITY", complaint);
  ASSERT_TRUE(activity) << complaint.c_str();
  for (const EventAttribute& attribute : (*activity)->attributes) {
    if (attribute.name != "STALLS_TOTAL") continue;
    EXPECT_TRUE(attribute.hard_wired);
    EXPECT_EQ(attribute.modifiers, "c=4");
  }
  const auto changed =
      granite.Find(CatalogueSide::kCore, "CYCLE_ACTIVITY:STALLS_TOTAL:c=2", complaint);
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, Errc::kAttribute);
  EXPECT_THAT(complaint.c_str(), HasSubstr("has c=4 fixed"));
}

TEST(CatalogueOfATable, NamesTheMistake) {
  NativeCatalogue catalogue([] { return Tables("amd64_fam1ah_zen5"); }, "");
  EventComplaint complaint;
  const auto refused = [&](std::string_view name) {
    const auto id = catalogue.Find(CatalogueSide::kCore, name, complaint);
    return id ? Errc::kOk : id.error().code;
  };
  EXPECT_EQ(refused("CYCLES_NOT_IN_HALTS"), Errc::kNoEvent);
  EXPECT_THAT(complaint.c_str(), HasSubstr("nearest: CYCLES_NOT_IN_HALT"));
  EXPECT_EQ(refused("RETIRED_SSE_AVX_FLOPS:MAC_FLOP"), Errc::kAttribute);
  EXPECT_THAT(complaint.c_str(), HasSubstr("MAC_FLOPS"));
  EXPECT_EQ(refused("RETIRED_X87_FP_OPS"), Errc::kAttribute);
  EXPECT_THAT(complaint.c_str(), HasSubstr("needs a unit mask"));
  EXPECT_EQ(refused("RETIRED_FP_OPS_BY_TYPE:SCALAR_ADD:SCALAR_SUB"), Errc::kCombination);
  EXPECT_EQ(refused("no_such_pmu::CYCLES_NOT_IN_HALT"), Errc::kNoEvent);
}

TEST(CatalogueOfATable, HasANameForEachKindOfCore) {
  NativeCatalogue catalogue([] { return Tables("adl_glc,adl_grt"); }, "");
  EventComplaint complaint;
  const auto p_core =
      catalogue.Find(CatalogueSide::kCore, "adl_glc::INST_RETIRED:ANY_P", complaint);
  const auto e_core =
      catalogue.Find(CatalogueSide::kCore, "adl_grt::INST_RETIRED:ANY_P", complaint);
  ASSERT_TRUE(p_core && e_core) << complaint.c_str();
  EXPECT_NE(catalogue.Encoding(*p_core).pmu, catalogue.Encoding(*e_core).pmu);
  const std::vector<std::string> listed = ListedOf(catalogue);
  EXPECT_THAT(listed, testing::Contains("adl_glc::INST_RETIRED"));
  EXPECT_THAT(listed, testing::Contains("adl_grt::INST_RETIRED"));
}

TEST(CatalogueOfANewerLibpfm4, ListsPmusBeyondTheNumbersOfOurHeader) {
  NativeCatalogue catalogue([] { return fakes::OnePmuPfm::Open("newer", PFM_PMU_MAX + 7, 3); }, "");
  EventComplaint complaint;
  EXPECT_THAT(ListedOf(catalogue), ElementsAre("EVENT_0", "EVENT_1", "EVENT_2"));
  EXPECT_TRUE(catalogue.Find(CatalogueSide::kCore, "newer::EVENT_2", complaint))
      << complaint.c_str();
}

TEST(CatalogueOfAKernel, TakesPerfsSpelling) {
  NativeCatalogue catalogue([]() -> const PfmLibrary* { return nullptr; }, "");
  EventComplaint complaint;
  EXPECT_FALSE(catalogue.Find(CatalogueSide::kCore, "nowhere/event=1,umask=2/", complaint));
  EXPECT_THAT(complaint.c_str(), HasSubstr("the kernel does not have: \"nowhere\""));
  const auto id = catalogue.Find(CatalogueSide::kCore, "software/config=2/u", complaint);
  if (!id && complaint.view().find("does not have") != std::string_view::npos) {
    GTEST_SKIP() << "the kernel does not show its PMUs";
  }
  ASSERT_TRUE(id) << complaint.c_str();
  const NativeEncoding& encoding = catalogue.Encoding(*id);
  EXPECT_EQ(encoding.attr.type, static_cast<unsigned>(PERF_TYPE_SOFTWARE));
  EXPECT_EQ(encoding.attr.config, 2u);
  EXPECT_TRUE(encoding.user_given);
  EXPECT_EQ(encoding.attr.exclude_kernel, 1u);
  EXPECT_FALSE(catalogue.Find(CatalogueSide::kCore, "software/config=2/x", complaint));
  EXPECT_FALSE(catalogue.Find(CatalogueSide::kUncore, "software/config=2/", complaint));
}

}  // namespace
}  // namespace csink
