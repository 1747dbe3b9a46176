#include "profil/reading/merge/merge_waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profil/reading/merge/merge.h"
#include "profil/reading/merge/merged_file.h"
#include "tests/fakes/spool_builder.h"

namespace csink {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::SpoolBuilder;

/// A program whose worker waits for a mutex in the program's data and for one on the heap, and
/// whose main thread joins it. Its samples have no callers.
SpoolBuilder Waiting(std::uint32_t pid, std::uint64_t base) {
  SpoolBuilder b;
  b.header().pid = pid;
  b.header().start_realtime_ns += pid;
  b.header().waits.state = 1;
  b.header().waits.moments = 50;
  b.header().waits.looks = 40;
  b.header().waits.glibc = 2 << 16 | 36;
  const auto app = b.AddRegion(
      {.path = "/usr/bin/app", .start = base, .end = base + 0x4000, .build_id = "\x01\x02"});
  const auto worker = b.AddThread(pid + 1, "worker", base + 0x230, app);
  const auto outer = b.AddChain(0, app, base + 0x100);
  const auto inner = b.AddChain(outer, app, base + 0x200);
  const auto load = b.AddPhase("load", 10);
  const auto lock = [&](std::uint32_t region, std::uint64_t address) {
    spool::LockRecord record{};
    record.address = address;
    record.region = region;
    record.offset = address - base;
    record.kind = spool::WaitKind::kMutex;
    record.first_pc = base + 0x300;
    record.first_region = app;
    record.first_chain = inner;
    record.most_waiters = 2;
    record.moments = 5;
    record.operation_plus_one = 10;
    record.expected = 3;
    return b.AddLock(record);
  };
  const auto in_data = lock(app, base + 0x8000);
  const auto on_heap = lock(spool::kNone, 0x7f0000001000);
  const auto site = [&](std::uint32_t thread, std::uint32_t of, std::uint32_t phase,
                        std::uint64_t looks) {
    spool::WaitSiteRecord record{};
    record.pc = base + 0x300;
    record.region = app;
    record.chain = inner;
    record.thread = thread;
    record.phase = phase;
    record.lock = of;
    record.kind = of == 0 ? spool::WaitKind::kSleep : spool::WaitKind::kMutex;
    record.system_call = of == 0 ? 230 : 202;
    record.looks = looks;
    record.blocked_ns = looks * 1000;
    record.blocked_squared = static_cast<double>(looks) * 1e6;
    b.AddWaitSite(record);
  };
  site(worker, in_data, 0, 10);
  site(worker, on_heap, load, 20);
  site(1, 0, load, 5);
  spool::HolderRecord holder{};
  holder.lock = in_data;
  holder.thread = 1;
  holder.tid = pid;
  holder.pc = base + 0x400;
  holder.region = app;
  holder.state = 1;
  holder.looks = 7;
  holder.blocked_ns = 7000;
  b.AddHolder(holder);
  b.AddHits(app, 1, base + 0x500, 10);
  return b;
}

Profile MergeOf(const std::vector<SpoolBuilder>& builders, const MergeOptions& options = {}) {
  ProfileMerger merger(options);
  for (const SpoolBuilder& builder : builders) {
    auto spool = spool::ParseSpool(builder.Build());
    EXPECT_TRUE(spool) << spool.error().what;
    merger.Add(*spool, ProcessState::kComplete, "/spools/one");
  }
  return merger.Finish();
}

std::uint64_t Looks(const Waits& waits) {
  std::uint64_t looks = 0;
  for (const WaitSite& site : waits.sites) looks += site.looks;
  return looks;
}

TEST(WaitTable, TranslatesPlacesThreadsAndLocks) {
  const Profile profile = MergeOf({Waiting(10, 0x400000)});
  const Waits& waits = profile.waits;
  EXPECT_TRUE(waits.recorded());
  EXPECT_EQ(waits.machine, 62u);
  ASSERT_THAT(waits.sites, SizeIs(3));
  const WaitSite& site = waits.sites[0];
  EXPECT_EQ(site.address.offset, 0x300u);
  EXPECT_EQ(profile.threads[site.thread].name, "worker");
  ASSERT_LT(site.lock, waits.locks.size());
  EXPECT_EQ(waits.locks[site.lock].address, 0x8000u);
  EXPECT_EQ(waits.locks[site.lock].looks, 10u);
  EXPECT_EQ(profile.modules[waits.locks[site.lock].module].path, "/usr/bin/app");
  EXPECT_EQ(waits.sites[2].lock, kNoLock);
  // inner and outer, after the entry for none.
  ASSERT_THAT(waits.callers, SizeIs(3));
  EXPECT_EQ(waits.callers[site.caller].address.offset, 0x200u);
  ASSERT_THAT(waits.holders, SizeIs(1));
  EXPECT_EQ(waits.holders[0].address.offset, 0x400u);
  EXPECT_EQ(waits.observer.looks, 40u);
}

TEST(WaitTable, KeepsTheCallersOfWaitsFromThoseOfSamples) {
  EXPECT_THAT(MergeOf({Waiting(10, 0x400000)}, {.keep_callers = true}).callers, IsEmpty());
}

TEST(WaitTable, SumsLocksOfModulesOverProcessesAndKeepsOthersApart) {
  const Profile profile = MergeOf({Waiting(10, 0x400000), Waiting(20, 0x700000)});
  const Waits& waits = profile.waits;
  ASSERT_THAT(waits.locks, SizeIs(3));
  EXPECT_EQ(waits.locks[0].looks, 20u);
  EXPECT_EQ(waits.locks[0].moments, 10u);
  EXPECT_EQ(waits.locks[0].most_waiters, 2u);
  EXPECT_EQ(waits.locks[1].module, kNoModule);
  EXPECT_EQ(waits.locks[2].module, kNoModule);
  // The same address in two processes.
  EXPECT_EQ(waits.locks[1].address, waits.locks[2].address);
  EXPECT_NE(waits.locks[1].process, waits.locks[2].process);
  EXPECT_EQ(waits.observer.moments, 100u);
  EXPECT_EQ(Looks(waits), 70u);
}

TEST(WaitTable, AddsUpPlacesOfThreadsThatShareARow) {
  // Thread 0, main and worker of two processes: all but the first are one row.
  const Profile profile =
      MergeOf({Waiting(10, 0x400000), Waiting(20, 0x700000)}, {.max_threads = 1});
  // Sleep in main, the mutex in data, and the two mutexes on the heap.
  EXPECT_THAT(profile.waits.sites, SizeIs(4));
  EXPECT_EQ(Looks(profile.waits), 70u);
}

TEST(WaitTable, TakesOnlyTheWantedMark) {
  const Profile profile = MergeOf({Waiting(10, 0x400000)}, {.only_phase = "load"});
  EXPECT_EQ(Looks(profile.waits), 25u);
  EXPECT_THAT(profile.waits.holders, IsEmpty());
  ASSERT_THAT(profile.waits.locks, SizeIs(2));
  EXPECT_EQ(profile.waits.locks[0].looks, 0u);
  EXPECT_EQ(profile.waits.locks[1].looks, 20u);
}

TEST(WaitTable, SaysThatCallersBeyondTheCapAreMissing) {
  // The entry for none, and outer.
  const Profile profile =
      MergeOf({Waiting(10, 0x400000)}, {.keep_callers = true, .max_callers = 2});
  EXPECT_THAT(profile.problems,
              ElementsAre("more than 2 callers: some waits are shown without callers"));
}

TEST(WaitTable, ForgetsTheMachineIfTwoDiffer) {
  std::vector<SpoolBuilder> builders = {Waiting(10, 0x400000), Waiting(20, 0x700000)};
  builders[1].header().elf_machine = 183;
  EXPECT_EQ(MergeOf(builders).waits.machine, 0u);
}

TEST(WaitTable, ForgetsTheReleaseOfTheLibraryIfTwoDiffer) {
  std::vector<SpoolBuilder> builders = {Waiting(10, 0x400000), Waiting(20, 0x700000)};
  builders[1].header().waits.glibc = 2 << 16 | 41;
  const Waits waits = MergeOf(builders).waits;
  EXPECT_EQ(waits.observer.glibc, 0u);
  EXPECT_EQ(waits.locks[1].glibc, 2u << 16 | 36);
  EXPECT_EQ(waits.locks[2].glibc, 2u << 16 | 41);
}

TEST(WaitTable, ReadsAMergedFileAsItsSpools) {
  const MergeOptions options{.keep_callers = true, .keep_phases = true};
  const Profile first = MergeOf({Waiting(10, 0x400000), Waiting(20, 0x700000)}, options);
  auto bytes = BuildMergedFile(first);
  ASSERT_TRUE(bytes) << bytes.error().what;
  auto spool = spool::ParseSpool(std::move(*bytes));
  ASSERT_TRUE(spool) << spool.error().what;
  EXPECT_THAT(spool->problems, IsEmpty());
  ProfileMerger merger(options);
  merger.Add(*spool, ProcessState::kComplete, "merged");
  const Profile again = merger.Finish();
  EXPECT_THAT(again.callers, IsEmpty());
  EXPECT_EQ(again.waits.machine, first.waits.machine);
  EXPECT_EQ(again.waits.observer.looks, first.waits.observer.looks);
  ASSERT_EQ(again.waits.sites.size(), first.waits.sites.size());
  for (std::size_t i = 0; i < first.waits.sites.size(); ++i) {
    const WaitSite& a = first.waits.sites[i];
    const WaitSite& b = again.waits.sites[i];
    EXPECT_EQ(a.address.offset, b.address.offset);
    EXPECT_EQ(a.caller, b.caller);
    EXPECT_EQ(a.phase, b.phase);
    EXPECT_EQ(a.lock, b.lock);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.looks, b.looks);
    EXPECT_EQ(a.blocked_ns, b.blocked_ns);
    EXPECT_EQ(a.blocked_squared, b.blocked_squared);
    ASSERT_NE(b.thread, kNoThread);
    EXPECT_EQ(first.threads[a.thread].tid, again.threads[b.thread].tid);
  }
  ASSERT_EQ(again.waits.locks.size(), first.waits.locks.size());
  for (std::size_t i = 0; i < first.waits.locks.size(); ++i) {
    EXPECT_EQ(again.waits.locks[i].address, first.waits.locks[i].address);
    EXPECT_EQ(again.waits.locks[i].looks, first.waits.locks[i].looks);
    EXPECT_EQ(again.waits.locks[i].first_caller, first.waits.locks[i].first_caller);
    EXPECT_EQ(again.waits.locks[i].operation_plus_one, 10u);
    EXPECT_EQ(again.waits.locks[i].expected, 3u);
    EXPECT_EQ(again.waits.locks[i].glibc, 2u << 16 | 36);
    EXPECT_EQ(again.waits.locks[i].process, first.waits.locks[i].process);
  }
  ASSERT_EQ(again.waits.holders.size(), first.waits.holders.size());
  EXPECT_EQ(again.waits.holders[0].address.offset, first.waits.holders[0].address.offset);
}

}  // namespace
}  // namespace csink
