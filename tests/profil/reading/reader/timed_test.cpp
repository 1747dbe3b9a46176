#include "profil/reading/reader/timed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "profil/reading/reader/reader.h"
#include "tests/fakes/spool_builder.h"

namespace csink::spool {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::SpoolBuilder;

SpoolBuilder Valid() {
  SpoolBuilder builder;
  const auto app = builder.AddRegion({.path = "/bin/app", .start = 0x1000, .end = 0x2000});
  const auto chain = builder.AddChain(0, app, 0x1100);
  builder.header().timed.recorded = builder.header().timed.hooked = 1;
  builder.header().timed.moments_left_out = 3;
  builder.AddMoment({10, 20, 0xabc, 0, 4711, MomentKind::kMutexWait, 0});
  builder.AddMoment({15, 15, 0xabc, 0, 4712, MomentKind::kMutexUnlock, 0});
  builder.AddTimedSample({12, 0x1010, app, chain, 4712, 0});
  builder.AddSwitch({13, 4712, SwitchKind::kIn});
  return builder;
}

Spool Parse(const std::vector<std::byte>& bytes) {
  auto spool = ParseSpool(bytes);
  EXPECT_TRUE(spool) << spool.error().what;
  return spool ? std::move(*spool) : Spool{};
}

TEST(TimedReader, ReadsMomentsSamplesSwitchesAndTheirCounts) {
  const Spool spool = Parse(Valid().Build());
  EXPECT_THAT(spool.problems, IsEmpty());
  ASSERT_THAT(spool.timed.moments, SizeIs(2));
  EXPECT_EQ(spool.timed.moments[0].kind, MomentKind::kMutexWait);
  EXPECT_EQ(spool.timed.moments[0].end_ns, 20u);
  EXPECT_EQ(spool.timed.moments[1].thread, 4712u);
  ASSERT_THAT(spool.timed.samples, SizeIs(1));
  EXPECT_EQ(spool.timed.samples[0].region, 0u);
  EXPECT_EQ(spool.timed.samples[0].chain, 1u);
  ASSERT_THAT(spool.timed.switches, SizeIs(1));
  EXPECT_EQ(spool.timed.switches[0].kind, SwitchKind::kIn);
  EXPECT_EQ(spool.header.timed.moments_left_out, 3u);
}

TEST(TimedReader, LeavesOutWhatCannotBe) {
  SpoolBuilder builder = Valid();
  builder.AddMoment({20, 10, 0, 0, 1, MomentKind::kSleep, 0});
  builder.AddTimedSample({12, 0x1010, 0, 0, 1, 9});    // no such event
  builder.AddTimedSample({13, 0x9000, 0, 0, 1, 0});    // not in its region
  builder.AddTimedSample({14, 0x1010, 77, 99, 1, 0});  // no such region and chain
  // A later version's kind is kept.
  builder.AddMoment({30, 31, 0, 0, 1, static_cast<MomentKind>(60), 0});
  const Spool spool = Parse(builder.Build());
  EXPECT_THAT(spool.problems, SizeIs(1));
  EXPECT_THAT(spool.timed.moments, SizeIs(3));
  ASSERT_THAT(spool.timed.samples, SizeIs(3));
  EXPECT_EQ(spool.timed.samples[1].region, kNone);
  EXPECT_EQ(spool.timed.samples[2].region, kNone);
  EXPECT_EQ(spool.timed.samples[2].chain, 0u);
}

TEST(TimedReader, ReadsTheFirstRecordsOfAFileThatIsCut) {
  const std::vector<std::byte> whole = Valid().Build();
  const Spool all = Parse(whole);
  std::size_t cut_moments = 0;
  // At each byte of the file: no access outside of it, and never more than the whole has.
  for (std::size_t bytes = kHeaderBytes; bytes < whole.size(); ++bytes) {
    auto spool = ParseSpool({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes)});
    ASSERT_TRUE(spool);
    ASSERT_LE(spool->timed.moments.size(), all.timed.moments.size());
    ASSERT_LE(spool->timed.samples.size(), all.timed.samples.size());
    ASSERT_LE(spool->timed.switches.size(), all.timed.switches.size());
    cut_moments += spool->timed.moments.size() == 1 ? 1 : 0;
  }
  EXPECT_EQ(cut_moments, sizeof(MomentRecord)) << "each cut inside the second moment";
}

}  // namespace
}  // namespace csink::spool
