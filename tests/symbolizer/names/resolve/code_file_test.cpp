#include "symbolizer/names/resolve/code_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "symbolizer/report/annotate/md5.h"
#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::HaveTool;
using testing::Nm;
using testing::OffsetOf;
using testing::RequestFor;
using testing::Workshop;

const char kSource[] = R"(
__attribute__((noinline, noclone)) int First(int x) { return x * x + 7; }
__attribute__((noinline, noclone)) int Second(int x) { return First(x) - First(x + 1); }
)";

class CodeFileTest : public ::testing::Test {
 protected:
  std::string Build(const std::string& compiler = "gcc", const std::string& flags = "-g") {
    shop_.Write("two.c", kSource);
    shop_.Run(compiler + " -O1 -fPIC -shared " + flags + " two.c -o libtwo.so");
    return shop_.Path("libtwo.so");
  }
  CodeFile Open(const std::string& path) { return CodeFile::Open(RequestFor(shop_, path, {}), {}); }
  Workshop shop_;
};

TEST_F(CodeFileTest, GivesTheBytesThatTheSymbolCovers) {
  const std::string path = Build();
  const auto symbol = Nm(shop_, path).at("Second");
  const CodeFile file = Open(path);
  EXPECT_EQ(file.problem(), "");
  const FunctionCode code = file.Function(symbol.start);
  EXPECT_EQ(code.problem, "");
  EXPECT_EQ(code.start, symbol.start);
  EXPECT_EQ(code.end, symbol.start + symbol.size);
  const std::string whole = testing::ReadWhole(path);
  const std::uint64_t offset = OffsetOf(shop_, path, symbol.start);
  EXPECT_EQ(file.OffsetOf(symbol.start), offset);
  EXPECT_EQ(std::string(code.bytes.bytes().begin(), code.bytes.bytes().end()),
            whole.substr(offset, symbol.size));
  EXPECT_FALSE(file.OffsetOf(0xffffffffffff0000));
}

TEST_F(CodeFileTest, AsksTheUnwindTableWhereSymbolsAreGone) {
  const std::string path = Build("gcc", "-fvisibility=hidden");
  const auto symbol = Nm(shop_, path).at("Second");
  shop_.Run("strip libtwo.so");
  const FunctionCode code = Open(path).Function(symbol.start);
  EXPECT_EQ(code.end, symbol.start + symbol.size);
}

TEST_F(CodeFileTest, RefusesAnotherFileUnderItsName) {
  const std::string path = Build();
  const ModuleRequest request = RequestFor(shop_, path, {});
  const auto start = Nm(shop_, path).at("First").start;
  Build("gcc", "-g -DOTHER -O3");
  const CodeFile file = CodeFile::Open(request, {});
  EXPECT_TRUE(file.problem().starts_with("file replaced since the run (build-id "));
  EXPECT_EQ(file.Function(start).bytes.size(), 0u);
  EXPECT_EQ(file.Function(start).problem, file.problem());
  EXPECT_FALSE(file.FactsOf("two.c").IsAny());
}

TEST_F(CodeFileTest, SaysWhenTheFileWasCut) {
  const std::string path = Build();
  const ModuleRequest request = RequestFor(shop_, path, {});
  const auto symbol = Nm(shop_, path).at("Second");
  const std::uint64_t offset = OffsetOf(shop_, path, symbol.start);
  const CodeFile file = CodeFile::Open(request, {});
  ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(offset + 2)), 0);
  const FunctionCode code = file.Function(symbol.start);
  EXPECT_EQ(code.bytes.size(), 0u);
  EXPECT_NE(code.problem, "");
}

TEST_F(CodeFileTest, HasTheDigestsOfClangsSources) {
  if (!HaveTool("clang-14")) GTEST_SKIP() << "clang-14 is not here";
  const std::string path = Build("clang-14", "-gdwarf-5");
  const std::string source = shop_.Path("two.c");
  const std::string text = kSource;
  const auto wanted =
      annotate::Md5({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  const auto start = Nm(shop_, path).at("First").start;
  const std::string recorded = testing::ResolveVaddr(shop_, path, start).file;
  EXPECT_EQ(recorded, source);
  EXPECT_EQ(Open(path).FactsOf(recorded).digest, wanted);
  EXPECT_FALSE(Open(path).FactsOf("/no/such/file.c").IsAny());
}

/// What gcc leaves at 0 behind the name of a file: its time and its size.
TEST_F(CodeFileTest, HasTimeAndSizeOfASourceWhereTheLineTableHas) {
  const std::string path = Build("gcc", "-gdwarf-4");
  std::string bytes = testing::ReadWhole(path);
  const std::string entry("two.c\0\0\0\0", 9);  // name, folder, time, size
  const std::size_t at = bytes.find(entry);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 7] = 77;
  bytes[at + 8] = 99;
  testing::WriteWhole(path, bytes);
  const SourceFacts facts = Open(path).FactsOf(shop_.Path("two.c"));
  EXPECT_EQ(facts.changed, 77u);
  EXPECT_EQ(facts.size, 99u);
  EXPECT_FALSE(Open(path).FactsOf("/elsewhere/two.c").IsAny());
}

TEST_F(CodeFileTest, GccHasNone) {
  const std::string path = Build("gcc", "-gdwarf-5");
  EXPECT_FALSE(Open(path).FactsOf(shop_.Path("two.c")).IsAny());
}

}  // namespace
}  // namespace csink::symbolizer
