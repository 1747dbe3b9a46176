#include "core/machine/frame_rule.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

// Functions whose rows are known, instruction by instruction.
#if defined(__x86_64__)
extern "C" void CsinkTestFrames();
asm(".text\n.type CsinkTestFrames, @function\nCsinkTestFrames:\n.cfi_startproc\n"
    "nop\n"                                                                    // +0: CFA = sp + 8
    "pushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset rbp, -16\n"               // +1
    "movq %rsp, %rbp\n.cfi_def_cfa_register rbp\n"                             // +2: sp + 16
    "nop\n"                                                                    // +5: fp + 16
    ".cfi_remember_state\npopq %rbp\n.cfi_def_cfa rsp, 8\n.cfi_restore rbp\n"  // +6: fp + 16
    "ret\n.cfi_restore_state\n"                                                // +7: sp + 8
    "nop\n"                                                                    // +8: fp + 16 again
    ".cfi_undefined rip\nnop\n"                                                // +9: no caller
    ".cfi_def_cfa rbx, 8\n.cfi_restore rip\nnop\n"                             // +10: beyond us
    ".cfi_endproc\n.size CsinkTestFrames, .-CsinkTestFrames\n");
#endif

namespace csink {
namespace {

using Base = FrameRule::Base;

/// The executable mapping that holds `pc`.
struct Mapped {
  explicit Mapped(std::uint64_t pc) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      std::uint64_t from = 0;
      std::uint64_t to = 0;
      std::uint64_t at = 0;
      if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx", &from, &to, &at) != 3) continue;
      if (pc >= from && pc < to) start = from, end = to, file_offset = at;
    }
  }
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;
};

#if defined(__x86_64__)
struct FrameRuleTest : ::testing::Test {
  FrameRuleTest() : code(reinterpret_cast<std::uint64_t>(&CsinkTestFrames)), mapped(code) {
    opened = frames.Open(memory, mapped.start, mapped.end, mapped.file_offset);
  }
  FrameRule At(std::uint64_t offset) { return frames.Find(memory, code + offset); }
  std::uint64_t code;
  Mapped mapped;
  ProcessMemory memory;
  ImageFrames frames;
  bool opened = false;
};

TEST_F(FrameRuleTest, FollowsEachRow) {
  ASSERT_TRUE(opened);
  EXPECT_EQ(At(0).base, Base::kStackPointer);
  EXPECT_EQ(At(0).cfa_offset, 8);
  EXPECT_EQ(At(0).return_offset, -8);
  EXPECT_FALSE(At(0).frame_pointer_saved);
  EXPECT_EQ(At(2).base, Base::kStackPointer);
  EXPECT_EQ(At(2).cfa_offset, 16);
  EXPECT_TRUE(At(2).frame_pointer_saved);
  EXPECT_EQ(At(5).base, Base::kFramePointer);
  EXPECT_EQ(At(5).cfa_offset, 16);
  EXPECT_EQ(At(7).base, Base::kStackPointer);
  EXPECT_EQ(At(7).cfa_offset, 8);
  EXPECT_FALSE(At(7).frame_pointer_saved);
  EXPECT_EQ(At(8).base, Base::kFramePointer);
}

TEST_F(FrameRuleTest, KnowsWhereThereIsNoCallerAndWhatItCannotFollow) {
  ASSERT_TRUE(opened);
  EXPECT_EQ(At(9).base, Base::kOutermost);
  EXPECT_EQ(At(10).base, Base::kUnsupported);
  EXPECT_EQ(frames.Find(memory, 16).base, Base::kUnknown);
}

TEST_F(FrameRuleTest, FindsNothingInMemoryThatIsNoImage) {
  alignas(4096) static char page[8192] = {};
  const auto at = reinterpret_cast<std::uint64_t>(page);
  EXPECT_FALSE(frames.Open(memory, at, at + sizeof page, 0));
  EXPECT_FALSE(frames.usable());
  EXPECT_FALSE(frames.Open(memory, 4096, 8192, 0));
}

TEST_F(FrameRuleTest, FollowsALongDescriptionAsFarAsItIsRead) {
  // 24 bytes of CIE; then an FDE with a second row after 1,100 bytes of no-operations, as a
  // large function has, and with a third one behind the bytes that are read.
  alignas(8) static unsigned char bytes[24 + 9000] = {
      20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0};
  unsigned char* const fde = bytes + 24;
  const std::uint32_t head[] = {8996, 28, 0, 64};  // length, CIE pointer, start, bytes of code
  std::memcpy(fde, head, sizeof head);
  const unsigned char first[] = {0, 0x44, 0x0e, 16};  // advance by 4; CFA is rsp + 16
  const unsigned char second[] = {0x44, 0x0e, 24};    // the same once more; rsp + 24
  std::memcpy(fde + sizeof head, first, sizeof first);
  std::memcpy(fde + 1150, second, sizeof second);
  const auto entry = reinterpret_cast<std::uint64_t>(fde);
  const std::uint64_t code = entry + 8;
  EXPECT_EQ(ReadFrameRule(memory, entry, code + 2).cfa_offset, 8);
  EXPECT_EQ(ReadFrameRule(memory, entry, code + 5).cfa_offset, 16);
  // What was cut off may change the last row that was read.
  EXPECT_EQ(ReadFrameRule(memory, entry, code + 9).base, Base::kUnsupported);
  const unsigned char third[] = {0x44, 0x0e, 32};
  std::memcpy(fde + 8500, third, sizeof third);
  EXPECT_EQ(ReadFrameRule(memory, entry, code + 9).base, Base::kUnsupported);
}

#if defined(__x86_64__)
TEST_F(FrameRuleTest, KnowsWhereKeptRegistersAre) {
  // rbx is stored at CFA - 16 from byte 4 on, r12 has a rule that is not followed; both are back at
  // byte 8.
  alignas(8) static unsigned char bytes[] = {
      20, 0, 0,    0, 0, 0,    0,    0, 1,    'z', 'R', 0,    1,    0x78, 16, 1, 0x1b, 0x0c,
      7,  8, 0x90, 1, 0, 0,    28,   0, 0,    0,   28,  0,    0,    0,    0,  0, 0,    0,
      64, 0, 0,    0, 0, 0x44, 0x83, 2, 0x09, 12,  3,   0x44, 0xc3, 0xcc, 0,  0};
  const auto entry = reinterpret_cast<std::uint64_t>(bytes) + 24;
  const std::uint64_t code = entry + 8;
  EXPECT_EQ(ReadFrameRule(memory, entry, code).kept[0], 0);
  EXPECT_EQ(ReadFrameRule(memory, entry, code + 4).kept[0], 2);
  EXPECT_EQ(ReadFrameRule(memory, entry, code + 4).kept[1], -1);
  EXPECT_EQ(ReadFrameRule(memory, entry, code + 4).kept[2], 0);
  EXPECT_EQ(ReadFrameRule(memory, entry, code + 8).kept[0], 0);
  EXPECT_EQ(ReadFrameRule(memory, entry, code + 8).kept[1], 0);
}
#endif

TEST_F(FrameRuleTest, SurvivesDescriptionsThatLie) {
  // Every byte of a description and its CIE replaced by rubbish, one after the other.
  alignas(8) static unsigned char bytes[] = {
      20,   0,    0, 0, 0,    0, 0, 0, 1,  'z',  'R',  0,  1,    0x78, 16,   1,
      0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0, 20, 0,    0,    0,  28,   0,    0,    0,
      0,    0,    0, 0, 0,    1, 0, 0, 0,  0x41, 0x0e, 16, 0x86, 2,    0x0a, 0x0b};
  const auto entry = reinterpret_cast<std::uint64_t>(bytes) + 24;
  const std::uint64_t pc = entry + 8 + 4;
  EXPECT_EQ(ReadFrameRule(memory, entry, pc).cfa_offset, 16);
  for (unsigned char& byte : bytes) {
    const unsigned char kept = byte;
    for (unsigned value = 0; value < 256; ++value) {
      byte = static_cast<unsigned char>(value);
      memory.Forget();
      const FrameRule rule = ReadFrameRule(memory, entry, pc);
      EXPECT_LE(rule.cfa_offset, 1 << 24);
    }
    byte = kept;
  }
  memory.Forget();
  EXPECT_EQ(ReadFrameRule(memory, entry, pc).base, Base::kStackPointer);
}
#endif

TEST(ImageFrames, CoversTheCLibrary) {
  const auto pc = reinterpret_cast<std::uint64_t>(&fopen);
  const Mapped mapped(pc);
  ASSERT_NE(mapped.start, 0u);
  ProcessMemory memory;
  ImageFrames frames;
  ASSERT_TRUE(frames.Open(memory, mapped.start, mapped.end, mapped.file_offset));
  EXPECT_EQ(frames.Find(memory, pc).base, Base::kStackPointer);
}

}  // namespace
}  // namespace csink
