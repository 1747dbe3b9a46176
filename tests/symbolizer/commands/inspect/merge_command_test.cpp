#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "tests/fakes/spool_builder.h"
#include "tests/symbolizer/commands/run_tool.h"

namespace csink::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// One rank of a job: 400 places of its own and 400 that all ranks share, two threads, callers.
SpoolBuilder Rank(std::uint32_t rank) {
  SpoolBuilder b;
  b.SetCommand("wave", "./wave --grid 64");
  b.header().pid = 1000 + rank;
  b.header().start_realtime_ns += rank;
  b.header().rank_plus_one = rank + 1;
  SetText(b.header().job, "4711");
  const auto app =
      b.AddRegion({.path = "/nowhere/wave", .start = 0x400000, .end = 0x500000, .build_id = "abc"});
  const auto worker = b.AddThread(5000 + rank, "worker");
  const auto main = b.AddChain(0, app, 0x401000);
  const auto step = b.AddChain(main, app, 0x402000);
  for (std::uint32_t i = 0; i < 400; ++i) {
    b.AddHitsAt(app, 1, 0x410000 + 16 * i, 1 + i % 3, step);
    b.AddHitsAt(app, worker, 0x420000 + 16 * ((rank * 400 + i) % 8000), 1, main);
  }
  return b;
}

class Merge : public ToolTest {
 protected:
  void WriteRanks(std::uint32_t ranks) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) Rank(rank).Write(spools());
  }
  json ReportOf(const std::string& target, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"report", "--format", "json", target};
    words.insert(words.end(), more.begin(), more.end());
    const ToolResult result = Csink(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out);
  }
};

TEST_F(Merge, IsReportedAsItsSpoolsAre) {
  WriteRanks(20);
  const std::string merged = folder_ + "/all.csink";
  const auto result = Csink({"merge", "-o", merged, spools()});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out + result.err, "");
  EXPECT_EQ(ReportOf(merged), ReportOf(spools()));
  EXPECT_EQ(ReportOf(merged)["processes"][7]["rank"], 7);
  EXPECT_EQ(CountFiles(spools()), 20u);  // they are left where they are
}

TEST_F(Merge, MergesWhatWasMergedBefore) {
  WriteRanks(9);
  const std::string first = folder_ + "/first.csink";
  ASSERT_EQ(Csink({"merge", "-o", first, spools()}).status, 0);
  Rank(9).Write(folder_);
  const std::string late = folder_ + "/wave.host.1009.123456.0.csink";
  const std::string second = folder_ + "/second.csink";
  ASSERT_EQ(Csink({"merge", "-o", second, first, late}).status, 0);
  Rank(9).Write(spools());
  json expected = ReportOf(spools());
  json actual = ReportOf(second);
  EXPECT_EQ(actual, expected);
}

TEST_F(Merge, DoesNotCountItsOwnOutputAgain) {
  WriteRanks(3);
  const std::string merged = spools() + "/all.csink";
  ASSERT_EQ(Csink({"merge", "-o", merged, spools()}).status, 0);
  ASSERT_EQ(Csink({"merge", "-o", merged, spools()}).status, 0);
  EXPECT_EQ(ReportOf(merged)["processes"].size(), 3u);
}

TEST_F(Merge, AddsToAFileThatIsNamed) {
  WriteRanks(3);
  const std::string merged = folder_ + "/all.csink";
  ASSERT_EQ(Csink({"merge", "-o", merged, spools()}).status, 0);
  std::filesystem::create_directory(folder_ + "/more");
  Rank(3).Write(folder_ + "/more");
  ASSERT_EQ(Csink({"merge", "-o", merged, merged, folder_ + "/more"}).status, 0);
  Rank(3).Write(spools());
  EXPECT_EQ(ReportOf(merged), ReportOf(spools()));
}

TEST_F(Merge, ASpoolBesideItsSumCountsOnce) {
  WriteRanks(4);
  const json expected = ReportOf(spools());
  const std::string merged = spools() + "/all.csink";
  ASSERT_EQ(Csink({"merge", "-o", merged, spools()}).status, 0);
  const auto both = Csink({"report", "--format", "json", spools()});
  EXPECT_EQ(both.status, 0);
  EXPECT_THAT(both.err, HasSubstr("4 spools are in a merged file beside them"));
  EXPECT_EQ(json::parse(both.out), expected);
  // One under a name that says nothing, before the sum in every order of names.
  std::filesystem::rename(std::filesystem::path(Rank(0).Write(folder_)), spools() + "/a.csink");
  EXPECT_EQ(json::parse(Csink({"report", "--format", "json", spools()}).out), expected);
  const auto twice = Csink({"merge", "-o", folder_ + "/x.csink", merged, merged});
  EXPECT_EQ(twice.status, 0) << twice.err;
  std::filesystem::copy(merged, folder_ + "/copy.csink");
  const auto copies = Csink({"merge", "-o", folder_ + "/x.csink", merged, folder_ + "/copy.csink"});
  EXPECT_THAT(copies.err, HasSubstr("4 processes are in another merged file, too"));
}

TEST_F(Merge, KeepsWhatIsWrongWithItsSpools) {
  WriteRanks(2);
  const std::string torn = spools() + "/wave.host.1000.123456.0.csink";
  std::filesystem::resize_file(torn, std::filesystem::file_size(torn) - 4096);
  const std::string merged = folder_ + "/all.csink";
  const auto result = Csink({"merge", "-o", merged, spools()});
  EXPECT_THAT(result.err, HasSubstr("truncated"));
  const json expected = ReportOf(spools())["verdict"];
  ASSERT_FALSE(expected["notes"].empty());
  EXPECT_EQ(ReportOf(merged)["verdict"], expected);
}

TEST_F(Merge, KeepsNoMoreRowsThanAsked) {
  WriteRanks(12);
  const std::string merged = folder_ + "/all.csink";
  ASSERT_EQ(Csink({"merge", "-o", merged, "--max-processes", "5", spools()}).status, 0);
  const json few = ReportOf(merged);
  const json all = ReportOf(spools());
  ASSERT_EQ(few["processes"].size(), 6u);
  EXPECT_EQ(few["processes"][5]["processes"], 7);
  EXPECT_EQ(few["functions"], all["functions"]);
  EXPECT_NEAR(few["user_seconds"], all["user_seconds"], 1e-9);
  EXPECT_EQ(few["verdict"]["explained_share"], all["verdict"]["explained_share"]);
}

TEST_F(Merge, NamesWhatItCannotReadAndMergesTheRest) {
  WriteRanks(2);
  std::ofstream(spools() + "/broken.csink") << "rubbish";
  const std::string merged = folder_ + "/all.csink";
  const auto result = Csink({"merge", "-o", merged, spools()});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("broken.csink: not a Countersink spool"));
  EXPECT_EQ(ReportOf(merged)["processes"].size(), 2u);
}

TEST_F(Merge, WritesWholeFilesOnly) {
  WriteRanks(1);
  const auto result = Csink({"merge", "-o", folder_ + "/no/folder/all.csink", spools()});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot write " + folder_ + "/no/folder/all.csink"));
  std::filesystem::create_directory(folder_ + "/empty");
  EXPECT_EQ(Csink({"merge", "-o", folder_ + "/x.csink", folder_ + "/empty"}).status, 1);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/x.csink"));
}

TEST_F(Merge, ALinkStaysALink) {
  WriteRanks(2);
  const std::string link = folder_ + "/link.csink";
  std::filesystem::create_directory(folder_ + "/there");
  std::filesystem::create_symlink("there/all.csink", link);
  // The first time it leads nowhere, the second time to what the first one made.
  for (const char* when : {"before", "after"}) {
    const auto result = Csink({"merge", "-o", link, spools()});
    EXPECT_EQ(result.status, 0) << when << ": " << result.err;
    EXPECT_TRUE(std::filesystem::is_symlink(link)) << when;
    EXPECT_TRUE(std::filesystem::is_regular_file(folder_ + "/there/all.csink")) << when;
    EXPECT_EQ(ReportOf(folder_ + "/there/all.csink")["processes"].size(), 2u) << when;
  }
  EXPECT_EQ(CountFiles(folder_ + "/there"), 1u);
}

TEST_F(Merge, AFifoGetsTheBytesAndStaysAFifo) {
  WriteRanks(2);
  const std::string fifo = folder_ + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::string bytes;
  const auto result = Csink({"merge", "-o", fifo, spools()}, [&](pid_t) {
    bytes = Read(fifo);  // until csink closes it
  });
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
  std::ofstream(folder_ + "/copy.csink", std::ios::binary) << bytes;
  EXPECT_EQ(ReportOf(folder_ + "/copy.csink"), ReportOf(spools()));
}

TEST_F(Merge, ADeviceStaysADevice) {
  // A null device of the test's own: nobody's /dev/null is at stake.
  const std::string device = folder_ + "/null";
  if (mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) GTEST_SKIP() << "needs root";
  if (access(device.c_str(), W_OK) != 0) GTEST_SKIP() << "no devices on this file system";
  WriteRanks(1);
  const auto result = Csink({"merge", "-o", device, spools()});
  EXPECT_TRUE(std::filesystem::is_character_file(device));
  EXPECT_FALSE(std::filesystem::exists(device + ".part"));
  // A file system that is mounted nodev refuses to open it.
  EXPECT_TRUE(result.status == 0 || result.err.find("Permission") != std::string::npos)
      << result.err;
}

TEST_F(Merge, WrongUseIsTwo) {
  EXPECT_EQ(Csink({"merge"}).status, 2);
  EXPECT_EQ(Csink({"merge", "-o", folder_ + "/x.csink"}).status, 2);
  EXPECT_EQ(Csink({"merge", spools()}).status, 2);
  WriteRanks(1);
  EXPECT_EQ(Csink({"merge", "-o", folder_ + "/tree.records.csink", spools()}).status, 2);
}

/// Peak memory in KiB of a merge.
long PeakOfMerge(const std::string& from, const std::string& to) {
  const pid_t pid = fork();
  if (pid == 0) {
    execl(CSINK_PROGRAM, "csink", "merge", "-o", to.c_str(), from.c_str(), nullptr);
    _exit(98);
  }
  int status = 0;
  rusage usage{};
  wait4(pid, &status, 0, &usage);
  EXPECT_EQ(status, 0);
  return usage.ru_maxrss;
}

TEST_F(Merge, AThousandSpoolsTakeTheMemoryOfTheirSum) {
  constexpr std::uint32_t kMany = 1000;
  std::filesystem::create_directory(folder_ + "/few");
  std::uintmax_t bytes = 0;
  for (std::uint32_t rank = 0; rank < kMany; ++rank) {
    const std::string path = Rank(rank).Write(spools());
    bytes += std::filesystem::file_size(path);
    // 20 ranks have all the places that there are.
    if (rank < 20) std::filesystem::copy(path, folder_ + "/few");
  }
  const std::string merged = folder_ + "/all.csink";
  const long few = PeakOfMerge(folder_ + "/few", folder_ + "/few.csink");
  const long many = PeakOfMerge(spools(), merged);
  // 980 spools more: their rows, and nothing of their 50 MB.
  EXPECT_GT(bytes, std::uintmax_t{30} << 20);
  EXPECT_LT(many - few, 8 * 1024) << few << " KiB for 20 spools, " << many << " KiB for 1,000";
  // The sums by rank are most of the file: 16 bytes for each place of each rank.
  EXPECT_LT(std::filesystem::file_size(merged), bytes / 2);
  EXPECT_EQ(ReportOf(merged), ReportOf(spools()));
}

}  // namespace
}  // namespace csink::testing
