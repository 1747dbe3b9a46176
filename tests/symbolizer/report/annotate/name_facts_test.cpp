#include "symbolizer/report/annotate/name_facts.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "symbolizer/report/wording/name_id.h"
#include "tests/symbolizer/report/formats/written.h"
#include "tests/symbolizer/report/waiting_sample.h"

namespace csink::annotate {
namespace {

using report::NameId;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::SpoolBuilder;

/// Nothing of these modules is a file, so that there is no code.
std::vector<NameFacts> Facts(const report::Report& report, const std::string& wanted) {
  return FactsOfName(report, wanted, {}, {});
}

report::NamedCells Named(const std::string& name) { return {name, "app", {}}; }

report::CallNode Node(std::uint32_t parent, std::uint32_t function, std::uint64_t total) {
  report::Cell cell;
  cell.samples = total;
  cell.weight = total * 1'000'000;
  report::CallNode node;
  node.parent = parent;
  node.function = function;
  node.total = {cell};
  node.self = {report::Cell()};
  return node;
}

/// main calls f 60 of 100 times and g 40 times; f calls g (50), which calls f again (20), and that
/// h (15).
report::Report Recursive() {
  report::Report report;
  report.profile.events.resize(1);
  report.profile.events[0].name = "task-clock";
  report.profile.events[0].kind = EventClass::kClock;
  report.call_functions = {Named(""), Named("main"), Named("f"), Named("g"), Named("h")};
  report.call_tree = {Node(0, 0, 100), Node(0, 1, 100), Node(1, 2, 60), Node(1, 3, 40),
                      Node(2, 3, 50),  Node(4, 2, 20),  Node(5, 4, 15)};
  return report;
}

TEST(NameFacts, CountTheOutermostCallOfARecursion) {
  const std::vector<NameFacts> facts = Facts(Recursive(), "f");
  ASSERT_EQ(facts.size(), 1u);
  ASSERT_TRUE(facts[0].total.has_value());
  EXPECT_EQ(facts[0].total->samples, 60u);
  EXPECT_DOUBLE_EQ(facts[0].total_share, 0.6);
  ASSERT_EQ(facts[0].callers.size(), 1u);
  EXPECT_EQ(facts[0].callers[0].name, "main");
  EXPECT_DOUBLE_EQ(facts[0].callers[0].share, 1);
  ASSERT_EQ(facts[0].callees.size(), 1u);
  EXPECT_EQ(facts[0].callees[0].name, "g");
  EXPECT_DOUBLE_EQ(facts[0].callees[0].share, 50.0 / 60);
}

TEST(NameFacts, HaveAllCallersByTheirShare) {
  const std::vector<NameFacts> facts = Facts(Recursive(), NameId("g"));
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].total->samples, 90u);
  ASSERT_EQ(facts[0].callers.size(), 2u);
  EXPECT_EQ(facts[0].callers[0].name, "f");
  EXPECT_DOUBLE_EQ(facts[0].callers[0].share, 50.0 / 90);
  EXPECT_EQ(facts[0].callers[1].name, "main");
}

TEST(NameFacts, OfALockHaveItsWaitersAndHolders) {
  const SpoolBuilder spool = testing::WaitingSpool();
  const report::Report report = testing::MakeAll({&spool}, testing::WaitingNames());
  const std::vector<NameFacts> facts = Facts(report, NameId("table_lock"));
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_TRUE(facts[0].is_lock);
  ASSERT_FALSE(facts[0].waits.empty());
  EXPECT_EQ(facts[0].waits[0].function, "lookup");
  ASSERT_FALSE(facts[0].holders.empty());
  EXPECT_EQ(facts[0].holders[0].function, "rebuild");
  EXPECT_THAT(WriteNameFacts(facts),
              AllOf(HasSubstr("A lock in"), HasSubstr("Waited for in:\n- "),
                    HasSubstr(NameId("lookup") + " `lookup`"), HasSubstr("Held meanwhile by:"),
                    Not(HasSubstr("self:"))));
  const auto json = nlohmann::json::parse(WriteNameFactsJson(facts));
  EXPECT_EQ(json["names"][0]["kind"], "lock");
  EXPECT_EQ(json["names"][0]["holders"][0]["function"]["name"], "rebuild");
}

TEST(NameFacts, OfAFunctionHaveWhereItWasBlocked) {
  const SpoolBuilder spool = testing::WaitingSpool();
  const report::Report report = testing::MakeAll({&spool}, testing::WaitingNames());
  const std::vector<NameFacts> facts = Facts(report, "lookup");
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_FALSE(facts[0].is_lock);
  ASSERT_FALSE(facts[0].waits.empty());
  EXPECT_EQ(facts[0].waits[0].lock, "table_lock");
  EXPECT_THAT(WriteNameFacts(facts), HasSubstr("Blocked in it:\n- "));
}

TEST(NameFacts, OfAnUnknownNameAreEmpty) {
  const report::Report report = Recursive();
  EXPECT_TRUE(Facts(report, "").empty());
  EXPECT_TRUE(Facts(report, "i").empty());
  EXPECT_TRUE(Facts(report, "n0000000").empty());
  EXPECT_TRUE(Facts(report::Report(), "f").empty());
}

TEST(NameFacts, AreShortWhateverTheNames) {
  std::string name;
  for (int i = 0; i < 4000; ++i) name += i % 20 == 0 ? "`|" : "\xcc\x81";
  NameFacts facts;
  facts.name = facts.module = facts.event = facts.code_of = name;
  facts.total.emplace();
  facts.callers.assign(kMostNeighbours, {name, 0.5});
  facts.callees.assign(kMostNeighbours, {name, 0.5});
  facts.lines.assign(kMostHotLines, {name, 7, {}});
  facts.code.assign(9, {"7", name, 0.5});
  facts.waits.assign(kMostBlockedPlaces, {1, name, name, name, 7, "mutex", name});
  const std::vector<NameFacts> all(kMostOfName, facts);
  const std::string text = WriteNameFacts(all);
  EXPECT_LE(text.size(), kMostShownBytes);
  EXPECT_THAT(text, HasSubstr("\nCut: "));
  const std::string json = WriteNameFactsJson(all);
  EXPECT_LE(json.size(), kMostShownBytes);
  EXPECT_EQ(nlohmann::json::parse(json)["cut"], true);
}

TEST(NameId, IsTheSameEverywhereAndTold) {
  // FNV-1a, 64 bits, of "foobar": 85944171f73967e8.
  EXPECT_EQ(NameId("foobar"), "n8594417");
  EXPECT_EQ(NameId(""), "");
  EXPECT_TRUE(report::IsNameId("n8594417"));
  for (const char* text : {"", "n", "8594417a", "n859441", "n85944171", "n859441G", "main"}) {
    EXPECT_FALSE(report::IsNameId(text)) << text;
  }
}

}  // namespace
}  // namespace csink::annotate
