#include "profil/reading/model/evidence_sums.h"

#include <gtest/gtest.h>

#include "profil/reading/merge/merge.h"
#include "profil/reading/merge/merged_file.h"
#include "profil/reading/reader/reader.h"
#include "tests/fakes/spool_builder.h"

namespace csink {
namespace {

using testing::SpoolBuilder;

constexpr std::uint64_t kMs = 1'000'000;

/// A program with 40 samples of its own and 60 in a child before its exec.
SpoolBuilder WithChild() {
  SpoolBuilder b;
  b.SetCommand("app", "app --work");
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  const auto child = b.AddThread(9001, "app");
  spool::ThreadRecord& record = b.thread(child);
  record.flags = spool::kThreadIsChild;
  record.ended = 1;
  record.cpu_ns = 70 * kMs;
  record.child_system_ns = 8 * kMs;
  record.child_end = static_cast<std::uint64_t>(spool::End::kExec);
  record.start_monotonic_ns = b.header().start_monotonic_ns + 100 * kMs;
  record.end_monotonic_ns = b.header().start_monotonic_ns + 180 * kMs;
  b.AddHits(app, 1, 0x401000, 40);
  b.AddHits(app, child, 0x402000, 60);
  b.header().evidence.vfork_children = 3;
  b.header().evidence.vfork_child_ns = 72 * kMs;
  b.header().evidence.growth_errno = 28;
  b.header().evidence.growth_limit = 4096;
  return b;
}

Profile Merged(std::vector<std::byte> bytes) {
  auto spool = spool::ParseSpool(std::move(bytes));
  EXPECT_TRUE(spool) << spool.error().what;
  ProfileMerger merger;
  merger.Add(*spool, ProcessState::kComplete, "/spool");
  return merger.Finish();
}

void ExpectChild(const Profile& profile) {
  ASSERT_EQ(profile.processes.size(), 2u);
  const ProcessRow& parent = profile.processes[0];
  const ProcessRow& child = profile.processes[1];
  EXPECT_FALSE(parent.IsBeforeExec());
  EXPECT_EQ(parent.counts[0].samples, 40u);
  EXPECT_EQ(parent.evidence.vfork_children, 3u);
  EXPECT_EQ(parent.evidence.vfork_child_ns, 72 * kMs);
  EXPECT_EQ(parent.evidence.growth_errno, 28u);
  EXPECT_EQ(parent.evidence.growth_limit, 4096u);
  EXPECT_TRUE(child.IsBeforeExec());
  EXPECT_EQ(child.program, "app (child before exec)");
  EXPECT_EQ(child.pid, 9001u);
  EXPECT_EQ(child.parent_pid, parent.pid);
  EXPECT_EQ(child.counts[0].samples, 60u);
  EXPECT_EQ(child.user_ns, 62 * kMs);
  EXPECT_EQ(child.system_ns, 8 * kMs);
  EXPECT_EQ(child.end, spool::End::kExec);
  EXPECT_EQ(profile.events[0].samples, 100u);
  std::size_t threads = 0;
  for (const ThreadRow& thread : profile.threads) threads += thread.process == 1;
  EXPECT_EQ(threads, 1u);
}

TEST(ChildBeforeExec, IsAProcessOfItsOwn) { ExpectChild(Merged(WithChild().Build())); }

TEST(ChildBeforeExec, IsAProcessOfItsOwnInAMergedFileToo) {
  const auto bytes = BuildMergedFile(Merged(WithChild().Build()));
  ASSERT_TRUE(bytes);
  ExpectChild(Merged(*bytes));
}

TEST(Evidence, OfManyProcessesIsASum) {
  spool::Evidence sum = {};
  spool::Evidence one = {};
  one.start_agent_ns = 5;
  one.interrupt_ns = 900;
  one.late_threads = 0xffffffffu;
  one.lost_mappings = 2;
  AddTo(sum, one);
  one.growth_errno = 27;
  one.growth_limit = 512;
  AddTo(sum, one);
  AddTo(sum, spool::Evidence{});
  EXPECT_EQ(sum.start_agent_ns, 10u);
  EXPECT_EQ(sum.interrupt_ns, 900u);
  EXPECT_EQ(sum.late_threads, 0xffffffffu);
  EXPECT_EQ(sum.lost_mappings, 4u);
  EXPECT_EQ(sum.growth_errno, 27u);
  EXPECT_EQ(sum.growth_limit, 512u);
}

TEST(Evidence, OfAnIntervalIsWhatCame) {
  spool::Evidence now = {};
  spool::Evidence before = {};
  now.agent_thread_ns = 50;
  before.agent_thread_ns = 20;
  now.sandbox_monotonic_ns = before.sandbox_monotonic_ns = 7;
  before.late_threads = 3;
  TakeOff(now, before);
  EXPECT_EQ(now.agent_thread_ns, 30u);
  EXPECT_EQ(now.sandbox_monotonic_ns, 7u);
  EXPECT_EQ(now.late_threads, 0u);
}

}  // namespace
}  // namespace csink
