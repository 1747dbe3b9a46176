#include "profil/inside/chains/chain_ends.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/profil/spool_bytes.h"

namespace csink {
namespace {

using spool::ChainEnd;
using spool::ChainWay;
using testing::SpoolBytes;
using testing::TemporaryFolder;

class ChainEndsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    spool::Header header = {};
    header.event_count = 1;
    ASSERT_TRUE(spool_->Create(folder_.path(), "test", header));
  }
  std::vector<spool::ChainEndRecord> Records() {
    return SpoolBytes(spool_->path())
        .Records<spool::ChainEndRecord>(spool::SegmentKind::kChainEnds);
  }

  TemporaryFolder folder_;
  std::unique_ptr<SpoolWriter> spool_ = std::make_unique<SpoolWriter>();
  std::unique_ptr<ChainEnds> ends_ = std::make_unique<ChainEnds>();  // Zero, as in a mapping
};

TEST_F(ChainEndsTest, CountsByEndWayAndRegion) {
  ends_->Count(*spool_, ChainWay::kUnwind, {ChainEnd::kNoRows, 3}, 8192);
  ends_->Count(*spool_, ChainWay::kUnwind, {ChainEnd::kNoRows, 3}, 256);
  ends_->Count(*spool_, ChainWay::kUnwind, {ChainEnd::kNoRows, 4}, 256);
  ends_->Count(*spool_, ChainWay::kLook, {ChainEnd::kNoRows, 3}, 0);
  ends_->Count(*spool_, ChainWay::kUnwind, {ChainEnd::kMain, 3}, 0);
  const auto records = Records();
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].end, ChainEnd::kNoRows);
  EXPECT_EQ(records[0].region, 3u);
  EXPECT_EQ(records[0].chains, 2u);
  EXPECT_EQ(records[0].copied_bytes, 8192u);
  EXPECT_EQ(records[2].way, ChainWay::kLook);
  EXPECT_EQ(records[3].chains, 1u);
}

TEST_F(ChainEndsTest, CountsWithoutTheRegionWhenTheTableIsFull) {
  for (std::uint32_t region = 0; region < 2000; ++region) {
    ends_->Count(*spool_, ChainWay::kUnwind, {ChainEnd::kNotCode, region}, 0);
  }
  ends_->Count(*spool_, ChainWay::kUnwind, {ChainEnd::kDepth, 5000}, 0);
  std::uint64_t broken = 0;
  std::uint64_t deep = 0;
  for (const spool::ChainEndRecord& record : Records()) {
    (record.end == ChainEnd::kDepth ? deep : broken) += record.chains;
  }
  EXPECT_EQ(broken, 2000u);
  EXPECT_EQ(deep, 1u);
}

TEST(IsCutTest, KnowsCompleteChains) {
  for (const ChainEnd end : {ChainEnd::kMain, ChainEnd::kThread, ChainEnd::kOutermost,
                             ChainEnd::kContext, ChainEnd::kHandlerStack, ChainEnd::kUnchecked}) {
    EXPECT_FALSE(spool::IsCut(end));
  }
  EXPECT_TRUE(spool::IsCut(ChainEnd::kUnknown));
  EXPECT_TRUE(spool::IsCut(ChainEnd::kCopyEnded));
  EXPECT_TRUE(spool::IsCut(ChainEnd::kMoved));
}

}  // namespace
}  // namespace csink
