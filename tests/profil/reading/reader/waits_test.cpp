#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "profil/reading/reader/reader.h"
#include "tests/fakes/spool_builder.h"

namespace csink::spool {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SpoolBuilder;

/// A spool with one site, its lock and the lock's holder, all of them valid.
struct Parts {
  SpoolBuilder builder;
  WaitSiteRecord site{};
  LockRecord lock{};
  HolderRecord holder{};
};

Parts Valid() {
  Parts parts;
  const auto app =
      parts.builder.AddRegion({.path = "/usr/bin/app", .start = 0x401000, .end = 0x405000});
  const auto chain = parts.builder.AddChain(0, app, 0x401100);
  const auto phase = parts.builder.AddPhase("load", 10);
  parts.lock.address = 0x404040;
  parts.lock.region = app;
  parts.lock.offset = 0x4040;
  parts.lock.kind = WaitKind::kMutex;
  parts.lock.first_pc = 0x402000;
  parts.lock.first_region = app;
  parts.lock.first_chain = chain;
  parts.site.pc = 0x402000;
  parts.site.region = app;
  parts.site.chain = chain;
  parts.site.thread = 1;
  parts.site.phase = phase;
  parts.site.lock = 1;
  parts.site.kind = WaitKind::kMutex;
  parts.site.system_call = 202;
  parts.site.looks = 3;
  parts.site.blocked_ns = 30;
  parts.site.blocked_squared = 300;
  parts.holder.lock = 1;
  parts.holder.thread = 1;
  parts.holder.tid = 4711;
  parts.holder.pc = 0x403000;
  parts.holder.region = app;
  parts.holder.chain = chain;
  parts.holder.looks = 2;
  parts.holder.blocked_ns = 20;
  return parts;
}

Spool ParseParts(Parts& parts) {
  parts.builder.AddLock(parts.lock);
  parts.builder.AddWaitSite(parts.site);
  parts.builder.AddHolder(parts.holder);
  auto spool = ParseSpool(parts.builder.Build());
  EXPECT_TRUE(spool) << spool.error().what;
  return spool ? std::move(*spool) : Spool{};
}

TEST(WaitsReader, ReadsSitesLocksAndHolders) {
  Parts parts = Valid();
  const Spool spool = ParseParts(parts);
  EXPECT_THAT(spool.problems, IsEmpty());
  ASSERT_EQ(spool.waits.sites.size(), 1u);
  ASSERT_EQ(spool.waits.locks.size(), 1u);
  ASSERT_EQ(spool.waits.holders.size(), 1u);
  EXPECT_EQ(spool.waits.sites[0].pc, 0x402000u);
  EXPECT_EQ(spool.waits.sites[0].kind, WaitKind::kMutex);
  EXPECT_EQ(spool.waits.sites[0].system_call, 202);
  EXPECT_EQ(spool.waits.locks[0].offset, 0x4040u);
  EXPECT_EQ(spool.waits.locks[0].blocked_ns, 30u);  // That of its site
  EXPECT_EQ(spool.waits.holders[0].tid, 4711u);
}

TEST(WaitsReader, ReplacesReferencesToRecordsThatDoNotExist) {
  Parts parts = Valid();
  parts.site.region = 7;
  parts.site.chain = 9;
  parts.site.thread = 1000;
  parts.site.phase = 5;
  parts.site.lock = 2;
  parts.lock.region = 8;
  parts.lock.first_chain = 4;
  parts.holder.thread = 77;
  const Spool spool = ParseParts(parts);
  ASSERT_EQ(spool.waits.sites.size(), 1u);
  const WaitSiteRecord& site = spool.waits.sites[0];
  EXPECT_EQ(site.region, kNone);
  EXPECT_EQ(site.chain, 0u);
  EXPECT_EQ(site.thread, kNone);
  EXPECT_EQ(site.phase, 0u);
  EXPECT_EQ(site.lock, 0u);
  EXPECT_EQ(spool.waits.locks[0].region, kNone);
  EXPECT_EQ(spool.waits.locks[0].first_chain, 0u);
  EXPECT_EQ(spool.waits.holders[0].thread, kNone);
  // Each record counts once.
  EXPECT_EQ(spool.misplaced_waits, 3u);
  EXPECT_THAT(spool.problems, Contains(HasSubstr("3 records of waiting threads")));
}

TEST(WaitsReader, DropsHoldersOfAnUnknownLock) {
  Parts parts = Valid();
  parts.holder.lock = 2;
  const Spool spool = ParseParts(parts);
  EXPECT_THAT(spool.waits.holders, IsEmpty());
  EXPECT_EQ(spool.misplaced_waits, 1u);
}

TEST(WaitsReader, DoesNotCallALiveSpoolDamaged) {
  Parts parts = Valid();
  parts.builder.header().state = State::kLive;
  parts.site.chain = 9;
  const Spool spool = ParseParts(parts);
  EXPECT_EQ(spool.misplaced_waits, 1u);
  EXPECT_THAT(spool.problems, IsEmpty());
}

TEST(WaitsReader, MakesSumsOfSquaresNumbers) {
  Parts parts = Valid();
  parts.site.blocked_squared = std::numeric_limits<double>::quiet_NaN();
  parts.site.lock = 0;
  parts.lock.blocked_squared = -1;
  const Spool spool = ParseParts(parts);
  EXPECT_EQ(spool.waits.sites[0].blocked_squared, 0);
  EXPECT_EQ(spool.waits.locks[0].blocked_squared, 0);
}

TEST(WaitsReader, TakesKindsOfALaterVersionAsUnknown) {
  Parts parts = Valid();
  parts.site.kind = static_cast<WaitKind>(99);
  parts.site.descriptor = static_cast<DescriptorKind>(99);
  const Spool spool = ParseParts(parts);
  EXPECT_EQ(spool.waits.sites[0].kind, WaitKind::kUnknown);
  EXPECT_EQ(spool.waits.sites[0].descriptor, DescriptorKind::kUnknown);
  EXPECT_THAT(spool.problems, IsEmpty());
}

}  // namespace
}  // namespace csink::spool
