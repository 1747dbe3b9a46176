#include "profil/reading/reader/reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "core/util/unique_fd.h"
#include "profil/reading/merge/merge.h"
#include "tests/fakes/spool_builder.h"

namespace csink::spool {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::SpoolBuilder;

SpoolBuilder SmallSpool() {
  SpoolBuilder builder;
  const auto app = builder.AddRegion({.path = "/usr/bin/app",
                                      .start = 0x401000,
                                      .end = 0x405000,
                                      .file_offset = 0x1000,
                                      .build_id = "\x01\x02\x03\x04"});
  const auto lib =
      builder.AddRegion({.path = "/usr/lib/libm.so.6", .start = 0x7f0000, .end = 0x7f8000});
  const auto worker = builder.AddThread(4712, "worker", 0x401230, app);
  builder.AddHits(app, 1, 0x401234, 600);
  builder.AddHits(app, worker, 0x402000, 300);
  builder.AddHits(lib, 1, 0x7f0010, 100);
  builder.AddRoutine(0x401230, app, 12, 3'000'000);
  return builder;
}

Spool MustParse(std::vector<std::byte> bytes) {
  auto spool = ParseSpool(std::move(bytes));
  EXPECT_TRUE(spool) << spool.error().what;
  return spool ? std::move(*spool) : Spool{};
}

/// Uses everything that a report would use, so that sanitizers see it.
std::uint64_t Consume(const Spool& spool) {
  ProfileMerger merger;
  merger.Add(spool, ProcessState::kComplete, "x");
  const Profile profile = merger.Finish();
  std::uint64_t sum = profile.places.size() + profile.problems.size();
  for (const Module& module : profile.modules) sum += module.path.size() + module.build_id.size();
  for (const Place& place : profile.places) sum += place.counts.at(0).samples;
  return sum;
}

/// Overwrites one field of a built spool.
template <class T>
void Poke(std::vector<std::byte>& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// The offset of the first segment of this kind.
std::size_t FindSegment(const std::vector<std::byte>& bytes, SegmentKind kind) {
  std::size_t offset = kHeaderBytes;
  while (offset + sizeof(SegmentHeader) <= bytes.size()) {
    SegmentHeader header;
    std::memcpy(&header, bytes.data() + offset, sizeof header);
    if (header.kind == kind) return offset;
    offset += header.bytes;
  }
  ADD_FAILURE() << "no such segment";
  return 0;
}

TEST(ParseSpool, ReadsEverythingAWriterWrote) {
  const Spool spool = MustParse(SmallSpool().Build());
  EXPECT_THAT(spool.problems, IsEmpty());
  ASSERT_EQ(spool.regions.size(), 2u);
  EXPECT_EQ(spool.regions[0].path, "/usr/bin/app");
  EXPECT_EQ(spool.regions[0].build_id.size(), 4u);
  EXPECT_EQ(spool.regions[1].path, "/usr/lib/libm.so.6");
  ASSERT_EQ(spool.threads.size(), 3u);
  EXPECT_EQ(spool.threads[2].name, "worker");
  ASSERT_EQ(spool.hits.size(), 3u);
  EXPECT_EQ(spool.hits[1].pc, 0x402000u);
  EXPECT_EQ(spool.hits[1].region, 0u);
  EXPECT_EQ(spool.hits[1].thread, 2u);
  EXPECT_EQ(spool.CountsOf(spool.hits[0])[0].samples, 600u);
  EXPECT_EQ(spool.CountsOf(spool.hits[0])[0].weight, 600u * 1'000'003);
  ASSERT_EQ(spool.routines.size(), 1u);
  EXPECT_EQ(spool.routines[0].threads, 12u);
}

TEST(ParseSpool, ReadsARecordThatThreadsShare) {
  SpoolBuilder builder = SmallSpool();
  spool::ThreadRecord& shared = builder.thread(2);
  shared.flags = kThreadShared;
  shared.threads = 40;
  shared.end_monotonic_ns = 9000;
  Spool spool = MustParse(builder.Build());
  EXPECT_EQ(spool.threads[1].sharing, 0u);
  EXPECT_EQ(spool.threads[2].sharing, 40u);
  EXPECT_EQ(spool.threads[2].wall.threads, 40u);
  EXPECT_EQ(spool.threads[2].wall.wall_ns, 9000u);
  shared.threads = 0;  // killed before the first thread was counted
  spool = MustParse(builder.Build());
  EXPECT_EQ(spool.threads[2].sharing, 1u);
  shared.flags = 2;  // of a later version
  spool = MustParse(builder.Build());
  EXPECT_EQ(spool.threads[2].sharing, 0u);
}

TEST(ParseSpool, NamesWhatIsNoSpool) {
  EXPECT_THAT(ParseSpool({}).error().what, HasSubstr("empty"));
  EXPECT_THAT(ParseSpool(std::vector<std::byte>(20000, std::byte{1})).error().what,
              HasSubstr("not a Countersink spool"));
  auto bytes = SmallSpool().Build();
  Poke(bytes, offsetof(Header, version), kFormatVersion + 1);
  EXPECT_EQ(ParseSpool(bytes).error().code, Errc::kUnsupported);
  EXPECT_THAT(ParseSpool(bytes).error().what, HasSubstr("another format version"));
  bytes = SmallSpool().Build();
  Poke(bytes, offsetof(Header, byte_order), 0x04030201u);
  EXPECT_THAT(ParseSpool(bytes).error().what, HasSubstr("byte order"));
  for (const std::uint32_t count : {0u, 9u, 0xffffffffu}) {
    bytes = SmallSpool().Build();
    Poke(bytes, offsetof(Header, event_count), count);
    EXPECT_EQ(ParseSpool(bytes).error().code, Errc::kCorrupt);
  }
}

TEST(ParseSpool, SurvivesEveryTruncation) {
  const auto whole = SmallSpool().Build();
  std::uint64_t before = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    auto spool = ParseSpool({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    if (size < kHeaderBytes) {
      ASSERT_FALSE(spool) << size;
      continue;
    }
    ASSERT_TRUE(spool) << size;
    EXPECT_THAT(spool->problems, Not(IsEmpty())) << size;
    const std::uint64_t samples = spool->hits.size();
    EXPECT_GE(samples, before) << "a longer file holds no less";
    before = samples;
    Consume(*spool);
  }
  EXPECT_EQ(before, 3u);
}

TEST(ParseSpool, SurvivesEveryFlippedByte) {
  const auto whole = SmallSpool().Build();
  // Texts of the header are skipped in part: all bytes of the structure are covered.
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const unsigned mask : {0xffu, 0x80u, 0x01u}) {
      auto bytes = whole;
      bytes[i] ^= std::byte(mask);
      const auto spool = ParseSpool(std::move(bytes));
      if (spool) Consume(*spool);
    }
  }
}

TEST(ParseSpool, SurvivesRandomWordsInItsStructure) {
  const auto whole = SmallSpool().Build();
  std::mt19937_64 random(42);
  const std::uint64_t evil[] = {0,          1,          7,     8,          32,
                                0x7fffffff, 0xffffffff, ~0ull, ~0ull << 3, 1ull << 63};
  for (int round = 0; round < 20000; ++round) {
    auto bytes = whole;
    for (int change = 0; change < 3; ++change) {
      const std::size_t at = random() % ((whole.size() - kHeaderBytes) / 4 - 2) * 4 + kHeaderBytes;
      if (random() % 2 == 0) {
        Poke(bytes, at, evil[random() % std::size(evil)]);
      } else {
        Poke(bytes, at, static_cast<std::uint32_t>(evil[random() % std::size(evil)]));
      }
    }
    const auto spool = ParseSpool(std::move(bytes));
    ASSERT_TRUE(spool);
    Consume(*spool);
  }
}

TEST(ParseSpool, KeepsWhatLiesBeforeADamagedSegment) {
  auto bytes = SmallSpool().Build();
  Poke(bytes, FindSegment(bytes, SegmentKind::kRoutines), std::uint32_t{0xdeadbeef});
  const Spool spool = MustParse(bytes);
  EXPECT_EQ(spool.hits.size(), 3u);
  EXPECT_TRUE(spool.routines.empty());
  EXPECT_THAT(spool.problems, ::testing::Contains(HasSubstr("damaged")));
}

TEST(ParseSpool, BelievesNoCountThatDoesNotFit) {
  auto bytes = SmallSpool().Build();
  const std::size_t at = FindSegment(bytes, SegmentKind::kBuckets);
  Poke(bytes, at + offsetof(SegmentHeader, capacity), std::uint32_t{0xffffffff});
  const Spool spool = MustParse(bytes);
  EXPECT_EQ(spool.hits.size(), 3u);
  EXPECT_THAT(spool.problems, ::testing::Contains(HasSubstr("larger than the segment")));
}

TEST(ParseSpool, LeavesOutBucketsThatAreClaimedButNotPublished) {
  auto bytes = SmallSpool().Build();
  const std::size_t at = FindSegment(bytes, SegmentKind::kBuckets) + sizeof(SegmentHeader);
  Poke(bytes, at + offsetof(Bucket, tag), std::uint64_t{0});
  EXPECT_EQ(MustParse(bytes).hits.size(), 2u);
}

TEST(ParseSpool, CountsABucketOfAnUnknownModuleAndSaysSo) {
  auto bytes = SmallSpool().Build();
  const std::size_t at = FindSegment(bytes, SegmentKind::kBuckets) + sizeof(SegmentHeader);
  Poke(bytes, at, std::uint64_t{77} << 32 | 1);
  const Spool spool = MustParse(bytes);
  ASSERT_EQ(spool.hits.size(), 3u);
  EXPECT_EQ(spool.hits[0].region, kNone);
  EXPECT_EQ(spool.misplaced_hits, 1u);
  EXPECT_THAT(spool.problems, ::testing::Contains(HasSubstr("an unknown module")));
}

TEST(ParseSpool, StopsAtSpaceThatIsAllocatedButNotBegun) {
  auto bytes = SmallSpool().Build();
  bytes.resize(bytes.size() + 4096);
  Poke(bytes, offsetof(Header, file_bytes), std::uint64_t{bytes.size()});
  const Spool spool = MustParse(bytes);
  EXPECT_EQ(spool.hits.size(), 3u);
  EXPECT_THAT(spool.problems, IsEmpty());
}

TEST(ParseSpool, TerminatesTextsThatFillTheirField) {
  SpoolBuilder builder = SmallSpool();
  std::memset(builder.header().command, 'x', sizeof builder.header().command);
  EXPECT_EQ(std::strlen(MustParse(builder.Build()).header.command),
            sizeof builder.header().command - 1);
}

class ReadSpoolFileTest : public ::testing::Test {
 protected:
  ReadSpoolFileTest() {
    char folder[] = "/tmp/csink-reader-XXXXXX";
    folder_ = mkdtemp(folder);
  }
  ~ReadSpoolFileTest() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(ReadSpoolFileTest, ReadsAFile) {
  const auto spool = ReadSpoolFile(SmallSpool().Write(folder_));
  ASSERT_TRUE(spool);
  EXPECT_EQ(spool->hits.size(), 3u);
}

TEST_F(ReadSpoolFileTest, ReadsTheHeaderAlone) {
  const std::string path = SmallSpool().Write(folder_);
  // What lies behind the header is neither read nor checked.
  ASSERT_EQ(truncate(path.c_str(), kHeaderBytes), 0);
  const auto header = ReadSpoolHeader(path);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->pid, SmallSpool().header().pid);
  EXPECT_FALSE(ReadSpoolFile(path)->problems.empty());
  ASSERT_EQ(truncate(path.c_str(), kHeaderBytes - 1), 0);
  EXPECT_EQ(ReadSpoolHeader(path).error().code, Errc::kCorrupt);
  EXPECT_EQ(ReadSpoolHeader(folder_ + "/missing").error().code, Errc::kNotFound);
}

TEST_F(ReadSpoolFileTest, ReadsALiveFileThatIsMappedByItsWriter) {
  SpoolBuilder builder = SmallSpool();
  builder.header().state = State::kLive;
  const std::string path = builder.Write(folder_);
  const UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(fd);
  const std::size_t size = std::filesystem::file_size(path);
  void* const mapping = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  ASSERT_NE(mapping, MAP_FAILED);
  // The writer counts one more hit of each bucket while we look: both are true.
  auto* bytes = static_cast<std::byte*>(mapping);
  std::atomic<bool> stop{false};
  const std::size_t first =
      FindSegment(builder.Build(), SegmentKind::kBuckets) + sizeof(SegmentHeader) + sizeof(Bucket);
  auto* count = reinterpret_cast<std::atomic<std::uint64_t>*>(bytes + first);
  std::thread writer([&] {
    while (!stop) count->fetch_add(1, std::memory_order_relaxed);
  });
  std::uint64_t before = 600;
  for (int look = 0; look < 50; ++look) {
    const auto spool = ReadSpoolFile(path);
    ASSERT_TRUE(spool);
    EXPECT_EQ(spool->header.state, State::kLive);
    ASSERT_EQ(spool->hits.size(), 3u);
    EXPECT_GE(spool->CountsOf(spool->hits[0])[0].samples, before);
    before = spool->CountsOf(spool->hits[0])[0].samples;
  }
  stop = true;
  writer.join();
  EXPECT_EQ(munmap(mapping, size), 0);
}

TEST_F(ReadSpoolFileTest, NamesTheFileAndTheReason) {
  const std::string missing = folder_ + "/missing";
  const auto gone = ReadSpoolFile(missing);
  EXPECT_EQ(gone.error().code, Errc::kNotFound);
  EXPECT_EQ(DescribeReadError(missing, gone.error()),
            missing + ": cannot be opened (No such file or directory)");
  EXPECT_EQ(ReadSpoolFile(folder_).error().code, Errc::kInvalid);
  ASSERT_EQ(mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(ReadSpoolFile(folder_ + "/pipe").error().code, Errc::kInvalid);  // and does not hang
}

TEST_F(ReadSpoolFileTest, SaysTheVersionOfANewerAndOfAnOlderFormat) {
  const std::string path = folder_ + "/other";
  for (const auto& [version, word] : {std::pair{kFormatVersion + 1, "newer"}, {0u, ""}}) {
    auto bytes = SmallSpool().Build();
    Poke(bytes, offsetof(Header, version), version);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    const auto spool = ReadSpoolFile(path);
    ASSERT_FALSE(spool);
    EXPECT_EQ(spool.error().code, Errc::kUnsupported);
    const std::string text = DescribeReadError(path, spool.error());
    EXPECT_THAT(text, Not(HasSubstr("\n")));
    if (version != 0) {
      EXPECT_EQ(text, path + ": spool format " + std::to_string(version) + ", " + word +
                          " than this csink reads (" + std::to_string(kFormatVersion) +
                          "); use the csink of the release whose libagent.so wrote it");
    } else {
      // No format had this version.
      EXPECT_EQ(text, path + ": " + kOtherVersion);
    }
  }
  // The sum of many files has no path.
  EXPECT_EQ(DescribeReadError("", Error{Errc::kUnsupported, 0, kOtherVersion}),
            std::string(": ") + kOtherVersion);
}

TEST_F(ReadSpoolFileTest, KnowsAFileThatItsProcessHadOnlyMade) {
  const std::string path = folder_ + "/begun";
  std::ofstream(path).close();
  EXPECT_TRUE(IsNotBegun(ReadSpoolFile(path).error()));
  ASSERT_EQ(truncate(path.c_str(), 1 << 20), 0);
  EXPECT_TRUE(IsNotBegun(ReadSpoolFile(path).error()));
  std::ofstream(path, std::ios::in).seekp(kHeaderBytes - 1).put(1);
  EXPECT_FALSE(IsNotBegun(ReadSpoolFile(path).error()));
}

TEST_F(ReadSpoolFileTest, RefusesAHugeForeignFileWithoutReadingIt) {
  const std::string path = folder_ + "/huge";
  std::ofstream(path) << "something else";
  ASSERT_EQ(truncate(path.c_str(), 1ll << 29), 0);
  EXPECT_THAT(ReadSpoolFile(path).error().what, HasSubstr("not a Countersink spool"));
  ASSERT_EQ(truncate(path.c_str(), 1ll << 40), 0);
  EXPECT_EQ(ReadSpoolFile(path).error().code, Errc::kLimit);
}

}  // namespace
}  // namespace csink::spool
