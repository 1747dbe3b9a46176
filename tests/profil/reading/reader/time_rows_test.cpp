#include "profil/reading/reader/time_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "profil/format/slices.h"
#include "tests/fakes/spool_builder.h"

namespace csink::spool {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::SpoolBuilder;

constexpr std::uint64_t kSecond = 1'000'000'000;

/// A main thread with numbers in its first two slices, and a place.
SpoolBuilder Made() {
  SpoolBuilder builder;
  const auto app = builder.AddRegion({.path = "/bin/app", .start = 0x1000, .end = 0x2000});
  builder.AddHits(app, 1, 0x1010, 100);
  auto& row = builder.AddThreadSlices(1);
  row.slices[0] = {60'000, 30'000, 10'000, 55};
  row.slices[1] = {0, 0, 100'000, 0};
  builder.AddPlaceSlices(app, 0x1010).slices[1] = 9;
  return builder;
}

Spool Parsed(const SpoolBuilder& builder) {
  auto spool = ParseSpool(builder.Build());
  EXPECT_TRUE(spool);
  return spool ? std::move(*spool) : Spool{};
}

TEST(TimeRows, AreRead) {
  const Spool spool = Parsed(Made());
  EXPECT_THAT(spool.problems, IsEmpty());
  EXPECT_EQ(spool.changed_rows, 0u);
  ASSERT_EQ(spool.thread_slices.size(), 1u);
  const ThreadSlices& row = spool.thread_slices[0];
  EXPECT_EQ(row.thread, 1u);
  EXPECT_EQ(row.width_ns, kSecond / 10);
  ASSERT_EQ(row.slices.size(), 2u);  // zeros at the end are left out
  EXPECT_EQ(row.slices[0].wait_us, 30'000u);
  EXPECT_EQ(row.slices[1].blocked_us, 100'000u);
  ASSERT_EQ(spool.place_slices.size(), 1u);
  EXPECT_EQ(spool.place_slices[0].pc, 0x1010u);
  EXPECT_EQ(spool.place_slices[0].width_ns, 4 * kSecond / 10);
  EXPECT_THAT(spool.place_slices[0].samples, ElementsAre(0u, 9u));
}

TEST(TimeRows, ADoublingThatAKillInterruptedIsCompleted) {
  SpoolBuilder builder = Made();
  builder.header().state = State::kLive;
  // Begun, and no pair is merged yet.
  auto& row = builder.AddThreadSlices(0);
  row.slices[0].run_us = 1;
  row.slices[1].run_us = 2;
  row.slices[2].run_us = 4;
  row.slices[3].run_us = 8;
  row.saved = row.slices[0];
  row.shape = SliceShape{0, 0, 1}.Word();
  row.shape_behind = SliceShape{0, 1, 0}.Word();
  const Spool spool = Parsed(builder);
  EXPECT_THAT(spool.problems, IsEmpty());
  EXPECT_EQ(spool.changed_rows, 1u);
  ASSERT_EQ(spool.thread_slices.size(), 2u);
  const ThreadSlices& read = spool.thread_slices[1];
  EXPECT_EQ(read.width_ns, kSecond / 5);
  ASSERT_EQ(read.slices.size(), 2u);
  EXPECT_EQ(read.slices[0].run_us, 3u);
  EXPECT_EQ(read.slices[1].run_us, 12u);
}

TEST(TimeRows, ARowThatChangedDuringTheCopyIsLeftOut) {
  for (const State state : {State::kLive, State::kComplete}) {
    SpoolBuilder builder = Made();
    builder.header().state = state;
    auto& row = builder.AddThreadSlices(0);
    row.slices[0].run_us = 1;
    row.shape_behind = SliceShape{0, 1, 0}.Word();
    const Spool spool = Parsed(builder);
    EXPECT_EQ(spool.changed_rows, 1u);
    EXPECT_EQ(spool.thread_slices.size(), 1u);
    // Only a file that cannot change any more is damaged.
    EXPECT_EQ(spool.problems.empty(), state == State::kLive);
  }
}

TEST(TimeRows, APlaceThatIsBeingReplacedIsLeftOut) {
  SpoolBuilder builder = Made();
  builder.AddPlaceSlices(kNone, 0x1234).slices[0] = 5;
  const Spool spool = Parsed(builder);
  EXPECT_EQ(spool.place_slices.size(), 1u);
  EXPECT_THAT(spool.problems, IsEmpty());
}

TEST(TimeRows, WrongReferencesAreRemoved) {
  SpoolBuilder builder = Made();
  builder.AddThreadSlices(99);
  builder.AddThreadSlices(1);                        // a second row of a thread
  builder.AddPlaceSlices(77, 0x1010).slices[0] = 1;  // no such region
  builder.AddPlaceSlices(0, 0x9999).slices[0] = 1;   // not in it
  const Spool spool = Parsed(builder);
  EXPECT_EQ(spool.thread_slices.size(), 1u);
  EXPECT_EQ(spool.place_slices.size(), 1u);
  EXPECT_FALSE(spool.problems.empty());
}

TEST(TimeRows, DamagedShapesAndWidthsAreRefused) {
  for (const SliceShape shape : {SliceShape{0, kMaxDoublings + 1, 0}, SliceShape{0, 0, 502},
                                 SliceShape{0, 0xffff, 0xffff}}) {
    SpoolBuilder builder = Made();
    auto& row = builder.AddThreadSlices(0);
    row.slices[0].run_us = 1;
    row.shape = row.shape_behind = shape.Word();
    const Spool spool = Parsed(builder);
    EXPECT_EQ(spool.thread_slices.size(), 1u);
    EXPECT_FALSE(spool.problems.empty());
  }
  for (const std::uint64_t width : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    SpoolBuilder builder = Made();
    builder.header().slice_width_ns = width;
    const Spool spool = Parsed(builder);
    EXPECT_TRUE(spool.thread_slices.empty());
    EXPECT_TRUE(spool.place_slices.empty());
    EXPECT_FALSE(spool.problems.empty());
  }
}

TEST(TimeRows, TimesAreInOrder) {
  SpoolBuilder builder = Made();
  auto& row = builder.AddThreadSlices(0);
  row.start_ns = 1;  // before the time line
  row.end_ns = 0;
  const Spool spool = Parsed(builder);
  ASSERT_EQ(spool.thread_slices.size(), 2u);
  EXPECT_EQ(spool.thread_slices[1].start_ns, spool.header.slices_start_ns);
  EXPECT_EQ(spool.thread_slices[1].end_ns, spool.header.slices_start_ns);
}

}  // namespace
}  // namespace csink::spool
