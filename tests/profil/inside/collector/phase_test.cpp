#include "profil/inside/collector/phase.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/profil/spool_bytes.h"

namespace csink {
namespace {

using testing::SpoolBytes;
using testing::TemporaryFolder;

class CurrentPhaseTest : public ::testing::Test {
 protected:
  void SetUp() override { MakeSpool(); }
  void MakeSpool() {
    spool_ = std::make_unique<SpoolWriter>();
    spool::Header header = {};
    header.event_count = 1;
    ASSERT_TRUE(spool_->Create(folder_.path(), "test", header));
  }
  std::vector<spool::PhaseRecord> Records() {
    return SpoolBytes(spool_->path()).Records<spool::PhaseRecord>(spool::SegmentKind::kPhases);
  }

  TemporaryFolder folder_;
  std::unique_ptr<SpoolWriter> spool_;
  CurrentPhase phase_;
};

TEST_F(CurrentPhaseTest, HasNoRecordBeforeTheFirstMark) {
  phase_.StoreTime(*spool_, 500, 0);
  EXPECT_EQ(phase_.id(), 0u);
  EXPECT_TRUE(phase_.name().empty());
  EXPECT_TRUE(Records().empty());
}

TEST_F(CurrentPhaseTest, HasTheCpuTimeSinceItsMarkLessThePauses) {
  ASSERT_TRUE(phase_.Enter(*spool_, "solve", {7, 100, 20}));
  EXPECT_EQ(phase_.name(), "solve");
  EXPECT_EQ(phase_.id(), 1u);
  phase_.StoreTime(*spool_, 180, 50);
  ASSERT_EQ(Records().size(), 1u);
  EXPECT_EQ(Records()[0].cpu_ns, 50u);
  EXPECT_EQ(Records()[0].marks, 1u);
}

TEST_F(CurrentPhaseTest, GoesOnWhereItWasWhenItIsEnteredAgain) {
  ASSERT_TRUE(phase_.Enter(*spool_, "load", {1, 0, 0}));
  phase_.StoreTime(*spool_, 40, 0);
  ASSERT_TRUE(phase_.Enter(*spool_, "solve", {2, 40, 0}));
  phase_.StoreTime(*spool_, 90, 0);
  ASSERT_TRUE(phase_.Enter(*spool_, "load", {3, 90, 0}));
  phase_.StoreTime(*spool_, 95, 0);
  EXPECT_EQ(phase_.id(), 1u);
  const auto records = Records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].cpu_ns, 45u);
  EXPECT_EQ(records[0].marks, 2u);
  EXPECT_EQ(records[1].cpu_ns, 50u);
}

TEST_F(CurrentPhaseTest, StaysWhereTheSpoolHasNoRoomForAnother) {
  for (std::uint32_t i = 0; i < CurrentPhase::kMaxPhases; ++i) {
    ASSERT_TRUE(phase_.Enter(*spool_, "phase " + std::to_string(i), {1, i, 0}));
  }
  EXPECT_FALSE(phase_.Enter(*spool_, "one too many", {1, 5000, 0}));
  EXPECT_EQ(phase_.name(), "phase 1023");
  EXPECT_EQ(phase_.id(), CurrentPhase::kMaxPhases);
  EXPECT_EQ(Records().size(), CurrentPhase::kMaxPhases);
}

TEST_F(CurrentPhaseTest, IsTheSamePhaseInTheNextSpool) {
  ASSERT_TRUE(phase_.Enter(*spool_, "load", {1, 0, 0}));
  ASSERT_TRUE(phase_.Enter(*spool_, "solve", {2, 100, 0}));
  phase_.Leave(150);
  EXPECT_EQ(phase_.id(), 0u);
  MakeSpool();
  ASSERT_TRUE(phase_.EnterAgain(*spool_, {3, 160, 0}));
  EXPECT_EQ(phase_.id(), 1u);
  phase_.StoreTime(*spool_, 165, 0);
  ASSERT_EQ(Records().size(), 1u);
  EXPECT_EQ(Records()[0].cpu_ns, 5u);
}

}  // namespace
}  // namespace csink
