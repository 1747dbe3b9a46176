#include "profil/format/slices.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <new>

namespace csink::spool {
namespace {

constexpr std::uint64_t kWidth = 100;
constexpr std::size_t kHalf = kThreadSliceCount / 2;

using Row = ThreadSlicesRecord;

std::unique_ptr<Row> NewRow() { return std::make_unique<Row>(); }

ThreadSlice Total(const Row& row) {
  ThreadSlice sum = {};
  for (const ThreadSlice& slice : row.slices) AddSlice(sum, slice);
  return sum;
}

/// A row whose slice i has the numbers i + 1, 2 i, 3 i and 4 i.
std::unique_ptr<Row> Numbered() {
  auto row = NewRow();
  for (std::uint32_t i = 0; i < kThreadSliceCount; ++i)
    row->slices[i] = {i + 1, 2 * i, 3 * i, 4 * i};
  return row;
}

/// Numbered after one doubling, computed without the code under test.
void ExpectDoubled(const Row& row) {
  for (std::uint32_t i = 0; i < kHalf; ++i) {
    ASSERT_EQ(row.slices[i].run_us, 4 * i + 3) << i;
    ASSERT_EQ(row.slices[i].wait_us, 2 * (4 * i + 1)) << i;
    ASSERT_EQ(row.slices[i].blocked_us, 3 * (4 * i + 1)) << i;
    ASSERT_EQ(row.slices[i].samples, 4 * (4 * i + 1)) << i;
  }
  for (std::size_t i = kHalf; i < kThreadSliceCount; ++i) ASSERT_EQ(row.slices[i].run_us, 0u) << i;
  EXPECT_EQ(row.shape, row.shape_behind);
  EXPECT_EQ(SliceShape::Of(row.shape).doublings, 1u);
  EXPECT_EQ(SliceShape::Of(row.shape).merged, 0u);
}

TEST(Slices, ShapeIsOneWord) {
  const SliceShape shape{7, 15, 501};
  const SliceShape read = SliceShape::Of(shape.Word());
  EXPECT_EQ(read.generation, 7u);
  EXPECT_EQ(read.doublings, 15u);
  EXPECT_EQ(read.merged, 501u);
  EXPECT_EQ(SliceShape{}.Word(), 0u);
}

TEST(Slices, AStretchIsSpreadEvenlyAndNothingIsLost) {
  const auto row = NewRow();
  EXPECT_TRUE(AddStretch(*row, kWidth, 50, 350, ThreadSlice{60, 30, 7, 1}));
  EXPECT_EQ(row->slices[0].run_us, 10u);
  EXPECT_EQ(row->slices[1].run_us, 20u);
  EXPECT_EQ(row->slices[2].run_us, 20u);
  EXPECT_EQ(row->slices[3].run_us, 10u);
  EXPECT_EQ(row->slices[4].run_us, 0u);
  EXPECT_EQ(Total(*row).wait_us, 30u);
  EXPECT_EQ(Total(*row).blocked_us, 7u);
  EXPECT_EQ(Total(*row).samples, 1u);
}

TEST(Slices, AStretchThatEndsAtASliceDoesNotTouchTheNext) {
  const auto row = NewRow();
  EXPECT_TRUE(AddStretch(*row, kWidth, 0, kThreadSliceCount * kWidth, ThreadSlice{5000, 0, 0, 0}));
  EXPECT_EQ(SliceShape::Of(row->shape).doublings, 0u);
  for (const ThreadSlice& slice : row->slices) ASSERT_EQ(slice.run_us, 5u);
}

TEST(Slices, AMomentCountsInItsSlice) {
  PlaceSlicesRecord row = {};
  EXPECT_TRUE(AddStretch(row, kWidth, 250, 250, std::uint32_t{3}));
  EXPECT_EQ(row.slices[2], 3u);
}

TEST(Slices, LaterTimeDoublesTheWidth) {
  const auto row = NewRow();
  EXPECT_TRUE(AddStretch(*row, kWidth, 0, 100, ThreadSlice{10, 0, 0, 0}));
  EXPECT_TRUE(AddStretch(*row, kWidth, 100, 200, ThreadSlice{20, 0, 0, 0}));
  const std::uint64_t late = 3 * kThreadSliceCount * kWidth;
  EXPECT_TRUE(AddStretch(*row, kWidth, late, late + 10, ThreadSlice{40, 0, 0, 0}));
  EXPECT_EQ(SliceShape::Of(row->shape).doublings, 2u);
  EXPECT_EQ(row->slices[0].run_us, 30u);
  EXPECT_EQ(row->slices[3 * kThreadSliceCount / 4].run_us, 40u);
  EXPECT_EQ(Total(*row).run_us, 70u);
}

TEST(Slices, WhatLiesBehindTheLastDoublingIsRefused) {
  const auto row = NewRow();
  const std::uint64_t end = kThreadSliceCount * (kWidth << kMaxDoublings);
  EXPECT_TRUE(AddStretch(*row, kWidth, end - 1, end, ThreadSlice{1, 0, 0, 0}));
  EXPECT_FALSE(AddStretch(*row, kWidth, end, end + 1, ThreadSlice{1, 0, 0, 0}));
  EXPECT_EQ(Total(*row).run_us, 1u);
}

TEST(Slices, NumbersSaturate) {
  const auto row = NewRow();
  row->slices[0].run_us = 0xfffffff0u;
  EXPECT_TRUE(AddStretch(*row, kWidth, 0, 10, ThreadSlice{100, 0, 0, 0}));
  EXPECT_EQ(row->slices[0].run_us, 0xffffffffu);
}

TEST(Slices, DoublingAddsNeighbours) {
  const auto row = Numbered();
  EXPECT_TRUE(DoubleWidth(*row));
  ExpectDoubled(*row);
}

TEST(Slices, AReaderCompletesADoublingThatWasKilledAnywhere) {
  const auto done = Numbered();
  ASSERT_TRUE(DoubleWidth(*done));
  for (std::uint32_t merged = 0; merged <= kHalf; ++merged) {
    // `merged` pairs are finished; of the next one the sum is written, but not counted.
    for (const bool one_more : {false, true}) {
      if (one_more && merged == kHalf) continue;
      const auto row = Numbered();
      row->saved = row->slices[0];
      const std::uint32_t written = merged + (one_more ? 1 : 0);
      for (std::uint32_t i = 0; i < written; ++i) row->slices[i] = done->slices[i];
      row->shape = SliceShape{0, 0, merged + 1}.Word();
      row->shape_behind = SliceShape{0, 1, 0}.Word();
      FinishDoubling(*row);
      ExpectDoubled(*row);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Slices, ARowThatChangesItsPlaceIsInvalidMeanwhile) {
  PlaceSlicesRecord row = {};
  row.region = 3;
  row.pc = 0x1000;
  AddStretch(row, kWidth, 0, 0, std::uint32_t{9});
  DoubleWidth(row);
  MovePlace(row, 4, 0x2000);
  EXPECT_EQ(row.region, 4u);
  EXPECT_EQ(row.pc, 0x2000u);
  EXPECT_EQ(row.slices[0], 0u);
  EXPECT_EQ(row.shape, row.shape_behind);
  EXPECT_EQ(SliceShape::Of(row.shape).doublings, 1u);  // its time is as far as before
  EXPECT_EQ(SliceShape::Of(row.shape).generation, 1u);
}

/// Another process reads a row while this one fills and doubles it, as csink reads a live spool.
TEST(Slices, AReaderOfALiveRowSeesWholeSumsOrThatItChanged) {
  struct Shared {
    Row row;
    std::uint64_t written;  ///< Run time in all stretches that are complete
    std::uint64_t done;
  };
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* shared = new (memory) Shared();
  const pid_t writer = fork();
  if (writer == 0) {
    // Ten doublings.
    for (std::uint64_t at = 0; at + 3 <= kThreadSliceCount << 10; at += 3) {
      if (!AddStretch(shared->row, 1, at, at + 3, ThreadSlice{3, 0, 0, 0})) _exit(1);
      __atomic_store_n(&shared->written, at + 3, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&shared->done, 1, __ATOMIC_RELEASE);
    _exit(0);
  }
  ASSERT_GT(writer, 0);
  const auto copy = NewRow();
  constexpr std::size_t kWords = sizeof(Row) / sizeof(std::uint64_t);
  bool last = false;
  std::size_t compared = 0;
  while (!last && !HasFailure()) {
    // A writer that fails does not set it, so that its end is looked at, too.
    int unused = 0;
    last = __atomic_load_n(&shared->done, __ATOMIC_ACQUIRE) != 0 ||
           waitpid(writer, &unused, WNOHANG) != 0;
    const std::uint64_t before = __atomic_load_n(&shared->written, __ATOMIC_ACQUIRE);
    // From the begin to the end, as the kernel copies a file.
    const auto* from = reinterpret_cast<const std::uint64_t*>(&shared->row);
    auto* to = reinterpret_cast<std::uint64_t*>(copy.get());
    for (std::size_t i = 0; i < kWords; ++i) to[i] = __atomic_load_n(from + i, __ATOMIC_ACQUIRE);
    const std::uint64_t after = __atomic_load_n(&shared->written, __ATOMIC_ACQUIRE);
    if (SliceShape::Of(copy->shape).merged != 0 || copy->shape != copy->shape_behind) continue;
    const std::uint64_t sum = Total(*copy).run_us;
    // The stretch that is being written may be in the sum, in part or whole.
    EXPECT_GE(sum, before);
    EXPECT_LE(sum, after + 3);
    ++compared;
  }
  EXPECT_GT(compared, 0u);
  EXPECT_EQ(shared->done, 1u);
  EXPECT_EQ(SliceShape::Of(shared->row.shape).doublings, 10u);
  waitpid(writer, nullptr, 0);  // may be gone already
  munmap(memory, sizeof(Shared));
}

}  // namespace
}  // namespace csink::spool
