#include "profil/reading/model/child_ends.h"

#include <gtest/gtest.h>

namespace csink {
namespace {

ProcessRow Row(std::uint64_t start_ns, std::uint64_t update_ns, std::uint64_t user_ns) {
  ProcessRow row;
  row.pid = 7;
  row.start_ticks = start_ns;
  row.start_monotonic_ns = start_ns;
  row.update_monotonic_ns = update_ns;
  row.user_ns = user_ns;
  return row;
}

ChildEnd End(std::uint64_t monotonic_ns, std::uint64_t user_ns) {
  ChildEnd end;
  end.pid = 7;
  end.monotonic_ns = monotonic_ns;
  end.user_ns = user_ns;
  return end;
}

TEST(ApplyChildEnds, TakesAnEndBeforeAReadingFromOutside) {
  Profile profile;
  profile.processes = {Row(100, 300, 50'000'000)};
  EvidenceOf(profile.tree_evidence, 0).ends = {End(200, 51'000'000)};
  ApplyChildEnds(profile);
  EXPECT_TRUE(profile.processes[0].waited);
  EXPECT_EQ(profile.processes[0].waited_user_ns, 51'000'000u);
}

TEST(ApplyChildEnds, RefusesTheEndOfAnEarlierProcessWithTheNumber) {
  Profile profile;
  profile.processes = {Row(100, 300, 50'000'000)};
  EvidenceOf(profile.tree_evidence, 0).ends = {End(90, 51'000'000)};
  ApplyChildEnds(profile);
  EXPECT_FALSE(profile.processes[0].waited);
}

TEST(ApplyChildEnds, RefusesAnEndWithLessTimeThanTheReading) {
  Profile profile;
  profile.processes = {Row(100, 300, 50'000'000)};
  EvidenceOf(profile.tree_evidence, 0).ends = {End(200, 20'000'000)};
  ApplyChildEnds(profile);
  EXPECT_FALSE(profile.processes[0].waited);
}

TEST(ApplyChildEnds, GivesEachProcessWithTheNumberItsOwnEnd) {
  Profile profile;
  profile.processes = {Row(100, 200, 10'000'000), Row(400, 500, 20'000'000)};
  EvidenceOf(profile.tree_evidence, 0).ends = {End(600, 21'000'000), End(300, 11'000'000)};
  ApplyChildEnds(profile);
  EXPECT_EQ(profile.processes[0].waited_user_ns, 11'000'000u);
  EXPECT_EQ(profile.processes[1].waited_user_ns, 21'000'000u);
}

TEST(ApplyChildEnds, TakesNoEndOfAnotherTree) {
  Profile profile;
  profile.processes = {Row(100, 200, 10'000'000)};
  profile.processes[0].tree_id = 5;
  EvidenceOf(profile.tree_evidence, 6).ends = {End(300, 11'000'000)};
  ApplyChildEnds(profile);
  EXPECT_FALSE(profile.processes[0].waited);
  EvidenceOf(profile.tree_evidence, 5).ends = {End(300, 12'000'000)};
  ApplyChildEnds(profile);
  EXPECT_EQ(profile.processes[0].waited_user_ns, 12'000'000u);
}

}  // namespace
}  // namespace csink
