#include <gtest/gtest.h>

#include "symbolizer/names/inlines/inlines.h"
#include "symbolizer/names/resolve/inline_chains.h"
#include "symbolizer/names/resolve/resolver.h"
#include "tests/symbolizer/workshop.h"

/// File: the line of code whose row in the line table has line 0.

namespace csink::symbolizer {
namespace {

using testing::HaveTool;
using testing::Nm;
using testing::Workshop;

InlineFrame Frame(const std::string& function, std::uint32_t call_line) {
  return {.function = function, .raw_name = "", .call_file = "a.c", .call_line = call_line};
}

InlineAnswer Chain(std::vector<InlineFrame> frames, std::uint64_t start = 0x1000) {
  InlineAnswer answer;
  answer.is_found = true;
  answer.start = start;
  answer.frames = std::move(frames);
  return answer;
}

/// "file:line" that is left of "row.c:7".
std::string Settled(const InlineAnswer& at, const InlineAnswer& row) {
  Location location;
  location.file = "row.c";
  location.line = 7;
  SettleBorrowedLine(at, row, location);
  return location.file + ":" + std::to_string(location.line);
}

TEST(BorrowedLine, StaysWithinItsChain) {
  EXPECT_EQ(Settled(Chain({}), Chain({})), "row.c:7");
  EXPECT_EQ(Settled(Chain({Frame("Leaf", 3), Frame("Mid", 4)}),
                    Chain({Frame("Leaf", 3), Frame("Mid", 4)})),
            "row.c:7");
  EXPECT_EQ(Settled(InlineAnswer(), InlineAnswer()), "row.c:7");  // the symbol has to do
}

TEST(BorrowedLine, GivesWayToTheCallOfWhatItIsIn) {
  EXPECT_EQ(Settled(Chain({}), Chain({Frame("Leaf", 3), Frame("Mid", 4)})), "a.c:4");
  EXPECT_EQ(Settled(Chain({Frame("Mid", 4)}), Chain({Frame("Leaf", 3), Frame("Mid", 4)})), "a.c:3");
}

TEST(BorrowedLine, OfAnotherChainIsNone) {
  const InlineAnswer mid = Chain({Frame("Mid", 4)});
  EXPECT_EQ(Settled(mid, Chain({})), ":0");                    // called by it
  EXPECT_EQ(Settled(mid, Chain({Frame("Mid", 5)})), ":0");     // another call
  EXPECT_EQ(Settled(mid, Chain({Frame("Other", 4)})), ":0");   // another function
  EXPECT_EQ(Settled(mid, Chain({Frame("Mid", 4)}, 8)), ":0");  // in another function
  EXPECT_EQ(Settled(mid, InlineAnswer()), ":0");
  EXPECT_EQ(Settled(InlineAnswer(), mid), ":0");
}

constexpr char kProgram[] = R"(volatile int sink;
__attribute__((always_inline)) static inline void Leaf(int x) {
  sink += x;
  __asm__ volatile(".globl in_leaf\nin_leaf: nop" : : : "memory");
}
__attribute__((always_inline)) static inline void Late(int x) {
  __asm__ volatile(".globl in_late\nin_late: nop" : : : "memory");
  sink += x;
}
__attribute__((noinline)) void Outer(int x) {
  sink = 1;
  Leaf(x);
  __asm__ volatile(".globl behind\nbehind: nop" : : : "memory");
  sink = 2;
  Late(x);
}
int main(int n, char**) { Outer(n); }
)";

/// With the rows of all labels set to line 0.
class BorrowedLineOfCode : public ::testing::TestWithParam<Detail> {
 protected:
  void SetUp() override {
    // The assembler of binutils drops rows of line 0.
    if (!HaveTool("clang++-14")) GTEST_SKIP() << "clang++-14 is not here";
    shop_.Write("program.cpp", kProgram);
    shop_.Run(
        "clang++-14 -O2 -g -S program.cpp && "
        "sed -i -E 's/\\.loc\t([0-9]) (4|7|13) .*/.loc \\1 0/' program.s && "
        "clang++-14 program.s -o program");
  }
  Location At(const std::string& label) {
    const std::string path = shop_.Path("program");
    const std::uint64_t vaddr = Nm(shop_, path).at(label).start;
    auto request = testing::RequestFor(shop_, path, {testing::OffsetOf(shop_, path, vaddr)});
    request.detail = GetParam();
    return ResolveModule(request, {}).locations.at(0);
  }
  Workshop shop_;
};

TEST_P(BorrowedLineOfCode, IsNeverOneOfAnotherFunction) {
  const Location in_leaf = At("in_leaf");
  EXPECT_EQ(in_leaf.line, 3u);
  EXPECT_EQ(in_leaf.file, shop_.Path("program.cpp"));
  EXPECT_EQ(At("behind").line, 12u);  // the call of Leaf
  EXPECT_EQ(At("behind").file, shop_.Path("program.cpp"));
  EXPECT_EQ(At("in_late").line, 0u);
  EXPECT_EQ(At("in_late").file, "");
}

TEST_P(BorrowedLineOfCode, LeavesTheChainAsItIs) {
  EXPECT_EQ(At("in_late").inlined.size(), GetParam() == Detail::kInlines ? 1u : 0u);
  EXPECT_EQ(At("in_late").function, "Outer(int)");
}

INSTANTIATE_TEST_SUITE_P(, BorrowedLineOfCode, ::testing::Values(Detail::kLines, Detail::kInlines),
                         [](const auto& info) { return info.index == 0 ? "Lines" : "Inlines"; });

}  // namespace
}  // namespace csink::symbolizer
