#include "core/perf/stack_sample.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "core/sampling/sampling_attr.h"

namespace csink {
namespace {

/// A sample record in a ring of 4 KiB, its parts in the kernel's order.
class Ring {
 public:
  explicit Ring(std::uint64_t at = 0) : at_(at) { Put(0); }
  Ring& Put(std::uint64_t word) {
    words_.push_back(word);
    return *this;
  }
  Ring& Registers(std::uint64_t first) {
    Put(PERF_SAMPLE_REGS_ABI_64);
    for (std::size_t i = 0; i < kStackRegisters; ++i) Put(first + i);
    return *this;
  }
  /// `claimed_bytes`: what the header says, 0: the truth.
  bool Read(StackSample& out, bool has_period = false, std::uint16_t claimed_bytes = 0) {
    perf_event_header header = {};
    header.type = PERF_RECORD_SAMPLE;
    header.size = claimed_bytes != 0 ? claimed_bytes
                                     : static_cast<std::uint16_t>(words_.size() * sizeof words_[0]);
    std::memcpy(words_.data(), &header, sizeof header);
    for (std::size_t i = 0; i < words_.size(); ++i) {
      data_[(at_ / 8 + i) % (sizeof data_ / 8)] = words_[i];
    }
    const RingRecord record(reinterpret_cast<unsigned char*>(data_), sizeof data_ - 1, at_);
    return ReadStackSample(record, has_period, out);
  }

 private:
  std::uint64_t at_;
  std::vector<std::uint64_t> words_;
  std::uint64_t data_[512] = {};
};

struct ReadStackSampleTest : ::testing::Test {
  StackSample sample = {};
};

TEST_F(ReadStackSampleTest, TakesAllPartsApart) {
  Ring ring;
  ring.Put(0x1000).Put(3).Put(PERF_CONTEXT_USER).Put(0x1000).Put(0x2000).Registers(100);
  ring.Put(16).Put(0xaaaa).Put(0xbbbb).Put(16);
  ASSERT_TRUE(ring.Read(sample));
  EXPECT_EQ(sample.pc, 0x1000u);
  ASSERT_EQ(sample.address_count, 2u);
  EXPECT_EQ(sample.addresses[1], 0x2000u);
  ASSERT_TRUE(sample.has_registers);
  std::uint64_t word = 0;
  EXPECT_TRUE(sample.Word(sample.stack_pointer() + 8, word));
  EXPECT_EQ(word, 0xbbbbu);
  EXPECT_FALSE(sample.Word(sample.stack_pointer() + 16, word));
  EXPECT_FALSE(sample.Word(sample.stack_pointer() - 8, word));
}

TEST_F(ReadStackSampleTest, FollowsThePeriodInFrequencyMode) {
  ASSERT_TRUE(Ring().Put(0x1000).Put(77).Put(1).Put(0x1000).Put(0).Read(sample, true));
  EXPECT_EQ(sample.period, 77u);
  EXPECT_EQ(sample.address_count, 1u);
  EXPECT_FALSE(sample.has_registers);
}

TEST_F(ReadStackSampleTest, LeavesTheKernelsPartOut) {
  Ring ring;
  ring.Put(0x1000).Put(5).Put(PERF_CONTEXT_KERNEL).Put(0xffffffff81000000).Put(PERF_CONTEXT_USER);
  ASSERT_TRUE(ring.Put(0x1000).Put(0x2000).Put(0).Read(sample));
  ASSERT_EQ(sample.address_count, 2u);
  EXPECT_EQ(sample.addresses[0], 0x1000u);
}

TEST_F(ReadStackSampleTest, KeepsAStackThatWrapsRoundTheEnd) {
  Ring ring(4096 - 8 * (7 + kStackRegisters));  // two words before the end, two behind
  ring.Put(0x1000).Put(0).Registers(64).Put(32).Put(1).Put(2).Put(3).Put(4).Put(32);
  ASSERT_TRUE(ring.Read(sample));
  ASSERT_EQ(sample.stack_bytes, 32u);
  EXPECT_LT(sample.stack_first_bytes, 32u);
  const auto kept = std::make_unique<KeptStackSample>();
  kept->Keep(sample);
  for (std::uint64_t i = 0; i < 4; ++i) {
    std::uint64_t word = 0;
    ASSERT_TRUE(sample.Word(sample.stack_pointer() + 8 * i, word));
    EXPECT_EQ(word, i + 1);
    ASSERT_TRUE(kept->sample.Word(sample.stack_pointer() + 8 * i, word));
    EXPECT_EQ(word, i + 1);
  }
}

TEST_F(ReadStackSampleTest, SurvivesLengthsThatLie) {
  EXPECT_FALSE(Ring().Read(sample));  // no PC
  ASSERT_TRUE(Ring().Put(0x1000).Put(~0ull).Put(0x1000).Read(sample));
  EXPECT_LE(sample.address_count, 1u);
  ASSERT_TRUE(Ring().Put(1).Put(0).Registers(1).Put(~0ull).Put(7).Read(sample));
  EXPECT_EQ(sample.stack_bytes, 0u);
  ASSERT_TRUE(Ring().Put(1).Put(0).Registers(1).Put(8).Put(7).Put(~0ull).Read(sample));
  EXPECT_EQ(sample.stack_bytes, 8u);
  ASSERT_TRUE(Ring().Put(1).Put(0).Put(PERF_SAMPLE_REGS_ABI_64).Put(5).Read(sample));
  EXPECT_FALSE(sample.has_registers);
  // A header that claims more than the ring can hold.
  Ring large;
  large.Put(1).Put(0).Registers(1).Put(8000).Put(7);
  ASSERT_TRUE(large.Read(sample, false, 9000));
  EXPECT_EQ(sample.stack_bytes, 0u);
}

TEST_F(ReadStackSampleTest, TakesNoMoreCallersThanItHasRoomFor) {
  Ring ring;
  ring.Put(1).Put(300);
  for (std::uint64_t i = 0; i < 300; ++i) ring.Put(i);
  ASSERT_TRUE(ring.Put(0).Read(sample));
  EXPECT_EQ(sample.address_count, StackSample::kMaxAddresses);
}

TEST(AskForStack, AsksForTheUsersHalfOnly) {
  EventSpec spec;
  spec.period = 1000;
  SamplingOptions options;
  options.stack_bytes = kShortStackBytes;
  const perf_event_attr attr = MakeSamplingAttr(spec, options);
  EXPECT_EQ(attr.exclude_callchain_kernel, 1u);
  EXPECT_EQ(attr.sample_stack_user, kShortStackBytes);
  EXPECT_TRUE(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
  EXPECT_EQ(static_cast<std::size_t>(__builtin_popcountll(attr.sample_regs_user)), kStackRegisters);
}

}  // namespace
}  // namespace csink
