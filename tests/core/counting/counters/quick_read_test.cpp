#include "core/counting/counters/quick_read.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace csink {
namespace {

/// A group of two whose kernel is a pipe: what is written there is what the next read answers.
class QuickReadOfAPipe : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    set_.fd = ends[0];
    to_set_ = ends[1];
    set_.bytes = static_cast<long>(AnswerWords(2) * sizeof(std::uint64_t));
    set_.first = FirstCountWord(2);
    set_.count = 2;
    set_.slots = slots_.data();
    set_.values = values_.data();
  }
  void TearDown() override {
    close(set_.fd);
    if (to_set_ >= 0) close(to_set_);
  }
  void Answer(const std::vector<std::uint64_t>& words) {
    const auto bytes = words.size() * sizeof words[0];
    ASSERT_EQ(write(to_set_, words.data(), bytes), static_cast<ssize_t>(bytes));
  }

  QuickRead set_;
  int to_set_ = -1;
  std::array<CounterSlot, 2> slots_;
  std::array<CounterValue, 2> values_;
  long long read_[2] = {-1, -1};
};

TEST_F(QuickReadOfAPipe, ShowsWhatWasCountedSinceTheBasesAndBehindTheOffsets) {
  slots_[0].base.value = 100;
  values_[1].offset = -7;
  Answer({2, 50, 50, 130, 40});
  ASSERT_TRUE(ReadQuickly(set_, read_));
  EXPECT_EQ(read_[0], 30);
  EXPECT_EQ(read_[1], 33);
}

TEST_F(QuickReadOfAPipe, NeverGoesBelowTheOffset) {
  slots_[0].base.value = 131;  // a reset in a handler came between
  values_[0].offset = 5;
  Answer({2, 50, 50, 130, 0});
  ASSERT_TRUE(ReadQuickly(set_, read_));
  EXPECT_EQ(read_[0], 5);
}

TEST_F(QuickReadOfAPipe, LeavesACountThatMayHaveJumpedToTheSlowWay) {
  set_.suspect_bits = ~std::uint64_t{0} << (kJumpBit - 1);
  Answer({2, 50, 50, 130, std::uint64_t{1} << kJumpBit});
  EXPECT_FALSE(ReadQuickly(set_, read_));
  Answer({2, 50, 50, 130, 40});
  EXPECT_TRUE(ReadQuickly(set_, read_));
}

TEST_F(QuickReadOfAPipe, LeavesAShortAnswerToTheSlowWay) {
  Answer({2, 50, 50, 130});
  EXPECT_FALSE(ReadQuickly(set_, read_));
  close(to_set_);
  to_set_ = -1;
  EXPECT_FALSE(ReadQuickly(set_, read_)) << "end of file: what a pinned group in error answers";
  EXPECT_EQ(read_[0], -1) << "nothing was shown";
}

TEST_F(QuickReadOfAPipe, LeavesAGroupWhoseTimeStandsStillToTheSlowWay) {
  set_.running_ns = &slots_[0].now.running_ns;
  slots_[0].now.running_ns = 49;
  Answer({2, 60, 50, 1, 1});
  EXPECT_TRUE(ReadQuickly(set_, read_));
  Answer({2, 70, 50, 1, 1});
  EXPECT_FALSE(ReadQuickly(set_, read_));
  Answer({2, 80, 51, 1, 1});
  EXPECT_TRUE(ReadQuickly(set_, read_));
}

}  // namespace
}  // namespace csink
