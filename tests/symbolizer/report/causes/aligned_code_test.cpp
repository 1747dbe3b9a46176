#include "symbolizer/report/causes/aligned_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbolizer/report/causes/code_pair_text.h"

namespace csink::report {
namespace {

using ::testing::HasSubstr;
using Lines = std::vector<annotate::CodeLine>;

Lines Code(const std::vector<const char*>& texts) {
  Lines lines;
  for (const char* text : texts) {
    annotate::CodeLine& line = lines.emplace_back();
    line.text = text;
    line.vaddr = 0x1000 + lines.size() * 4;
    line.line = 7;
    line.file = "/src/hot.cpp";
  }
  return lines;
}

/// "=" in both, "-" in A alone, "+" in B alone.
std::string Marks(const Lines& was, const Lines& now) {
  std::string marks;
  for (const CodePair& pair : AlignCode(was, now)) {
    marks += pair.was == nullptr ? '+' : pair.now == nullptr ? '-' : '=';
  }
  return marks;
}

TEST(AlignCode, PairsEqualInstructions) {
  EXPECT_EQ(Marks(Code({"a", "b", "c"}), Code({"a", "b", "c"})), "===");
  EXPECT_EQ(Marks(Code({"a", "b", "c"}), Code({"a", "x", "c"})), "=-+=");
  EXPECT_EQ(Marks(Code({"a", "b"}), Code({"x", "a", "y", "b"})), "+=+=");
  EXPECT_EQ(Marks(Code({}), Code({"a"})), "+");
  EXPECT_EQ(Marks(Code({"a"}), Code({})), "-");
  EXPECT_EQ(Marks(Code({}), Code({})), "");
  // Other addresses are no other code.
  EXPECT_EQ(Marks(Code({"jmp 0x40113a"}), Code({"jmp 0x40224b"})), "=");
}

TEST(AlignCode, HoldsItsBound) {
  Lines was = Code({"a"});
  Lines now = Code({"a"});
  for (std::size_t i = 0; i <= kMostAligned; ++i) {
    was.push_back(Code({"b"})[0]);
    now.push_back(Code({"c"})[0]);
  }
  EXPECT_EQ(AlignCode(was, now).size(), 1 + 2 * (kMostAligned + 1));
}

TEST(CodePairText, ShowsBothSidesWithTheirTimes) {
  CodeOfBoth code;
  code.name = "Hot()";
  code.was_runs = 2;
  code.was.emplace().code.lines = Code({"mov %eax, %ebx", "ret"});
  code.now.emplace().code.lines = Code({"mov %eax, %ebx", "div %rcx", "ret"});
  Cell whole;
  whole.weight = 200'000'000;
  code.was->of_program = code.now->of_program = {whole};
  Cell cell;
  cell.share = 0.5;
  cell.low = 0.4;
  cell.high = 0.6;
  code.was->code.lines[0].cells = code.now->code.lines[1].cells = {cell};
  code.now->code.lines[1].inlined = "Bucket(int)";
  TextStyle style;
  style.width = 100;
  const std::string text = CodePairText(code, style);
  EXPECT_THAT(text, HasSubstr("50.0 +-10.0 mov %eax, %ebx"));  // Of a run, of two
  EXPECT_THAT(text, HasSubstr("+   100.0 +-20.0 div %rcx"));
  EXPECT_THAT(text, HasSubstr("hot.cpp:7  inlined Bucket(int)"));
  code.was.reset();
  EXPECT_THAT(CodePairText(code, style), HasSubstr("A has no samples in it"));
}

}  // namespace
}  // namespace csink::report
