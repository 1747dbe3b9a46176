#include "profil/reading/model/lineage.h"

#include <gtest/gtest.h>

namespace csink {
namespace {

ProcessRow Row(std::uint32_t pid, std::uint32_t parent, std::uint64_t start_ns, spool::End end) {
  ProcessRow row;
  row.pid = pid;
  row.parent_pid = parent;
  row.start_monotonic_ns = start_ns;
  row.end = end;
  row.host = "host";
  return row;
}

constexpr std::uint64_t kMs = 1'000'000;

TEST(RelateImages, CountsImagesThatFollowByExec) {
  Profile profile;
  profile.processes = {Row(5, 1, 10 * kMs, spool::End::kExec),
                       Row(5, 1, 20 * kMs, spool::End::kExec),
                       Row(5, 1, 30 * kMs, spool::End::kExit)};
  RelateImages(profile);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(profile.processes[i].generation, i);
    EXPECT_EQ(profile.processes[i].start_ticks, profile.processes[0].start_ticks);
  }
}

TEST(RelateImages, APidThatComesAgainIsAnotherProcess) {
  Profile profile;
  profile.processes = {Row(5, 1, 100 * kMs, spool::End::kExit),
                       Row(5, 1, 900 * kMs, spool::End::kExit)};
  RelateImages(profile);
  EXPECT_EQ(profile.processes[1].generation, 0u);
  EXPECT_NE(profile.processes[0].start_ticks, profile.processes[1].start_ticks);
}

TEST(RelateImages, TakesTheStartTicksOfASpool) {
  Profile profile;
  profile.processes = {Row(5, 1, 100 * kMs, spool::End::kExec),
                       Row(5, 1, 900 * kMs, spool::End::kExit)};
  profile.processes[1].start_ticks = 4711;
  RelateImages(profile);
  EXPECT_EQ(profile.processes[0].start_ticks, 4711u);
  EXPECT_EQ(profile.processes[1].generation, 1u);
}

TEST(RelateImages, ADepthIsThatOfTheParentAndOne) {
  Profile profile;
  profile.processes = {
      Row(7, 6, 30 * kMs, spool::End::kExit), Row(5, 1, 10 * kMs, spool::End::kExit),
      Row(6, 5, 20 * kMs, spool::End::kExit), Row(9, 99, 40 * kMs, spool::End::kExit)};
  profile.processes[3].depth = 2;  // its parent is not in the profile, it counted itself
  RelateImages(profile);
  EXPECT_EQ(profile.processes[1].depth, 0u);
  EXPECT_EQ(profile.processes[2].depth, 1u);
  EXPECT_EQ(profile.processes[0].depth, 2u);
  EXPECT_EQ(profile.processes[3].depth, 2u);
}

TEST(RelateImages, ARowThatIsItsOwnParentStandsAlone) {
  Profile profile;
  profile.processes = {Row(5, 5, 0, spool::End::kExec), Row(5, 5, 0, spool::End::kExec)};
  RelateImages(profile);
  EXPECT_EQ(profile.processes[0].depth, 0u);
}

}  // namespace
}  // namespace csink
