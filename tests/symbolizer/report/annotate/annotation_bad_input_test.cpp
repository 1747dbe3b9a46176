#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolizer/report/annotate/annotation_json.h"
#include "symbolizer/report/annotate/annotation_text.h"
#include "tests/symbolizer/report/annotate/annotated.h"

namespace csink::annotate {
namespace {

using symbolizer::testing::BuildIdOf;
using symbolizer::testing::Nm;
using symbolizer::testing::NmSymbol;
using testing::AnnotateTest;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const char kSource[] = R"(
__attribute__((noinline)) int Work(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += i * n ^ sum;
  return sum;
}
)";

class BadInput : public AnnotateTest {
 protected:
  void SetUp() override {
    shop_.Write("src/work.c", kSource);
    Build();
    work_ = Nm(shop_, shop_.Path("libwork.so")).at("Work");
  }
  void Build(const std::string& flags = "") {
    shop_.Run(
        "gcc -O1 -g -fPIC -shared -fdebug-prefix-map=$PWD/src=/src -fdebug-prefix-map=$PWD=/ " +
        flags + " $PWD/src/work.c -o libwork.so");
  }
  report::Report Report() {
    const auto id = BuildIdOf(shop_, shop_.Path("libwork.so"));
    return ReportOf("/libwork.so", {{work_.start, 40}, {work_.start + work_.size - 1, 60}},
                    std::string(id.begin(), id.end()));
  }
  /// Nothing is lost and every writer gets along with it.
  Annotation Checked(const report::Report& report, const Settings& settings = {}) {
    Annotation annotation = AnnotateOne(report, "Work", settings);
    ExpectAllAccounted(annotation);
    report::TextStyle style;
    for (const Layout layout : {Layout::kBoth, Layout::kMixed, Layout::kSource, Layout::kCode}) {
      text_ = WriteAnnotation(report, annotation, layout, style);
      for (const char c : text_) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= ' ');
    }
    text_ = WriteAnnotation(report, annotation, Layout::kBoth, style);
    EXPECT_THAT(WriteAnnotationsJson(report, {annotation}), HasSubstr("\"csink-annotate\""));
    return annotation;
  }
  NmSymbol work_;
  std::string text_;
};

TEST_F(BadInput, AMissingSourceKeepsItsLines) {
  const auto report = Report();
  shop_.Run("rm src/work.c");
  const Annotation annotation = Checked(report);
  EXPECT_EQ(annotation.sources.at(0).found, "");
  EXPECT_THAT(annotation.sources[0].problem, HasSubstr("--source-prefix"));
  EXPECT_THAT(text_, HasSubstr("--source-prefix"));
}

TEST_F(BadInput, AnUnreadableSourceSaysWhy) {
  const auto report = Report();
  shop_.Run("rm src/work.c && mkdir src/work.c");
  EXPECT_THAT(Checked(report).sources.at(0).problem, HasSubstr("not a regular file"));
}

TEST_F(BadInput, ABinarySourceIsNotShown) {
  const auto report = Report();
  shop_.Write("src/work.c", std::string("int\0main", 8));
  EXPECT_THAT(Checked(report).sources.at(0).problem, HasSubstr("NUL"));
}

TEST_F(BadInput, StrangeTextIsShownSafely) {
  const auto report = Report();
  std::string text = "\r\n\tint\t\xff\xfe Work\x1b[2J(int n) {\r\n";
  text += std::string(5 << 20, 'x') + "\r\nlast";
  shop_.Write("src/work.c", text);
  const Annotation annotation = Checked(report);
  EXPECT_NE(annotation.sources.at(0).found, "");
  EXPECT_LT(text_.size(), 20'000u);
}

TEST_F(BadInput, AShorterSourceKeepsTheSamplesOfItsLostLines) {
  const auto report = Report();
  shop_.Write("src/work.c", "one line\n");
  Checked(report);
  EXPECT_THAT(text_, HasSubstr("(the file has no such line)"));
}

TEST_F(BadInput, ASourceWithTooFewLinesIsShownWithAWarning) {
  const auto report = Report();
  shop_.Write("src/work.c", "one line\n");
  shop_.Run("touch -d '2001-01-01' src/work.c");  // not newer than the binary
  EXPECT_THAT(Checked(report).sources.at(0).warnings,
              ElementsAre(HasSubstr("the file has 1 lines, the code refers to line")));
}

TEST_F(BadInput, ASourceOfAnotherSizeOrTimeIsShownWithAWarning) {
  Build("-gdwarf-4");
  std::string bytes = symbolizer::testing::ReadWhole(shop_.Path("libwork.so"));
  // Name, folder, time and size of the only file; gcc leaves the last two at 0.
  const std::size_t at = bytes.find(std::string("work.c\0\1\0\0", 10));
  ASSERT_NE(at, std::string::npos);
  bytes[at + 8] = 77;
  symbolizer::testing::WriteWhole(shop_.Path("libwork.so"), bytes);
  EXPECT_THAT(Checked(Report()).sources.at(0).warnings,
              ElementsAre(HasSubstr("modification time differs")));
  shop_.Run("touch -d @77 src/work.c");
  EXPECT_THAT(Checked(Report()).sources.at(0).warnings, IsEmpty());
  bytes[at + 9] = 99;
  symbolizer::testing::WriteWhole(shop_.Path("libwork.so"), bytes);
  EXPECT_THAT(Checked(Report()).sources.at(0).warnings,
              ElementsAre(HasSubstr("bytes, in the line table 99")));
}

/// The compilation's folder is recorded: a file of the same relative path elsewhere is not taken.
TEST_F(BadInput, AnotherProjectsSourceIsNotShown) {
  shop_.Run(
      "cd src && gcc -O1 -gdwarf-4 -fPIC -shared -fdebug-prefix-map=$PWD=/elsewhere "
      "work.c -o ../libwork.so");
  work_ = Nm(shop_, shop_.Path("libwork.so")).at("Work");
  shop_.Write("work.c", "another project\n");
  const Annotation annotation = Checked(Report());
  EXPECT_EQ(annotation.sources.at(0).recorded, "/elsewhere/work.c");
  EXPECT_EQ(annotation.sources[0].found, "");
  EXPECT_THAT(text_, Not(HasSubstr("another project")));
}

/// It is not recorded: what is found may be wrong.
TEST_F(BadInput, ASourceFoundByItsRelativePathIsShownWithAWarning) {
  shop_.Write("app/src/work.c", kSource);
  shop_.Run(
      "cd app && gcc -O1 -gdwarf-4 -fPIC -shared -fdebug-prefix-map=$PWD=. src/work.c "
      "-o libwork.so");
  const std::string library = shop_.Path("app/libwork.so");
  const auto id = BuildIdOf(shop_, library);
  const auto report = ReportOf("/app/libwork.so", {{Nm(shop_, library).at("Work").start, 10}},
                               std::string(id.begin(), id.end()));
  const Annotation annotation = Checked(report);
  EXPECT_EQ(annotation.sources.at(0).found, "/app/src/work.c");
  EXPECT_THAT(annotation.sources[0].warnings,
              ElementsAre(HasSubstr("may belong to another program")));
  EXPECT_THAT(text_, HasSubstr("may belong to another"));
}

TEST_F(BadInput, ASourceThatIsAFifoOrTooLargeSaysWhy) {
  const auto report = Report();
  shop_.Run("rm src/work.c && mkfifo src/work.c");
  EXPECT_THAT(Checked(report).sources.at(0).problem, HasSubstr("not a regular file"));
  shop_.Run("rm src/work.c && truncate -s 4G src/work.c");
  EXPECT_THAT(Checked(report).sources.at(0).problem, HasSubstr("larger than 64 MiB"));
}

TEST_F(BadInput, AReplacedBinaryGivesNoCode) {
  const auto report = Report();
  Build("-O3 -DOTHER");
  const Annotation annotation = Checked(report);
  EXPECT_THAT(annotation.code.problem, HasSubstr("replaced since the run"));
  EXPECT_THAT(annotation.code.lines, IsEmpty());
  EXPECT_THAT(text_, HasSubstr("replaced since the run"));
}

TEST_F(BadInput, ABinaryThatWasCutGivesNoCode) {
  const auto report = Report();
  const auto offset =
      symbolizer::testing::OffsetOf(shop_, shop_.Path("libwork.so"), work_.start + 1);
  ASSERT_EQ(truncate(shop_.Path("libwork.so").c_str(), static_cast<off_t>(offset)), 0);
  const Annotation annotation = Checked(report);
  EXPECT_NE(annotation.code.problem, "");
  EXPECT_THAT(annotation.code.lines, IsEmpty());
}

TEST_F(BadInput, AMissingBinaryGivesNoCode) {
  const auto report = Report();
  shop_.Run("rm libwork.so");
  EXPECT_THAT(Checked(report).code.problem, HasSubstr("not found"));
}

TEST_F(BadInput, SamplesBetweenInstructionsAreCounted) {
  std::map<std::uint64_t, std::uint64_t> hits;
  for (std::uint64_t i = 0; i < work_.size; ++i) hits[work_.start + i] = 1;
  const auto report = ReportOf("/libwork.so", hits);
  const Annotation annotation = Checked(report);
  EXPECT_TRUE(annotation.code.outside.empty());
  EXPECT_EQ(annotation.code.lines.size(), work_.size);
}

TEST_F(BadInput, DataInTheTextDoNotMislead) {
  shop_.Write("data.s",
              "\t.text\n\t.globl Work\n\t.type Work, @function\nWork:\n\tjmp .Lover\n"
              "\t.fill 300, 1, 0x06\n.Lover:\n\tnop\n\tret\n\t.size Work, . - Work\n");
  shop_.Run("gcc -shared -nostdlib data.s -o libwork.so");
  work_ = Nm(shop_, shop_.Path("libwork.so")).at("Work");
  const std::uint64_t nop = work_.start + work_.size - 2;
  const Annotation annotation = Checked(ReportOf("/libwork.so", {{nop, 10}}));
  ASSERT_FALSE(annotation.code.lines.empty());
  const CodeLine& last = annotation.code.lines.back();
  EXPECT_EQ(last.text, "ret");
  EXPECT_EQ(annotation.code.lines[annotation.code.lines.size() - 2].cells[0].samples, 10u);
}

TEST_F(BadInput, AFunctionOfFiveMegabytesShowsItsHotSpots) {
  shop_.Write("large.s",
              "\t.text\n\t.globl Work\n\t.type Work, @function\nWork:\n\t.fill 5000000, 1, 0x90\n"
              "\tret\n\t.size Work, . - Work\n");
  shop_.Run("gcc -shared -nostdlib large.s -o libwork.so");
  work_ = Nm(shop_, shop_.Path("libwork.so")).at("Work");
  std::map<std::uint64_t, std::uint64_t> hits;
  const std::uint64_t offset =
      symbolizer::testing::OffsetOf(shop_, shop_.Path("libwork.so"), work_.start) - work_.start;
  testing::SpoolBuilder builder;
  const auto region = builder.AddRegion(
      {.path = "/libwork.so", .start = 0, .end = std::uint64_t{1} << 40, .inode = 0});
  for (std::uint64_t i = 0; i < 1000; ++i) {
    builder.AddHits(region, 1, work_.start + offset + i * 4999, 1 + i);
  }
  const Annotation annotation = Checked(ReportOf(builder));
  EXPECT_EQ(annotation.code.instructions, 5'000'001u);
  EXPECT_LE(annotation.code.lines.size(), kMostHot * 9);
  EXPECT_FALSE(annotation.code.outside.empty());  // the 800 others, in one row
  EXPECT_THAT(text_, HasSubstr("samples elsewhere in the function"));
  Settings wide;
  wide.context = 1;
  EXPECT_LE(AnnotateOne(ReportOf(builder), "Work", wide).code.lines.size(), kMostHot * 3);
}

TEST_F(BadInput, CodeWithoutAFileHasNone) {
  testing::SpoolBuilder builder;
  const auto region = builder.AddRegion(
      {.start = 0x1000, .end = 0x2000, .flags = spool::kRegionAnonymous, .inode = 0});
  builder.AddHits(region, 1, 0x1800, 30);
  const auto report = ReportOf(builder);
  const auto functions = SampledFunctions(report);
  ASSERT_EQ(functions.size(), 1u);
  Settings settings;
  settings.root = shop_.folder();
  const Annotation annotation = Annotate(report, functions[0], resolver_, settings);
  ExpectAllAccounted(annotation);
  EXPECT_EQ(annotation.code.problem, "code without a file");
}

}  // namespace
}  // namespace csink::annotate
