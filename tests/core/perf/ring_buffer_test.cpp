#include "core/perf/ring_buffer.h"

#include <errno.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fakes/fake_kernel.h"

namespace csink {
namespace {

using testing::FakeKernel;
using testing::FakeRing;

class RingBufferTest : public ::testing::Test {
 protected:
  void SetUp() override {
    perf_event_attr attr = {};
    fd_ = static_cast<int>(kernel_.PerfEventOpen(&attr, 0));
    ASSERT_TRUE(ring_.Map(kernel_, fd_, PageBytes()));
  }
  void TearDown() override {
    ring_.Unmap(kernel_);
    kernel_.Close(fd_);
  }
  FakeRing& kernel_side() { return kernel_.ring(0); }

  std::vector<std::uint64_t> DrainSamples() {
    std::vector<std::uint64_t> pcs;
    ring_.Drain([&](const RingRecord& record) {
      if (record.type() == PERF_RECORD_SAMPLE) pcs.push_back(record.U64(8));
    });
    return pcs;
  }

  FakeKernel kernel_;
  int fd_ = -1;
  RingBuffer ring_;
};

using RingBufferDrain = RingBufferTest;

TEST_F(RingBufferDrain, SeesRecordsInOrderAndGivesTheSpaceBack) {
  kernel_side().Sample(1);
  kernel_side().Sample(2);
  EXPECT_EQ(ring_.pending_bytes(), 32u);
  EXPECT_EQ(DrainSamples(), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(ring_.pending_bytes(), 0u);
  EXPECT_EQ(kernel_side().tail(), kernel_side().head());
}

TEST_F(RingBufferDrain, StoresNothingIntoARingThatIsUnmappedNext) {
  kernel_side().Sample(1);
  kernel_side().Sample(2);
  std::vector<std::uint64_t> pcs;
  ring_.DrainLast([&](const RingRecord& record) { pcs.push_back(record.U64(8)); });
  EXPECT_EQ(pcs, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(kernel_side().tail(), 0u);
}

TEST_F(RingBufferDrain, SeesNothingTwice) {
  kernel_side().Sample(1);
  DrainSamples();
  EXPECT_TRUE(DrainSamples().empty());
}

TEST_F(RingBufferDrain, ReadsEveryFieldOfARecordWrappedAtEveryPlace) {
  const std::string path = "/usr/lib/x86_64-linux-gnu/libwrapped.so.1";
  for (std::uint64_t before_end = 8; before_end <= 160; before_end += 8) {
    kernel_side().StartAt(5 * PageBytes() - before_end);
    ASSERT_TRUE(kernel_side().Mmap2({0x7f0000001000, 0x2000, 0x3000, path}));
    std::size_t seen = 0;
    ring_.Drain([&](const RingRecord& record) {
      ++seen;
      EXPECT_EQ(record.type(), std::uint32_t{PERF_RECORD_MMAP2});
      EXPECT_EQ(record.U64(16), 0x7f0000001000u);
      EXPECT_EQ(record.U64(24), 0x2000u);
      EXPECT_EQ(record.U64(48), 4711u);
      EXPECT_EQ(record.U32(64), 5u);
      char text[64] = {};
      record.Bytes(72, text, sizeof text - 1);
      EXPECT_EQ(text, path) << before_end;
    });
    EXPECT_EQ(seen, 1u);
  }
}

TEST_F(RingBufferDrain, TakesARingThatIsFullToTheLastByte) {
  kernel_side().StartAt(PageBytes() * 3 + 16);
  std::uint64_t written = 0;
  while (kernel_side().Sample(written)) ++written;
  EXPECT_EQ(written, PageBytes() / 16);
  EXPECT_EQ(ring_.pending_bytes(), PageBytes());
  const std::vector<std::uint64_t> pcs = DrainSamples();
  ASSERT_EQ(pcs.size(), written);
  for (std::uint64_t i = 0; i < written; ++i) EXPECT_EQ(pcs[i], i);
  EXPECT_TRUE(kernel_side().Sample(1)) << "there is room again";
}

class GarbageSize : public RingBufferTest, public ::testing::WithParamInterface<std::uint16_t> {};

TEST_P(GarbageSize, EndsTheWalkAndDiscardsTheRest) {
  kernel_side().Sample(1);
  kernel_side().Record(PERF_RECORD_SAMPLE, 0, std::vector<unsigned char>(8), GetParam());
  kernel_side().Sample(3);
  const std::vector<std::uint64_t> pcs = DrainSamples();
  ASSERT_FALSE(pcs.empty());
  EXPECT_EQ(pcs[0], 1u);
  EXPECT_EQ(pcs.size(), 1u);
  EXPECT_EQ(ring_.pending_bytes(), 0u);
  kernel_side().Sample(4);
  EXPECT_EQ(DrainSamples(), std::vector<std::uint64_t>{4}) << "the ring goes on";
}
INSTANTIATE_TEST_SUITE_P(Sizes, GarbageSize, ::testing::Values(1, 7, 40, 4096, 65535));

TEST_F(RingBufferDrain, AnswersZeroBehindTheEndOfARecord) {
  kernel_side().Sample(0x1234);
  ring_.Drain([](const RingRecord& record) {
    EXPECT_EQ(record.U64(8), 0x1234u);
    EXPECT_EQ(record.U64(16), 0u);
    EXPECT_EQ(record.U64(12), 0u) << "half of it would lie behind the end";
    EXPECT_EQ(record.U32(16), 0u);
    char text[8];
    EXPECT_EQ(record.Bytes(16, text, sizeof text), 0u);
    EXPECT_EQ(record.Bytes(12, text, sizeof text), 4u);
  });
}

TEST_F(RingBufferTest, TellsTheTimesOfTheControlPage) {
  kernel_side().SetTimes(100, 60);
  EXPECT_EQ(ring_.progress().enabled_ns, 100u);
  EXPECT_EQ(ring_.progress().running_ns, 60u);
}

TEST_F(RingBufferTest, TellsTheCountWhileTheEventIsOffItsCounter) {
  kernel_side().SetCount(4711);
  EXPECT_TRUE(ring_.progress().has_count);
  EXPECT_EQ(ring_.progress().count, 4711u);
  std::uint64_t own = 0;
  EXPECT_TRUE(ring_.OwnCount(own));
  EXPECT_EQ(own, 4711u);
  kernel_side().SetIndex(1);
  EXPECT_FALSE(ring_.progress().has_count) << "the rest of the count is in the counter";
  EXPECT_FALSE(ring_.OwnCount(own)) << "which the kernel does not let programs read";
}

TEST(RingBuffer, IsEmptyWhileNothingIsMapped) {
  const RingBuffer ring;
  EXPECT_FALSE(ring.mapped());
  EXPECT_EQ(ring.pending_bytes(), 0u);
  EXPECT_EQ(ring.progress().enabled_ns, 0u);
  EXPECT_FALSE(ring.progress().has_count);
}

TEST(RingBuffer, MapsTheControlPageBesideTheData) {
  FakeKernel kernel;
  perf_event_attr attr = {};
  const int fd = static_cast<int>(kernel.PerfEventOpen(&attr, 0));
  RingBuffer ring;
  ASSERT_TRUE(ring.Map(kernel, fd, 8 * PageBytes()));
  EXPECT_EQ(kernel.map_sizes(), std::vector<std::size_t>{9 * PageBytes()});
  EXPECT_EQ(ring.data_bytes(), 8 * PageBytes());
  ring.Unmap(kernel);
  EXPECT_FALSE(ring.mapped());
  ring.Unmap(kernel);  // a second time is nothing
  kernel.Close(fd);
}

TEST(RingBuffer, SaysWhatMmapSaid) {
  FakeKernel kernel;
  kernel.RefuseMaps(ENOMEM);
  perf_event_attr attr = {};
  const int fd = static_cast<int>(kernel.PerfEventOpen(&attr, 0));
  RingBuffer ring;
  const Result<void> mapped = ring.Map(kernel, fd, PageBytes());
  ASSERT_FALSE(mapped);
  EXPECT_EQ(mapped.error().code, Errc::kLimit);
  EXPECT_EQ(mapped.error().sys_errno, ENOMEM);
  EXPECT_FALSE(ring.mapped());
  kernel.Close(fd);
}

TEST(RingBuffer, ForgetsWithoutUnmapping) {
  FakeKernel kernel;
  perf_event_attr attr = {};
  const int fd = static_cast<int>(kernel.PerfEventOpen(&attr, 0));
  RingBuffer ring;
  ASSERT_TRUE(ring.Map(kernel, fd, PageBytes()));
  ring.Forget();
  EXPECT_FALSE(ring.mapped());
  EXPECT_EQ(kernel.mapped_rings(), 1u);
  kernel.Close(fd);
}

}  // namespace
}  // namespace csink
