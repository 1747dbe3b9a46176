#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>

#include "profil/reading/merge/merge.h"
#include "profil/reading/reader/reader.h"
#include "tests/fakes/spool_builder.h"

namespace csink::spool {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SpoolBuilder;

/// main -> outer -> sample, in two phases.
SpoolBuilder Marked() {
  SpoolBuilder b;
  const auto app = b.AddRegion({.path = "/usr/bin/app", .start = 0x401000, .end = 0x405000});
  const auto main = b.AddChain(0, app, 0x401100);
  const auto outer = b.AddChain(main, app, 0x402200);
  const auto load = b.AddPhase("load", 10'000'000);
  b.AddHits(app, 1, 0x403000, 10);
  b.AddHitsAt(app, 1, 0x403000, 90, outer, load);
  b.SetConfiguration("CSINK_STACKS='fp'\n");
  return b;
}

Spool MustParse(std::vector<std::byte> bytes) {
  auto spool = ParseSpool(std::move(bytes));
  EXPECT_TRUE(spool) << spool.error().what;
  return spool ? std::move(*spool) : Spool{};
}

std::size_t FindSegment(const std::vector<std::byte>& bytes, SegmentKind kind) {
  std::size_t at = kHeaderBytes;
  for (;;) {
    SegmentHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    if (header.magic != kSegmentMagic) std::abort();
    if (header.kind == kind) return at + sizeof header;
    at += header.bytes;
  }
}

template <class Record>
void Change(std::vector<std::byte>& bytes, SegmentKind kind, std::size_t index,
            const std::function<void(Record&)>& change) {
  std::byte* at = bytes.data() + FindSegment(bytes, kind) + index * sizeof(Record);
  Record record;
  std::memcpy(&record, at, sizeof record);
  change(record);
  std::memcpy(at, &record, sizeof record);
}

/// Merges with all that can be kept, so that sanitizers see every path.
Profile Merge(const Spool& spool) {
  ProfileMerger merger({.keep_callers = true, .keep_phases = true, .keep_threads = true});
  merger.Add(spool, ProcessState::kKilled, "x");
  return merger.Finish();
}

TEST(ReadMarks, KeepsCallersPhasesAndConfiguration) {
  const Spool spool = MustParse(Marked().Build());
  EXPECT_THAT(spool.problems, IsEmpty());
  ASSERT_EQ(spool.chains.size(), 2u);
  EXPECT_EQ(spool.chains[1].parent, 1u);
  EXPECT_EQ(spool.chains[1].pc, 0x402200u);
  ASSERT_EQ(spool.phases.size(), 1u);
  EXPECT_EQ(spool.phases[0].name, "load");
  EXPECT_EQ(spool.phases[0].start_cpu_ns, 10'000'000u);
  EXPECT_EQ(spool.configuration, "CSINK_STACKS='fp'\n");
  ASSERT_EQ(spool.hits.size(), 2u);
  EXPECT_EQ(spool.hits[0].chain, 0u);
  EXPECT_EQ(spool.hits[1].chain, 2u);
  EXPECT_EQ(spool.hits[1].phase, 1u);
}

TEST(ReadMarks, CutsAChainWhoseParentDoesNotComeBeforeIt) {
  for (const std::uint32_t parent : {2u, 3u, 0xffffffffu}) {
    auto bytes = Marked().Build();
    Change<ChainNode>(bytes, SegmentKind::kChains, 1, [&](ChainNode& n) { n.parent = parent; });
    const Spool spool = MustParse(std::move(bytes));
    EXPECT_EQ(spool.chains[1].parent, 0u);
    EXPECT_NE(spool.chains[1].flags & kChainCut, 0u);
    EXPECT_THAT(spool.problems, Contains(HasSubstr("a caller is stored before its own caller")));
    EXPECT_EQ(Merge(spool).places.size(), 2u);
  }
}

TEST(ReadMarks, AChainWithoutCallersIsAlone) {
  SpoolBuilder b = Marked();
  b.AddHitsAt(0, 1, 0x403000, 5, b.AddChain(0, kNone, 0, kChainCut | kChainEmpty));
  auto bytes = b.Build();
  const Profile profile = Merge(MustParse(bytes));
  ASSERT_EQ(profile.callers.size(), 4u);
  EXPECT_TRUE(profile.callers[3].IsCut());
  EXPECT_TRUE(profile.callers[3].IsEmpty());
  EXPECT_EQ(profile.callers[3].address.module, kNoModule);
  EXPECT_EQ(profile.modules.size(), 1u);  // no unknown one is made for it
  EXPECT_EQ(profile.places.back().caller, 3u);

  // Bytes that have it within other chains.
  Change<ChainNode>(bytes, SegmentKind::kChains, 0, [](ChainNode& n) { n.flags = kChainEmpty; });
  Change<ChainNode>(bytes, SegmentKind::kChains, 2, [](ChainNode& n) { n.parent = 2; });
  const Spool damaged = MustParse(std::move(bytes));
  EXPECT_THAT(damaged.problems,
              Contains(HasSubstr("a call chain without callers is part of another")));
  EXPECT_EQ(damaged.chains[0].flags, kChainEmpty | kChainCut);
  EXPECT_EQ(damaged.chains[0].region, kNone);
  for (const std::size_t i : {1, 2}) {
    EXPECT_EQ(damaged.chains[i].parent, 0u);
    EXPECT_EQ(damaged.chains[i].flags, kChainCut);
  }
}

TEST(ReadMarks, ACallerOfNoModuleIsNotKnown) {
  auto bytes = Marked().Build();
  Change<ChainNode>(bytes, SegmentKind::kChains, 0, [](ChainNode& n) { n.region = 7; });
  Change<ChainNode>(bytes, SegmentKind::kChains, 1, [](ChainNode& n) { n.pc = 0x405001; });
  const Spool spool = MustParse(std::move(bytes));
  EXPECT_EQ(spool.chains[0].region, kNone);
  EXPECT_EQ(spool.chains[1].region, kNone);
  EXPECT_THAT(spool.problems, Contains(HasSubstr("a caller refers to an unknown module")));
}

TEST(ReadMarks, AReturnAddressMayLieBehindItsModule) {
  auto bytes = Marked().Build();
  Change<ChainNode>(bytes, SegmentKind::kChains, 1, [](ChainNode& n) { n.pc = 0x405000; });
  const Spool spool = MustParse(std::move(bytes));
  EXPECT_EQ(spool.chains[1].region, 0u);
  EXPECT_THAT(spool.problems, IsEmpty());
}

TEST(ReadMarks, CountsHitsOfMarksAndCallersThatAreNotThere) {
  auto bytes = Marked().Build();
  const std::size_t at = FindSegment(bytes, SegmentKind::kBuckets);
  const std::uint64_t tag = kPublished | 9ull << 32 | 9;
  std::memcpy(bytes.data() + at + offsetof(Bucket, tag), &tag, sizeof tag);
  const Spool spool = MustParse(std::move(bytes));
  EXPECT_EQ(spool.unmarked_hits, 1u);
  EXPECT_EQ(spool.hits[0].chain, 0u);
  EXPECT_EQ(spool.hits[0].phase, 0u);
  EXPECT_THAT(spool.problems, Contains(HasSubstr("1 buckets refer to an unknown mark or caller")));
}

TEST(ReadMarks, ATextOutsideTheFileIsEmpty) {
  auto bytes = Marked().Build();
  Change<PhaseRecord>(bytes, SegmentKind::kPhases, 0, [](PhaseRecord& p) { p.text = ~0ull - 1; });
  const std::uint32_t huge = 0xffffffff;
  std::memcpy(bytes.data() + offsetof(Header, configuration_bytes), &huge, sizeof huge);
  const Spool spool = MustParse(std::move(bytes));
  EXPECT_EQ(spool.phases[0].name, "");
  EXPECT_EQ(spool.configuration, "");
  EXPECT_THAT(spool.problems, Contains(HasSubstr("a mark's name lies outside the file")));
  EXPECT_THAT(spool.problems, Contains(HasSubstr("the configuration lies outside the file")));
}

TEST(ReadMarks, SurvivesRandomDamage) {
  const auto good = Marked().Build();
  std::mt19937 random(7);
  for (int round = 0; round < 4000; ++round) {
    auto bytes = good;
    for (int i = 0; i < 6; ++i) {
      const std::size_t at = kHeaderBytes + random() % (bytes.size() - kHeaderBytes);
      bytes[at] = static_cast<std::byte>(random());
    }
    const auto spool = ParseSpool(std::move(bytes));
    ASSERT_TRUE(spool);
    const Profile profile = Merge(*spool);
    for (std::size_t i = 1; i < profile.callers.size(); ++i) {
      ASSERT_LT(profile.callers[i].parent, i);
      ASSERT_FALSE(profile.callers[profile.callers[i].parent].IsEmpty());
      ASSERT_EQ(profile.callers[i].IsEmpty(), profile.callers[i].address.module == kNoModule);
    }
    for (const Place& place : profile.places) {
      ASSERT_LT(place.caller, std::max<std::size_t>(1, profile.callers.size()));
      ASSERT_LT(place.phase, std::max<std::size_t>(1, profile.phases.size()));
    }
  }
}

}  // namespace
}  // namespace csink::spool
