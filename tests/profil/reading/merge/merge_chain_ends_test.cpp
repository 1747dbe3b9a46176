#include "profil/reading/merge/merge_chain_ends.h"

#include <gtest/gtest.h>

#include "profil/reading/merge/merge.h"
#include "tests/fakes/spool_builder.h"

namespace csink {
namespace {

using testing::SpoolBuilder;

spool::ChainEndRecord Ended(spool::ChainEnd end, std::uint32_t region, std::uint64_t chains,
                            std::uint32_t copied = 256) {
  spool::ChainEndRecord record{};
  record.end = end;
  record.way = spool::ChainWay::kUnwind;
  record.region = region;
  record.copied_bytes = copied;
  record.chains = chains;
  return record;
}

Profile ProfileOf(const SpoolBuilder& builder) {
  const auto spool = spool::ParseSpool(builder.Build());
  EXPECT_TRUE(spool);
  ProfileMerger merger(MergeOptions{});
  merger.Add(*spool, ProcessState::kComplete, "/spool");
  merger.Add(*spool, ProcessState::kComplete, "/spool");
  return merger.Finish();
}

TEST(ChainEndTable, SumsByEndAndModule) {
  SpoolBuilder b;
  const auto first = b.AddRegion({.path = "/lib/a.so", .start = 0x1000, .end = 0x2000});
  const auto second = b.AddRegion({.path = "/lib/a.so", .start = 0x8000, .end = 0x9000});
  b.AddChainEnd(Ended(spool::ChainEnd::kNoRows, first, 3));
  b.AddChainEnd(Ended(spool::ChainEnd::kNoRows, second, 4, 8192));
  b.AddChainEnd(Ended(spool::ChainEnd::kMain, first, 5));
  b.AddChainEnd(Ended(spool::ChainEnd::kMain, first, 0));
  const Profile profile = ProfileOf(b);
  ASSERT_EQ(profile.chain_ends.size(), 2u);
  EXPECT_EQ(profile.chain_ends[0].chains, 14u);
  EXPECT_EQ(profile.chain_ends[0].copied_bytes, 8192u);
  EXPECT_EQ(profile.modules[profile.chain_ends[0].module].path, "/lib/a.so");
  EXPECT_EQ(profile.chain_ends[1].chains, 10u);
}

TEST(ChainEndTable, TakesBadBytesForUnknown) {
  SpoolBuilder b;
  spool::ChainEndRecord record = Ended(static_cast<spool::ChainEnd>(200), 77, 3);
  record.way = static_cast<spool::ChainWay>(99);
  b.AddChainEnd(record);
  const Profile profile = ProfileOf(b);
  ASSERT_EQ(profile.chain_ends.size(), 1u);
  EXPECT_EQ(profile.chain_ends[0].end, spool::ChainEnd::kUnknown);
  EXPECT_EQ(profile.chain_ends[0].way, spool::ChainWay::kUnknown);
  EXPECT_EQ(profile.chain_ends[0].module, kNoModule);
}

}  // namespace
}  // namespace csink
