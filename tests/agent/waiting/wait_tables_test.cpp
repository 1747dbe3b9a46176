#include "agent/waiting/wait_tables.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/profil/spool_bytes.h"

namespace csink::agent {
namespace {

class WaitTablesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    spool::Header header = {};
    header.event_count = 1;
    ASSERT_TRUE(spool_.Create(folder_.path(), "test", header));
  }

  csink::testing::TemporaryFolder folder_;
  SpoolWriter spool_;
  std::unique_ptr<WaitTables> tables_{new WaitTables()};
};

TEST_F(WaitTablesTest, EachKeyHasOneRecord) {
  spool::WaitSiteRecord key = {};
  key.pc = 0x1000;
  key.kind = spool::WaitKind::kRead;
  spool::WaitSiteRecord* const first = tables_->Site(spool_, key);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(tables_->Site(spool_, key), first);
  first->looks = 7;  // no part of the key
  EXPECT_EQ(tables_->Site(spool_, key), first);
  for (std::uint32_t spool::WaitSiteRecord::*field :
       {&spool::WaitSiteRecord::region, &spool::WaitSiteRecord::chain,
        &spool::WaitSiteRecord::thread, &spool::WaitSiteRecord::phase,
        &spool::WaitSiteRecord::lock}) {
    spool::WaitSiteRecord other = key;
    other.*field = 3;
    EXPECT_NE(tables_->Site(spool_, other), first);
  }
  spool::WaitSiteRecord other = key;
  other.descriptor = spool::DescriptorKind::kPipe;
  EXPECT_NE(tables_->Site(spool_, other), first);
  EXPECT_EQ(spool_.At<spool::WaitSiteRecord>(1), first);
  EXPECT_NE(spool_.At<spool::WaitSiteRecord>(7), nullptr);
  EXPECT_EQ(spool_.At<spool::WaitSiteRecord>(8), nullptr);
  EXPECT_EQ(spool_.At<spool::WaitSiteRecord>(0), nullptr);
}

TEST_F(WaitTablesTest, AFullTableHasNoRoom) {
  spool::LockRecord first = {};
  for (std::uint32_t i = 0; i < WaitTables::kMaxLocks; ++i) {
    first.address = 0x1000 + 64 * i;
    WaitTables::Lock* const lock = tables_->LockAt(spool_, first);
    ASSERT_NE(lock, nullptr);
    ASSERT_EQ(lock->id, i + 1);
  }
  first.address = 0x10;
  EXPECT_EQ(tables_->LockAt(spool_, first), nullptr);
  first.address = 0x1000 + 64 * 77;
  WaitTables::Lock* const known = tables_->LockAt(spool_, first);
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->id, 78u);
  EXPECT_EQ(known->record->address, first.address);
}

TEST_F(WaitTablesTest, HoldersDifferByPlaceAndState) {
  spool::HolderRecord key = {};
  key.lock = 1;
  key.tid = 10;
  key.state = 1;
  spool::HolderRecord* const ran = tables_->Holder(spool_, key);
  ASSERT_NE(ran, nullptr);
  key.state = 2;
  EXPECT_NE(tables_->Holder(spool_, key), ran);
  key.state = 1;
  EXPECT_EQ(tables_->Holder(spool_, key), ran);
}

TEST_F(WaitTablesTest, ANewSpoolHasNewRecords) {
  spool::LockRecord first = {};
  first.address = 0x1000;
  ASSERT_NE(tables_->LockAt(spool_, first), nullptr);
  EXPECT_EQ(tables_->lock_count(), 1u);
  spool_.Discard();
  tables_->Clear();
  EXPECT_EQ(tables_->lock_count(), 0u);
  SetUp();
  ASSERT_NE(tables_->LockAt(spool_, first), nullptr);
  EXPECT_EQ(spool_.At<spool::LockRecord>(1)->address, 0x1000u);
}

}  // namespace
}  // namespace csink::agent
