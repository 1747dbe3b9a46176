#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/events/event_attributes.h"
#include "core/events/native_catalogue.h"
#include "tests/fakes/fake_pfm.h"

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

}  // namespace
}  // namespace csink
