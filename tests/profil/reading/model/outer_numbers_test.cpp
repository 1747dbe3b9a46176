#include "profil/reading/model/outer_numbers.h"

#include <gtest/gtest.h>

namespace csink {
namespace {

ProcessRow Row(std::uint32_t pid, std::uint64_t ticks, std::uint64_t update_ns) {
  ProcessRow row;
  row.pid = row.namespace_pid = pid;
  row.start_ticks = ticks;
  row.update_monotonic_ns = update_ns;
  return row;
}

TEST(ApplyOuterNumbers, TellsTwoNamespacesApartByTheStart) {
  Profile profile;
  profile.processes = {Row(1, 50, 900), Row(1, 60, 900)};
  EvidenceOf(profile.tree_evidence, 0).outer_numbers = {{1, 4001, 4000, 50, 100},
                                                        {1, 4002, 0, 60, 200}};
  ApplyOuterNumbers(profile);
  EXPECT_EQ(profile.processes[0].pid, 4001u);
  EXPECT_EQ(profile.processes[0].namespace_pid, 1u);
  EXPECT_EQ(profile.processes[0].parent_pid, 4000u);
  EXPECT_EQ(profile.processes[1].pid, 4002u);
  EXPECT_EQ(profile.processes[1].parent_pid, 0u);
}

TEST(ApplyOuterNumbers, TakesTheLastProcessForARecordWithoutStart) {
  Profile profile;
  profile.processes = {Row(1, 0, 150), Row(1, 0, 250), Row(1, 0, 50)};
  EvidenceOf(profile.tree_evidence, 0).outer_numbers = {{1, 4001, 4000, 50, 100},
                                                        {1, 4002, 4000, 60, 200}};
  ApplyOuterNumbers(profile);
  EXPECT_EQ(profile.processes[0].pid, 4001u);
  EXPECT_EQ(profile.processes[1].pid, 4002u);
  EXPECT_EQ(profile.processes[2].pid, 1u);  // before both
}

TEST(ApplyOuterNumbers, LeavesProcessesWithAParentAlone) {
  Profile profile;
  profile.processes = {Row(1, 50, 900)};
  profile.processes[0].parent_pid = 3;
  EvidenceOf(profile.tree_evidence, 0).outer_numbers = {{1, 4001, 4000, 50, 100}};
  ApplyOuterNumbers(profile);
  EXPECT_EQ(profile.processes[0].pid, 1u);
}

TEST(ApplyOuterNumbers, RenumbersWhatTheProcessRecorded) {
  Profile profile;
  TreeEvidence& evidence = EvidenceOf(profile.tree_evidence, 0);
  evidence.outer_numbers = {{1, 4001, 4000, 50, 100}};
  evidence.ends = {{2, 1, 0, 5, 5, 300}, {2, 1, 0, 5, 5, 90}};
  evidence.children = {{1, 5, 5, 300}};
  evidence.refused = {{1, spool::Refusal::kStatic, "/bin/x", 300}};
  ApplyOuterNumbers(profile);
  EXPECT_EQ(evidence.ends[0].waiter_pid, 4001u);
  EXPECT_EQ(evidence.ends[0].pid, 2u);
  EXPECT_EQ(evidence.ends[1].waiter_pid, 1u);
  EXPECT_EQ(evidence.children[0].pid, 4001u);
  EXPECT_EQ(evidence.refused[0].pid, 4001u);
}

}  // namespace
}  // namespace csink
