#include "symbolizer/report/tables/python_names.h"

#include <gtest/gtest.h>

#include "profil/format/format.h"

namespace csink::report {
namespace {

// Of this function, made by CPython 3.11.2; lines behind the third are 4, 5, 6, 8, 9:
//   def f(n):
//       s = 0
//       for i in range(n):
//           s += i * i % 7
//           if s > 1000000:
//               s = (s -
//
//                    5)
//       return s
constexpr unsigned char kTable[] = {
    128, 0,   216, 8,   9,  128, 65, 221, 13,  18,  144, 49,  137, 88, 140, 88, 240, 0,  5,
    5,   20,  240, 0,   5,  5,   20, 136, 1,   216, 8,   9,   136, 81, 144, 17, 137, 85, 144,
    81,  137, 89,  137, 14, 136, 1,  216, 11,  12,  136, 119, 138, 59, 136, 59, 216, 17, 18,
    224, 17,  18,  241, 5,  2,   18, 19,  136, 65,  248, 240, 6,   0,  12,  13, 128, 72};
const std::string_view kLines(reinterpret_cast<const char*>(kTable), sizeof kTable);

// The address of a sample is behind the instruction that is executed.
std::uint32_t LineAt(std::uint32_t instruction) { return PythonLine(kLines, 1, instruction + 2); }

TEST(PythonLine, IsThatOfCoLines) {
  // co_lines() of the function: (first offset, line).
  constexpr std::pair<std::uint32_t, std::uint32_t> kRanges[] = {
      {0, 1},  {2, 2},  {6, 3},  {38, 3}, {40, 4}, {60, 4}, {62, 5}, {72, 5},
      {74, 6}, {76, 8}, {78, 6}, {82, 6}, {84, 0}, {86, 9}, {88, 9}};
  for (const auto& [offset, line] : kRanges) EXPECT_EQ(LineAt(offset), line) << offset;
}

TEST(PythonLine, IsUnknownOutsideOfTheTable) {
  EXPECT_EQ(LineAt(90), 0u);
  EXPECT_EQ(PythonLine(kLines, 1, 0), 0u);
  EXPECT_EQ(PythonLine("", 1, 2), 0u);
  EXPECT_EQ(PythonLine(kLines, 1, spool::kNoInstruction), 0u);
}

TEST(PythonLine, EndsWithEveryDamage) {
  for (std::size_t bytes = 0; bytes <= kLines.size(); ++bytes) {
    for (std::uint32_t instruction = 0; instruction < 200; instruction += 2) {
      PythonLine(kLines.substr(0, bytes), 1, instruction);
    }
  }
  // Steps to numbers that are no lines.
  const std::string back = std::string("\xe8\x7f\x7f\x7f\x7f\x7f\x3f", 7);
  EXPECT_EQ(PythonLine(back, 1, 2), 0u);
}

TEST(PythonAnswer, NamesPlacesOfFunctions) {
  const std::vector<PythonFunction> functions = {{"f", "/a/f.py", std::string(kLines), 1, 45},
                                                 {"", "", "", 12, 4}};
  const symbolizer::ModuleAnswer answer =
      PythonAnswer(functions, {spool::PythonPc(0, 42), spool::PythonPc(0, spool::kNoInstruction),
                               spool::PythonPc(1, 4), spool::PythonPc(7, 4)});
  ASSERT_EQ(answer.locations.size(), 4u);
  EXPECT_EQ(answer.locations[0].function, "f");
  EXPECT_EQ(answer.locations[0].file, "/a/f.py");
  EXPECT_EQ(answer.locations[0].line, 4u);
  // Without an instruction: the function's own line.
  EXPECT_EQ(answer.locations[1].line, 1u);
  EXPECT_EQ(answer.locations[0].function_vaddr, answer.locations[1].function_vaddr);
  EXPECT_EQ(answer.locations[2].function, "[unnamed]");
  EXPECT_EQ(answer.locations[2].line, 12u);
  EXPECT_TRUE(answer.locations[3].function.empty());
}

}  // namespace
}  // namespace csink::report
