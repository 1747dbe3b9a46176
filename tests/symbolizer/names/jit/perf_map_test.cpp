#include "symbolizer/names/jit/perf_map.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>

#include "symbolizer/names/resolve/resolver.h"

namespace csink::symbolizer {
namespace {

std::vector<std::string> Names(std::string_view text, const std::vector<std::uint64_t>& pcs) {
  std::vector<std::string> names;
  for (auto& found : NamesFromPerfMap(text, pcs)) names.push_back(found.name);
  return names;
}
using Strings = std::vector<std::string>;

TEST(PerfMapLine, HasStartSizeAndAName) {
  PerfMapEntry entry;
  ASSERT_TRUE(ParsePerfMapLine("7f00a0 1c LazyCompile:*loop a b.js:3", entry));
  EXPECT_EQ(entry.start, 0x7f00a0u);
  EXPECT_EQ(entry.bytes, 0x1cu);
  EXPECT_EQ(entry.name, "LazyCompile:*loop a b.js:3");
  ASSERT_TRUE(ParsePerfMapLine("0x00007F10 0x20  name\r", entry));
  EXPECT_EQ(entry.start, 0x7f10u);
  EXPECT_EQ(entry.name, "name");
}

class PerfMapBadLine : public ::testing::TestWithParam<const char*> {};
TEST_P(PerfMapBadLine, IsPassedOver) {
  PerfMapEntry entry;
  EXPECT_FALSE(ParsePerfMapLine(GetParam(), entry)) << GetParam();
  const std::string text = std::string(GetParam()) + "\n10 10 good\n";
  EXPECT_EQ(Names(text, {0x18}), Strings{"good"});
}
INSTANTIATE_TEST_SUITE_P(, PerfMapBadLine,
                         ::testing::Values("", " ", "10", "10 ", "10 10", "10 10 ", "10 10  \r",
                                           "x 10 name", "10 x name", "-10 10 name", "10\t10\tname",
                                           "10 0 empty", "10000000000000000 1 wide",
                                           "ffffffffffffffff 2 beyond", "2 ffffffffffffffff over",
                                           "0x 10 name", "g0 10 name"));

TEST(PerfMap, NamesFirstAndLastByteOfAFunction) {
  EXPECT_EQ(Names("100 10 a\n200 10 b", {0xff, 0x100, 0x10f, 0x110, 0x20f}),
            (Strings{"", "a", "a", "", "b"}));
  EXPECT_EQ(Names("fffffffffffffff0 10 top\n", {~0ull}), Strings{"top"});
}

TEST(PerfMap, LaterLinesWin) {
  EXPECT_EQ(Names("100 100 old\n140 10 new\n", {0x100, 0x145, 0x150}),
            (Strings{"old", "new", "old"}));
}

TEST(PerfMap, SaysWhereTheFunctionBegins) {
  EXPECT_EQ(NamesFromPerfMap("100 10 a\n", {0x10c})[0].start, 0x100u);
}

TEST(PerfMap, KeepsControlCharactersOutOfNames) {
  const std::string text("1 9 a\x1b[2J\x07\x7f\0z\n", 15);
  EXPECT_EQ(Names(text, {2}), Strings{"a?[2J???z"});
  const auto cut = Names("1 9 " + std::string(100'000, 'n') + "\n", {2});
  EXPECT_EQ(cut[0].size(), kMaxPerfMapName);
}

TEST(PerfMap, ManyOverlapsCostNoMoreThanManyLines) {
  // 200,000 lines that all cover all of 100,000 PCs: a PC is named once.
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "0 ffffffffff everything\n";
  text += "0 ffffffffff last\n";
  std::vector<std::uint64_t> pcs;
  for (std::uint64_t pc = 0; pc < 100'000; ++pc) pcs.push_back(pc * 16);
  const std::clock_t begin = std::clock();
  for (const auto& found : NamesFromPerfMap(text, pcs)) ASSERT_EQ(found.name, "last");
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 20);
}

class PerfMapFile : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/csink-perf-map-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    for (const char* name : {"/perf-77.map", "/other"}) unlink((folder_ + name).c_str());
    rmdir(folder_.c_str());
  }
  std::string Path() const { return folder_ + "/perf-77.map"; }
  void Write(const std::string& text) const { std::ofstream(Path()) << text; }
  PerfMapText Read(std::uint32_t uid = getuid(), std::uint64_t start_ns = 0) const {
    return ReadPerfMap(folder_, {77, uid, start_ns});
  }
  std::string folder_;
};

TEST_F(PerfMapFile, IsReadWholeAndNamesTheRegion) {
  Write("1000 100 jitted\n");
  EXPECT_EQ(Read().text, "1000 100 jitted\n");
  ModuleRequest request;
  request.is_anonymous = true;
  request.region_start = 0x1000;
  request.file_offsets = {0x1010, 0x2000};
  request.owner = {77, getuid(), 0};
  Options options;
  options.perf_maps = folder_;
  const ModuleAnswer answer = ResolveModule(request, options);
  EXPECT_EQ(answer.locations[0].function, "jitted");
  EXPECT_EQ(answer.locations[0].source, NameSource::kPerfMap);
  EXPECT_EQ(answer.locations[0].function_vaddr, 0x1000u);
  EXPECT_EQ(answer.locations[1].source, NameSource::kNone);
}

TEST_F(PerfMapFile, ThatIsNotThereIsNoProblem) {
  EXPECT_EQ(Read().problem, "");
  EXPECT_EQ(ReadPerfMap(folder_, {}).problem, "");
}

TEST_F(PerfMapFile, OfAnotherUserIsRefusedButRootsIsTaken) {
  Write("1 1 x\n");
  const PerfMapText other = Read(getuid() + 1);
  if (getuid() == 0) {
    EXPECT_EQ(other.text, "1 1 x\n");
    ASSERT_EQ(chown(Path().c_str(), 4242, 4242), 0);
    EXPECT_NE(Read(4243).problem.find("belongs to another user"), std::string::npos);
    EXPECT_EQ(Read(4243).text, "");
  } else {
    EXPECT_NE(other.problem.find("belongs to another user"), std::string::npos);
    EXPECT_EQ(other.text, "");
  }
}

TEST_F(PerfMapFile, OlderThanTheProcessIsRefused) {
  Write("1 1 x\n");
  const auto now = static_cast<std::uint64_t>(time(nullptr)) * 1'000'000'000;
  EXPECT_EQ(Read(getuid(), now).text, "1 1 x\n");
  EXPECT_NE(Read(getuid(), now + 60'000'000'000).problem.find("older"), std::string::npos);
}

TEST_F(PerfMapFile, MustBeAPlainFileOfOneName) {
  std::ofstream(folder_ + "/other") << "1 1 x\n";
  ASSERT_EQ(symlink((folder_ + "/other").c_str(), Path().c_str()), 0);
  EXPECT_NE(Read().problem, "");
  EXPECT_EQ(Read().text, "");
  unlink(Path().c_str());
  ASSERT_EQ(link((folder_ + "/other").c_str(), Path().c_str()), 0);
  EXPECT_NE(Read().problem.find("not a regular file or has several hard links"), std::string::npos);
  unlink(Path().c_str());
  ASSERT_EQ(mkfifo(Path().c_str(), 0600), 0);  // nobody writes: reading must not wait
  EXPECT_NE(Read().problem.find("not a regular file or has several hard links"), std::string::npos);
  unlink(Path().c_str());
  ASSERT_EQ(mkdir(Path().c_str(), 0700), 0);
  EXPECT_NE(Read().problem.find("not a regular file or has several hard links"), std::string::npos);
  rmdir(Path().c_str());
}

TEST_F(PerfMapFile, OfEnormousSizeIsRefused) {
  Write("");
  ASSERT_EQ(truncate(Path().c_str(), static_cast<off_t>(kMaxPerfMapBytes) + 1), 0);
  EXPECT_NE(Read().problem.find("too large"), std::string::npos);
}

}  // namespace
}  // namespace csink::symbolizer
