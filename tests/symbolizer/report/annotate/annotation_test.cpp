#include "symbolizer/report/annotate/annotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "symbolizer/report/annotate/annotation_json.h"
#include "symbolizer/report/annotate/annotation_text.h"
#include "tests/symbolizer/report/annotate/annotated.h"

namespace csink::annotate {
namespace {

using symbolizer::testing::HaveTool;
using symbolizer::testing::Nm;
using symbolizer::testing::ReadWhole;
using symbolizer::testing::WriteWhole;
using testing::AnnotateTest;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SpoolBuilder;

// Every instruction is written down, so that addresses and text never change.
const char kGoldenAssembly[] = R"(
	.text
	.file	1 "/src/gold.c"
	.file	2 "/src/helper.h"
	.globl	Other
	.hidden	Other
	.type	Other, @function
Other:
	.loc	1 20
	ret
	.size	Other, . - Other
	.globl	Hot
	.type	Hot, @function
Hot:
	.loc	1 4
	xor	%eax, %eax
.Lloop:
	.loc	1 6
	add	(%rsi), %eax
	add	$4, %rsi
	.loc	2 2
	imul	$3, %eax, %eax
	.loc	1 5
	dec	%edi
	jne	.Lloop
	.loc	1 8
	call	Other
	ret
	.byte	0x06, 0x07
	.size	Hot, . - Hot
)";
const char kGoldenSource[] =
    "#include \"helper.h\"\n"
    "\n"
    "/* \tsums\tand triples */\n"
    "int Hot(int n, const int* data) {\n"
    "\twhile (n-- > 0) {\n"
    "\t\tsum = Triple(sum + *data++);\n"
    "\t}\n"
    "\treturn Other();\n"
    "}\n";

class GoldenFunction : public AnnotateTest {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "the code is x86-64's";
#endif
    shop_.Write("src/gold.c", kGoldenSource);
    shop_.Write("src/helper.h", "static inline int Triple(int x) {\n  return 3 * x;\n}\n");
    shop_.Run("touch -d '2020-01-01' src/gold.c src/helper.h");
    shop_.Write("gold.s", kGoldenAssembly);
    shop_.Run("gcc -shared -nostdlib -Wl,--build-id=none -Wl,-Ttext=0x10000 gold.s -o libgold.so");
    // Hot: xor 0x10001, add 0x10003, add 0x10005, imul 0x10009, dec 0x1000c, jne 0x1000e, ...
    hits_ = {{0x10003, 500}, {0x10005, 30}, {0x10009, 300}, {0x1000e, 150}, {0x10015, 20}};
  }
  SpoolBuilder Spool() {
    SpoolBuilder builder;
    Add(builder, "/libgold.so", hits_, "");
    return builder;
  }
  /// Compares with tests/golden; CSINK_UPDATE_GOLDEN=1 writes it.
  static void ExpectGolden(const std::string& name, const std::string& text) {
    const std::string path = std::string(CSINK_GOLDEN_DIR) + "/" + name;
    if (std::getenv("CSINK_UPDATE_GOLDEN") != nullptr) WriteWhole(path, text);
    EXPECT_EQ(text, ReadWhole(path));
  }
  std::map<std::uint64_t, std::uint64_t> hits_;
};

TEST_F(GoldenFunction, CountsEachSampleOnceByLineAndByInstruction) {
  const auto report = ReportOf(Spool());
  const Annotation annotation = AnnotateOne(report, "Hot");
  ExpectAllAccounted(annotation);
  EXPECT_EQ(annotation.of_program[0].samples, 1000u);
  ASSERT_EQ(annotation.sources.size(), 2u);
  EXPECT_EQ(annotation.sources[0].recorded, "/src/gold.c");
  EXPECT_TRUE(annotation.sources[0].is_own);
  EXPECT_EQ(annotation.sources[0].cells[0].samples, 700u);
  EXPECT_EQ(annotation.sources[1].recorded, "/src/helper.h");
  EXPECT_FALSE(annotation.sources[1].is_own);
  EXPECT_THAT(annotation.sources[0].warnings, IsEmpty());
  const SourceLine& hot = annotation.sources[0].lines.at(5);
  EXPECT_EQ(hot.number, 6u);
  EXPECT_EQ(hot.cells[0].samples, 530u);
  EXPECT_DOUBLE_EQ(hot.cells[0].share, 0.53);
  EXPECT_GT(hot.cells[0].low, 0.49);
  EXPECT_LT(hot.cells[0].high, 0.57);
}

TEST_F(GoldenFunction, LabelsBranchesAndNamesCalls) {
  const Annotation annotation = AnnotateOne(ReportOf(Spool()), "Hot");
  const auto& lines = annotation.code.lines;
  ASSERT_EQ(lines.size(), 9u);  // the two bytes of data are one row
  EXPECT_EQ(lines[1].label, 1u);
  EXPECT_EQ(lines[5].goes_to, 1u);
  EXPECT_TRUE(lines[5].goes_up);
  EXPECT_THAT(lines[5].text, HasSubstr("L1"));
  EXPECT_THAT(lines[6].text, ::testing::EndsWith(" Other"));
  EXPECT_EQ(lines[8].text, ".byte 0x06,0x07");
  EXPECT_EQ(annotation.code.problem, "");
}

TEST_F(GoldenFunction, TextIsTheGoldenOne) {
  const auto report = ReportOf(Spool());
  const Annotation annotation = AnnotateOne(report, "Hot");
  report::TextStyle style;
  style.width = 100;
  ExpectGolden("annotate_both.txt", WriteAnnotation(report, annotation, Layout::kBoth, style));
  ExpectGolden("annotate_mixed.txt", WriteAnnotation(report, annotation, Layout::kMixed, style));
}

TEST_F(GoldenFunction, ColumnsOfSkiddingEventsSaySo) {
  SpoolBuilder builder;
  const auto cycles = builder.AddEvent("cycles:u", EventClass::kCycles, 2'000'003);
  builder.event(cycles).skid = spool::Skid::kInterrupt;
  builder.event(cycles).precise_asked = 3;
  builder.event(cycles).precise_errno = 95;
  const auto region = builder.AddRegion(
      {.path = "/libgold.so", .start = 0, .end = std::uint64_t{1} << 40, .inode = 0});
  const auto offset = symbolizer::testing::OffsetOf(shop_, shop_.Path("libgold.so"), 0x10003);
  builder.AddHits(region, 1, offset, 90);
  builder.AddHitsAt(region, 1, offset + 2, 70, 0, 0, cycles);
  const auto report = ReportOf(builder);
  const Annotation annotation = AnnotateOne(report, "Hot");
  ExpectAllAccounted(annotation);
  EXPECT_EQ(annotation.of_program[1].samples, 70u);
  report::TextStyle style;
  ExpectGolden("annotate_skid.txt", WriteAnnotation(report, annotation, Layout::kBoth, style));
}

TEST_F(GoldenFunction, SyntaxIsChosen) {
  Settings settings;
  settings.syntax = Syntax::kIntel;
  const Annotation annotation = AnnotateOne(ReportOf(Spool()), "Hot", settings);
  EXPECT_EQ(annotation.code.lines[0].text, "xor eax, eax");
}

TEST_F(GoldenFunction, LinesStayWithinTheTerminal) {
  const auto report = ReportOf(Spool());
  const Annotation annotation = AnnotateOne(report, "Hot");
  for (const std::size_t width : {60u, 80u, 120u, 240u}) {
    report::TextStyle style;
    style.width = width;
    const std::string text = WriteAnnotation(report, annotation, Layout::kBoth, style);
    EXPECT_EQ(text.find('\033'), std::string::npos);
    std::size_t at = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', at)) {
      EXPECT_LE(end - at, width) << text.substr(at, end - at);
      at = end + 1;
    }
    style.colour = true;
    EXPECT_NE(WriteAnnotation(report, annotation, Layout::kBoth, style).find("\033[1m"),
              std::string::npos);
  }
}

TEST_F(GoldenFunction, JsonHoldsTheSame) {
  const auto report = ReportOf(Spool());
  const auto json =
      nlohmann::json::parse(WriteAnnotationsJson(report, {AnnotateOne(report, "Hot")}));
  EXPECT_EQ(json["format"], "csink-annotate");
  const auto& function = json["functions"][0];
  std::uint64_t lines = 0;
  for (const auto& source : function["sources"]) {
    for (const auto& line : source["lines"]) {
      for (const auto& cell : line["events"]) lines += cell["samples"].get<std::uint64_t>();
    }
  }
  EXPECT_EQ(lines, 1000u);
  EXPECT_EQ(function["code"]["lines"][0]["address"], 0x10001);
  EXPECT_EQ(function["code"]["lines"][5]["target"], "L1");
}

TEST_F(GoldenFunction, WarnsOfASourceThatIsNewer) {
  shop_.Run("touch -d '+1 hour' src/gold.c");
  const Annotation annotation = AnnotateOne(ReportOf(Spool()), "Hot");
  EXPECT_THAT(annotation.sources[0].warnings,
              ElementsAre("is newer than the binary: lines may have moved"));
}

TEST_F(GoldenFunction, FindsSourcesThatMoved) {
  shop_.Run("mkdir -p home/me && mv src home/me/gold");
  EXPECT_EQ(AnnotateOne(ReportOf(Spool()), "Hot").sources[0].found, "");
  Settings settings;
  settings.prefixes.push_back({"/src", "/home/me/gold"});
  const Annotation moved = AnnotateOne(ReportOf(Spool()), "Hot", settings);
  EXPECT_EQ(moved.sources[0].found, "/home/me/gold/gold.c");
  EXPECT_EQ(moved.sources[0].lines.at(7).text, "        return Other();");
}

TEST_F(GoldenFunction, FindsSourcesOfPackages) {
  shop_.Run(
      "sed -i 's,/src/,/build/pkg-1x/gold-1.0/,' gold.s && "
      "gcc -shared -nostdlib -Wl,--build-id=none -Wl,-Ttext=0x10000 gold.s -o libgold.so && "
      "mkdir -p usr/src/gold-1.0 && mv src/* usr/src/gold-1.0");
  EXPECT_EQ(AnnotateOne(ReportOf(Spool()), "Hot").sources[0].found, "/usr/src/gold-1.0/gold.c");
}

const char kBuilt[] = R"(
__attribute__((noinline)) int Quick(int x) { return x + 1; }
__attribute__((noinline)) int Slow(int n, const int* data) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += data[i] % 7;
    if (sum & 1) sum = Quick(sum);
  }
  return sum;
}
)";

class BuiltFunction : public AnnotateTest {
 protected:
  /// Two samples on every instruction that objdump sees, one event.
  void Check(const std::string& compiler, const std::string& objdump, const std::string& flags) {
    if (!HaveTool(compiler)) GTEST_SKIP() << compiler << " is not here";
    shop_.Write("built.c", kBuilt);
    shop_.Run(compiler + " -O2 -fPIC -shared -nostdlib " + flags + " built.c -o libbuilt.so");
    const auto slow = Nm(shop_, shop_.Path("libbuilt.so")).at("Slow");
    std::map<std::uint64_t, std::uint64_t> hits;
    std::istringstream lines(shop_.Run(objdump + " -d --no-show-raw-insn libbuilt.so"));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t colon = line.find(":\t");
      if (colon == std::string::npos) continue;
      const std::uint64_t vaddr = std::stoull(line.substr(0, colon), nullptr, 16);
      if (vaddr >= slow.start && vaddr < slow.start + slow.size) hits[vaddr] = 2;
    }
    const auto report = ReportOf("/libbuilt.so", hits);
    const Annotation annotation = AnnotateOne(report, "Slow");
    ExpectAllAccounted(annotation);
    EXPECT_EQ(annotation.code.end - annotation.code.start, slow.size);
    ASSERT_EQ(annotation.code.lines.size(), hits.size());
    for (const CodeLine& line : annotation.code.lines) {
      EXPECT_FALSE(line.cells.empty()) << std::hex << line.vaddr;
    }
    EXPECT_TRUE(annotation.code.outside.empty());
    const auto calls = [](const CodeLine& line) {
      return line.text.find("Quick") != std::string::npos;
    };
    EXPECT_TRUE(std::any_of(annotation.code.lines.begin(), annotation.code.lines.end(), calls));
    if (flags.find("-g") == std::string::npos) {
      EXPECT_THAT(annotation.sources, IsEmpty());
      EXPECT_THAT(annotation.no_line_reason, HasSubstr("-g"));
      EXPECT_EQ(annotation.no_line[0].samples, annotation.of_program[0].samples);
      return;
    }
    ASSERT_EQ(annotation.sources.size(), 1u);
    EXPECT_THAT(annotation.sources[0].lines, Contains(Field(&SourceLine::number, 6u)));
  }
};

TEST_F(BuiltFunction, OfGcc) { Check("gcc", "objdump", "-g"); }
TEST_F(BuiltFunction, OfGccWithoutLines) { Check("gcc", "objdump", ""); }
TEST_F(BuiltFunction, OfGccWithOldLines) { Check("gcc", "objdump", "-gdwarf-4"); }
TEST_F(BuiltFunction, OfClang) { Check("clang-14", "objdump", "-g"); }
TEST_F(BuiltFunction, OfAarch64) {
  Check("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump", "-g");
}

TEST_F(BuiltFunction, ClangsDigestTellsAnotherSource) {
  if (!HaveTool("clang-14")) GTEST_SKIP() << "clang-14 is not here";
  shop_.Write("built.c", kBuilt);
  // As from a root of its own: the recorded path begins there.
  shop_.Run(
      "clang-14 -O2 -gdwarf-5 -fPIC -shared -nostdlib -fdebug-prefix-map=$PWD=/src built.c "
      "-o libbuilt.so && mkdir src && mv built.c src");
  const auto slow = Nm(shop_, shop_.Path("libbuilt.so")).at("Slow");
  const auto report = ReportOf("/libbuilt.so", {{slow.start, 100}});
  // The same bytes, however new, are no reason to warn.
  shop_.Run("touch -d '+1 hour' src/built.c");
  const Annotation same = AnnotateOne(report, "Slow");
  EXPECT_EQ(same.sources.at(0).found, "/src/built.c");
  EXPECT_THAT(same.sources.at(0).warnings, IsEmpty());
  shop_.Run("echo '// more' >> src/built.c && touch -d '2020-01-01' src/built.c");
  EXPECT_THAT(AnnotateOne(report, "Slow").sources.at(0).warnings,
              ElementsAre(HasSubstr("MD5 differs")));
}

}  // namespace
}  // namespace csink::annotate
