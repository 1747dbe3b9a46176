#include "profil/inside/spool/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "tests/fakes/sandbox.h"
#include "tests/profil/spool_bytes.h"

namespace csink {
namespace {

using spool::SegmentKind;
using testing::SpoolBytes;
using testing::TemporaryFolder;

spool::Header SmallHeader(std::uint32_t events = 1) {
  spool::Header header = {};
  header.event_count = events;
  std::memcpy(header.program, "prog", 5);
  return header;
}

class SpoolWriterTest : public ::testing::Test {
 protected:
  Result<void> Create(std::string_view stem = "prog.host.1.2") {
    return writer_->Create(folder_.path(), stem, SmallHeader());
  }
  /// Counts one sample at each of `count` addresses; how many found a bucket.
  std::size_t Hit(std::size_t count, std::uint64_t from = 0) {
    std::size_t placed = 0;
    for (std::uint64_t i = 0; i < count; ++i) placed += writer_->AddHit({0, 0, from + i}, 0, 10);
    return placed;
  }
  SpoolBytes Bytes() { return SpoolBytes(writer_->path()); }

  TemporaryFolder folder_;
  std::unique_ptr<SpoolWriter> writer_ = std::make_unique<SpoolWriter>();
};

/// RLIMIT_FSIZE for a scope. A write or an allocation beyond it would end the test (SIGXFSZ).
class FileSizeLimited {
 public:
  explicit FileSizeLimited(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimited() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimited(const FileSizeLimited&) = delete;

 private:
  rlimit before_ = {};
};

using SpoolWriterCreate = SpoolWriterTest;
using SpoolWriterGrow = SpoolWriterTest;
using SpoolWriterFreeze = SpoolWriterTest;
using SpoolWriterFork = SpoolWriterTest;

TEST_F(SpoolWriterCreate, AsksForNoFileBeyondTheLimitOfItsSize) {
  const FileSizeLimited limited(4096);
  const Result<void> made = Create();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().sys_errno, EFBIG);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(SpoolWriterGrow, KeepsWhyItWasRefused) {
  ASSERT_TRUE(Create());
  EXPECT_EQ(writer_->refused().count, 0u);
  const std::uint64_t bytes = writer_->file_bytes();
  const FileSizeLimited limited(bytes);
  EXPECT_LT(Hit(5'000), 5'000u);
  EXPECT_EQ(writer_->file_bytes(), bytes);
  EXPECT_GT(writer_->refused().count, 0u);
  EXPECT_EQ(writer_->refused().sys_errno, static_cast<std::uint32_t>(EFBIG));
  EXPECT_EQ(writer_->refused().limit, bytes);
}

TEST_F(SpoolWriterCreate, WritesAnEmptySpoolThatIsTrueAtOnce) {
  ASSERT_TRUE(Create());
  EXPECT_EQ(writer_->path(), folder_.path() + "/prog.host.1.2.0.csink");
  const SpoolBytes bytes = Bytes();
  EXPECT_EQ(bytes.header().version, spool::kFormatVersion);
  EXPECT_EQ(bytes.header().byte_order, spool::kByteOrderMark);
  EXPECT_EQ(bytes.header().state, spool::State::kLive);
  EXPECT_EQ(bytes.header().end, spool::End::kUnknown);
  EXPECT_STREQ(bytes.header().program, "prog");
  EXPECT_EQ(bytes.size(), writer_->file_bytes());
  EXPECT_LE(bytes.size(), 48u * 1024);
  EXPECT_TRUE(bytes.Buckets().empty());
}

TEST_F(SpoolWriterCreate, KeepsTheFileToItsOwner) {
  ASSERT_TRUE(Create());
  struct stat st = {};
  ASSERT_EQ(stat(writer_->path(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
  EXPECT_GE(static_cast<std::uint64_t>(st.st_blocks) * 512, writer_->file_bytes())
      << "every byte is there before it is touched";
}

TEST_F(SpoolWriterCreate, GivesEachImageOfAProcessAGenerationOfItsOwn) {
  for (std::uint32_t generation = 0; generation < 3; ++generation) {
    SpoolWriter writer;
    ASSERT_TRUE(writer.Create(folder_.path(), "a", SmallHeader()));
    EXPECT_EQ(writer.header().exec_generation, generation);
    EXPECT_EQ(writer.path(), folder_.path() + "/a." + std::to_string(generation) + ".csink");
  }
}

TEST_F(SpoolWriterCreate, NeverFollowsALinkThatSomebodyPutThere) {
  const std::string victim = folder_.path() + "/victim";
  std::ofstream(victim) << "precious";
  std::filesystem::create_symlink(victim, folder_.path() + "/a.0.csink");
  ASSERT_TRUE(writer_->Create(folder_.path(), "a", SmallHeader()));
  EXPECT_EQ(writer_->header().exec_generation, 1u);
  EXPECT_EQ(std::filesystem::file_size(victim), 8u);
}

TEST_F(SpoolWriterCreate, FailsInPlainWords) {
  EXPECT_EQ(writer_->Create("/nonexistent/folder", "a", SmallHeader()).error().code,
            Errc::kNotFound);
  EXPECT_EQ(writer_->Create(std::string(600, 'x'), "a", SmallHeader()).error().code,
            Errc::kInvalid);
  EXPECT_EQ(writer_->Create("/proc", "a", SmallHeader()).error().sys_errno != 0, true);
  EXPECT_FALSE(writer_->open());
  EXPECT_EQ(folder_.files(), 0u);
}

TEST_F(SpoolWriterGrow, KeepsThousandsOfRegionsInOrderWithTheirPaths) {
  ASSERT_TRUE(Create());
  constexpr std::uint32_t kCount = 3000;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    spool::RegionRecord region = {};
    region.start = 0x1000ull * i;
    region.end = region.start + 0x1000;
    ASSERT_EQ(writer_->AddRegion(region, "/usr/lib/libnumber" + std::to_string(i) + ".so"), i);
  }
  const SpoolBytes bytes = Bytes();
  const auto regions = bytes.regions();
  ASSERT_EQ(regions.size(), kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(regions[i].start, 0x1000ull * i);
    ASSERT_EQ(regions[i].load_sequence, i);
    ASSERT_EQ(bytes.PathOf(regions[i]), "/usr/lib/libnumber" + std::to_string(i) + ".so");
    ASSERT_EQ(writer_->At<spool::RegionRecord>(i)->start, regions[i].start);
  }
  EXPECT_EQ(writer_->At<spool::RegionRecord>(kCount), nullptr);
  EXPECT_EQ(bytes.size(), writer_->file_bytes());
}

TEST_F(SpoolWriterGrow, KeepsThousandsOfThreadsAndRoutinesApart) {
  ASSERT_TRUE(Create());
  for (std::uint32_t i = 0; i < 2000; ++i) {
    spool::ThreadRecord thread = {};
    thread.tid = 100 + i;
    ASSERT_EQ(writer_->Add(thread), i);
    spool::RoutineRecord routine = {};
    routine.start_routine = 5000 + i;
    ASSERT_EQ(writer_->Add(routine), i);
  }
  writer_->At<spool::ThreadRecord>(1999)->cpu_ns = 77;
  writer_->At<spool::RoutineRecord>(0)->threads = 3;
  const SpoolBytes bytes = Bytes();
  ASSERT_EQ(bytes.threads().size(), 2000u);
  ASSERT_EQ(bytes.routines().size(), 2000u);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    ASSERT_EQ(bytes.threads()[i].tid, 100 + i);
    ASSERT_EQ(bytes.routines()[i].start_routine, 5000u + i);
    if (i % 100 != 0) i += 98;  // reading anew each time is slow
  }
  EXPECT_EQ(bytes.threads()[1999].cpu_ns, 77u);
  EXPECT_EQ(bytes.routines()[0].threads, 3u);
}

TEST_F(SpoolWriterGrow, CountsTensOfThousandsOfAddressesExactly) {
  ASSERT_TRUE(Create());
  constexpr std::size_t kCount = 30'000;
  EXPECT_EQ(Hit(kCount), kCount);
  EXPECT_EQ(Hit(kCount), kCount);
  const SpoolBytes bytes = Bytes();
  const auto buckets = bytes.Buckets();
  EXPECT_EQ(buckets.size(), kCount);
  for (const auto& [key, counts] : buckets) {
    ASSERT_EQ(counts[0].samples, 2u);
    ASSERT_EQ(counts[0].weight, 20u);
  }
  EXPECT_GT(bytes.Segments(SegmentKind::kBuckets), 3u);
  EXPECT_EQ(bytes.header().events[0].unplaced, 0u);
  EXPECT_EQ(bytes.size(), writer_->file_bytes());
}

TEST_F(SpoolWriterGrow, HoldsPathsOfEveryLength) {
  ASSERT_TRUE(Create());
  for (std::size_t length = 0; length < 4200; length += 300) {
    ASSERT_NE(writer_->AddRegion({}, std::string(length, 'p')), spool::kNone);
  }
  const SpoolBytes bytes = Bytes();
  std::size_t length = 0;
  for (const auto& region : bytes.regions()) {
    EXPECT_EQ(bytes.PathOf(region), std::string(length, 'p'));
    length += 300;
  }
}

TEST_F(SpoolWriterGrow, RefusesAFileThatWasPutInItsPlace) {
  ASSERT_TRUE(Create());
  const std::string other = folder_.path() + "/other";
  std::ofstream(other) << "precious";
  std::filesystem::rename(other, writer_->path());
  const std::uint64_t before = writer_->file_bytes();
  EXPECT_LT(Hit(5000), 5000u);
  EXPECT_GT(writer_->header().events[0].unplaced, 0u);
  EXPECT_EQ(writer_->file_bytes(), before);
  EXPECT_EQ(std::filesystem::file_size(writer_->path()), 8u);
}

TEST_F(SpoolWriterGrow, CopiesWhatItHasAlsoWithoutTheFile) {
  ASSERT_TRUE(Create());
  EXPECT_EQ(Hit(5000), 5000u);
  ASSERT_NE(writer_->AddRegion({}, "/bin/one"), spool::kNone);
  const std::string file = folder_.path() + "/copy";
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  ASSERT_GE(fd, 0);
  const auto read_all = [](const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string spool = read_all(writer_->path());
  writer_->Remove();
  EXPECT_EQ(writer_->CopyTo(fd), 0);
  EXPECT_TRUE(read_all(file) == spool);
  // What comes later is in the spool alone.
  Hit(5000, 5000);
  EXPECT_EQ(std::filesystem::file_size(file), SpoolBytes(file).header().file_bytes);
  close(fd);
}

TEST_F(SpoolWriterGrow, ACopyThatFindsNoRoomIsRefused) {
  ASSERT_TRUE(Create());
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  EXPECT_EQ(writer_->CopyTo(full), ENOSPC);
  close(full);
  EXPECT_EQ(writer_->CopyTo(-1), EBADF);
}

TEST_F(SpoolWriterGrow, CountsOnInWhatItHasWhenTheFileIsRemoved) {
  ASSERT_TRUE(Create());
  writer_->Remove();
  EXPECT_EQ(folder_.files(), 0u);
  const std::size_t placed = Hit(5000);
  EXPECT_GT(placed, 0u);
  EXPECT_EQ(placed + writer_->header().events[0].unplaced, 5000u);
}

TEST_F(SpoolWriterFreeze, MakesNoSystemCallHoweverMuchIsAdded) {
  if (!testing::kSandboxUsable) GTEST_SKIP() << "not under thread sanitizer";
  const testing::SandboxResult result = testing::InSandbox(
      [this] {
        if (!Create()) _exit(10);
        Hit(400);
        writer_->Freeze();
      },
      [this] {
        Hit(200'000, 1'000'000);
        for (int i = 0; i < 1000; ++i) {
          writer_->AddRegion({}, "/usr/lib/x86_64-linux-gnu/libsomething.so.6");
          writer_->Add(spool::ThreadRecord{});
          writer_->Add(spool::RoutineRecord{});
        }
        return writer_->header().events[0].unplaced != 0 ? 0 : 11;
      });
  EXPECT_EQ(result, testing::kSurvived);
}

TEST_F(SpoolWriterFreeze, HasRoomForWhatTheSandboxWillSee) {
  ASSERT_TRUE(Create());
  for (int i = 0; i < 40; ++i) ASSERT_NE(writer_->AddRegion({}, "/lib/a.so"), spool::kNone);
  for (int i = 0; i < 16; ++i) ASSERT_NE(writer_->Add(spool::ThreadRecord{}), spool::kNone);
  writer_->Freeze();
  EXPECT_TRUE(writer_->frozen());
  EXPECT_EQ(Hit(2000), 2000u);
  for (std::uint32_t i = 0; i < 60; ++i) {
    EXPECT_EQ(writer_->AddRegion({}, "/lib/loaded-in-the-sandbox.so"), 40 + i);
    EXPECT_EQ(writer_->Add(spool::ThreadRecord{}), 16 + i);
  }
  const SpoolBytes bytes = Bytes();
  EXPECT_EQ(bytes.header().frozen, 1u);
  EXPECT_EQ(bytes.regions().size(), 100u);
  EXPECT_EQ(bytes.PathOf(bytes.regions()[99]), "/lib/loaded-in-the-sandbox.so");
}

TEST_F(SpoolWriterFreeze, ReservesOnceHoweverOftenTheUserChanges) {
  ASSERT_TRUE(Create());
  writer_->Reserve();
  const std::uint64_t reserved = writer_->file_bytes();
  for (int i = 0; i < 1000; ++i) writer_->Reserve();
  EXPECT_EQ(writer_->file_bytes(), reserved);
  writer_->Freeze();
  EXPECT_EQ(writer_->file_bytes(), reserved);
}

TEST_F(SpoolWriterFreeze, CountsWhatFindsNoRoom) {
  ASSERT_TRUE(Create());
  writer_->Freeze();
  const std::uint64_t before = writer_->file_bytes();
  const std::size_t placed = Hit(100'000);
  EXPECT_LT(placed, 100'000u);
  const SpoolBytes bytes = Bytes();
  EXPECT_EQ(placed + bytes.header().events[0].unplaced, 100'000u);
  EXPECT_EQ(bytes.Total(0).samples, placed);
  EXPECT_EQ(writer_->file_bytes(), before);
}

TEST_F(SpoolWriterFork, LeavesTheChildWithoutTheMapping) {
  ASSERT_TRUE(Create());
  Hit(10);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    unsigned char page = 0;
    const int r = mincore(&writer_->header(), 1, &page);
    const bool unmapped = r == -1 && errno == ENOMEM;
    writer_->ForgetAfterFork();
    _exit(unmapped && !writer_->open() && writer_->file_bytes() == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Hit(10), 10u) << "the parent counts on";
  EXPECT_EQ(Bytes().Total(0).samples, 20u);
}

/// A file system of the test's own that is full after `bytes`.
class SmallDisk : public ::testing::Test {
 protected:
  void Mount(const char* size) {
    if (mount("csink-test", folder_.path().c_str(), "tmpfs", 0, size) != 0) {
      const int error = errno;
      std::printf("skipped: a small tmpfs needs root and the right to mount: %s\n",
                  std::strerror(error));
      GTEST_SKIP() << "cannot mount a tmpfs";
    }
    mounted_ = true;
  }
  void TearDown() override {
    writer_.reset();
    if (mounted_) umount2(folder_.path().c_str(), MNT_DETACH);
  }
  TemporaryFolder folder_;
  std::unique_ptr<SpoolWriter> writer_ = std::make_unique<SpoolWriter>();
  bool mounted_ = false;
};

TEST_F(SmallDisk, WithoutRoomForASpoolGetsNoneAndNoRest) {
  Mount("size=16k");
  if (!mounted_) return;
  const Result<void> created = writer_->Create(folder_.path(), "a", SmallHeader());
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, Errc::kLimit);
  EXPECT_EQ(created.error().sys_errno, ENOSPC);
  EXPECT_EQ(folder_.files(), 0u);
}

TEST_F(SmallDisk, ThatGetsRoomAgainIsUsedAgain) {
  Mount("size=96k");
  if (!mounted_) return;
  ASSERT_TRUE(writer_->Create(folder_.path(), "a", SmallHeader()));
  const std::string other = folder_.path() + "/other";
  std::ofstream(other) << std::string(96 * 1024, 'x');
  std::size_t before = 0;
  for (std::uint64_t pc = 0; pc < 3000; ++pc) before += writer_->AddHit({0, 0, pc}, 0, 1);
  EXPECT_LT(before, 600u);
  std::filesystem::remove(other);
  std::size_t after = 0;
  for (std::uint64_t pc = 0; pc < 3000; ++pc) after += writer_->AddHit({0, 0, pc}, 0, 1);
  EXPECT_GT(after, before);
}

TEST_F(SmallDisk, ThatFillsUpCostsBucketsButNeverTheProgram) {
  Mount("size=128k");
  if (!mounted_) return;
  ASSERT_TRUE(writer_->Create(folder_.path(), "a", SmallHeader()));
  std::size_t placed = 0;
  for (std::uint64_t pc = 0; pc < 20'000; ++pc) placed += writer_->AddHit({0, 0, pc}, 0, 1);
  EXPECT_LT(placed, 20'000u);
  std::uint32_t regions = 0;
  while (regions < 20'000 && writer_->AddRegion({}, "/lib/a.so") != spool::kNone) ++regions;
  EXPECT_LT(regions, 20'000u);
  const SpoolBytes bytes(writer_->path());
  EXPECT_EQ(placed + bytes.header().events[0].unplaced, 20'000u);
  EXPECT_EQ(bytes.Total(0).samples, placed);
  EXPECT_EQ(bytes.regions().size(), regions);
}

}  // namespace
}  // namespace csink
