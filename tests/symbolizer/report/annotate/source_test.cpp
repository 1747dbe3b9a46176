#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolizer/report/annotate/source_file.h"
#include "symbolizer/report/annotate/source_search.h"
#include "tests/symbolizer/workshop.h"

namespace csink::annotate {
namespace {

using symbolizer::testing::Workshop;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PrefixMaps, AreReadFromOptionsAndFromTheVariable) {
  const auto map = ParsePrefixMap("/build/a=/home/me/a");
  ASSERT_TRUE(map);
  EXPECT_EQ(map->from, "/build/a");
  EXPECT_EQ(map->to, "/home/me/a");
  EXPECT_FALSE(ParsePrefixMap("/build"));
  EXPECT_FALSE(ParsePrefixMap("=/x"));
  std::vector<std::string> bad;
  const auto maps = ParsePrefixMaps("/a=/b::/c=/d:nonsense:", bad);
  ASSERT_EQ(maps.size(), 2u);
  EXPECT_EQ(maps[1].to, "/d");
  EXPECT_THAT(bad, ElementsAre("nonsense"));
}

std::vector<std::string> Paths(const std::string& recorded, const SourcePlaces& places) {
  std::vector<std::string> paths;
  for (const Candidate& candidate : CandidatePaths(recorded, places)) {
    paths.push_back(candidate.path);
  }
  return paths;
}

TEST(CandidatePaths, BeginWithTheUsersMaps) {
  const SourcePlaces places{{{"/build", "/here"}, {"/build/x", "/there/"}}, "/bin/app", ""};
  EXPECT_THAT(
      Paths("/build/x/y/a.c", places),
      ElementsAre("/here/x/y/a.c", "/there/y/a.c", "/build/x/y/a.c", "/usr/src/debug/build/x/y/a.c",
                  "/usr/src/build/x/y/a.c", "/usr/src/debug/x/y/a.c", "/usr/src/x/y/a.c",
                  "/usr/src/debug/y/a.c", "/usr/src/y/a.c"));
  EXPECT_EQ(Paths("/builder/a.c", places).front(), "/builder/a.c");  // no part of a name
}

TEST(CandidatePaths, OfRelativeOnesGoUpFromTheModule) {
  EXPECT_THAT(Paths("a.c", {{}, "/p/build/app", ""}), ElementsAre("/p/build/a.c", "/p/a.c", "a.c"));
}

TEST(CandidatePaths, OfRelativeOnesAreGuessesUnlessTheUserMapsThem) {
  const auto paths = CandidatePaths("src/a.c", {{{"src", "/here"}}, "/p/app", ""});
  ASSERT_GT(paths.size(), 2u);
  EXPECT_EQ(paths[0], (Candidate{"/here/a.c", false}));
  for (std::size_t i = 1; i < paths.size(); ++i) EXPECT_TRUE(paths[i].is_guess) << paths[i].path;
  for (const Candidate& path : CandidatePaths("/src/a.c", {{}, "/p/app", ""})) {
    EXPECT_FALSE(path.is_guess) << path.path;
  }
}

class SourceFileTest : public ::testing::Test {
 protected:
  Workshop shop_;
};

TEST_F(SourceFileTest, HasLinesWhateverEndsThem) {
  const auto file = SourceFile::Open(shop_.Write("a.c", "one\r\ntwo\n\nfour"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->lines(), 4u);
  EXPECT_EQ(file->Line(1), "one");
  EXPECT_EQ(file->Line(2), "two");
  EXPECT_EQ(file->Line(3), "");
  EXPECT_EQ(file->Line(4), "four");
  EXPECT_EQ(file->Line(0), "");
  EXPECT_EQ(file->Line(5), "");
  EXPECT_GT(file->changed(), 1'500'000'000);
  const auto empty = SourceFile::Open(shop_.Write("empty.c", ""));
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->lines(), 0u);
}

TEST_F(SourceFileTest, RefusesWhatIsNoText) {
  EXPECT_EQ(SourceFile::Open(shop_.Path("missing")).error().sys_errno, ENOENT);
  EXPECT_EQ(SourceFile::Open(shop_.folder()).error().code, Errc::kInvalid);
  EXPECT_EQ(SourceFile::Open(shop_.Write("b", std::string("a\0b", 3))).error().code,
            Errc::kInvalid);
  const std::string fifo = shop_.Path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(SourceFile::Open(fifo).error().code, Errc::kInvalid);  // and does not wait
  const std::string large = shop_.Write("large", "x");
  for (const off_t size : {(off_t{64} << 20) + 1, (off_t{4} << 30) + 1}) {
    ASSERT_EQ(truncate(large.c_str(), size), 0);
    EXPECT_EQ(SourceFile::Open(large).error().code, Errc::kLimit);
  }
}

TEST_F(SourceFileTest, UnreadableOnesSaySo) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string path = shop_.Write("a.c", "x\n");
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  EXPECT_EQ(SourceFile::Open(path).error().code, Errc::kPermission);
}

TEST(ShownLine, IsSafeForATerminal) {
  EXPECT_EQ(ShownLine("\tif (x)\ty;"), "        if (x)  y;");
  EXPECT_EQ(ShownLine("a\x1b[31mb"), "a?[31mb");
  EXPECT_EQ(ShownLine("caf\xe9"), "caf?");
  EXPECT_EQ(ShownLine("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_LE(ShownLine(std::string(10 << 20, 'x')).size(), kMostLineBytes);
}

}  // namespace
}  // namespace csink::annotate
