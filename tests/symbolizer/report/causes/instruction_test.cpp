#include "symbolizer/report/causes/instruction.h"

#include <gtest/gtest.h>

namespace csink::report {
namespace {

TEST(Instruction, Classes) {
  const struct {
    const char* text;
    InstructionClasses classes;
  } kCases[] = {
      {"paddd %xmm1, %xmm0", kPacked},
      {"vpmulld (%rax), %ymm1, %ymm0", kPacked | kOnMemory},
      {"movups (%rdi,%rax), %xmm0", kPacked | kOnMemory},
      {"mulps %xmm1, %xmm0", kPacked | kFloat},
      {"vfmadd231ps (%rax), %ymm1, %ymm0", kPacked | kFloat | kOnMemory},
      {"vfmadd231sd %xmm2, %xmm1, %xmm0", kFloat},
      {"addsd 0x8(%rsp), %xmm0", kFloat | kOnStack},
      {"pmovmskb %xmm0, %eax", 0},
      {"movss (%rax), %xmm0", kOnMemory},
      {"div %rcx", kDivides},
      {"idivl 0x4(%rbx)", kDivides | kOnMemory},
      {"divsd %xmm1, %xmm0", kFloat},
      {"lock xadd %rax, (%rdx)", kLocked | kOnMemory},
      {"xchg %al, (%rdi)", kLocked | kOnMemory},
      {"xchg %ax, %ax", 0},
      {"rep movsq", kRepeats},
      {"movsd (%rax), %xmm0", kOnMemory},
      {"call *0x10(%rax)", kCalls | kIndirect},
      {"call *%rax", kCalls | kIndirect},
      {"call *0x2fe2(%rip)", kCalls},
      {"call f(int)", kCalls},
      {"jmp *%rax", kIndirect},
      {"notrack jmp *%rax", kIndirect},
      {"jne L3", 0},
      {"pause", kPauses},
      {"lea 0x8(%rax), %rbx", 0},
      {"nop 0x0(%rax,%rax,1)", 0},
      {"mov 0x10(%rbp), %eax", kOnStack},
      {"mov 0x404040(%rip), %eax", 0},
      {"mov (%rax), %ebx", kOnMemory},
      {".byte 0x06", 0},
      {"", 0},
      {"lock", 0},
  };
  for (const auto& one : kCases) EXPECT_EQ(ClassesOf(one.text), one.classes) << one.text;
}

TEST(Instruction, Vectors) {
  EXPECT_EQ(VectorBytes("vaddps %zmm1, %zmm2, %zmm0"), 64u);
  EXPECT_EQ(VectorBytes("vaddps %ymm1, %ymm2, %ymm0"), 32u);
  EXPECT_EQ(VectorBytes("addps %xmm1, %xmm0"), 16u);
  EXPECT_EQ(VectorBytes("add %eax, %ebx"), 0u);
  EXPECT_EQ(LaneBytes("addpd %xmm1, %xmm0"), 8u);
  EXPECT_EQ(LaneBytes("vaddps %ymm1, %ymm2, %ymm0"), 4u);
  EXPECT_EQ(LaneBytes("addsd %xmm1, %xmm0"), 0u);
}

TEST(Instruction, AddressesAreNoPartOfTheCode) {
  EXPECT_EQ(WithoutAddresses("mov 0x404040, %eax"), WithoutAddresses("mov 0x405118, %eax"));
  EXPECT_EQ(WithoutAddresses("lea 0x2e(%rip), %rax"), WithoutAddresses("lea 0x1ff(%rip), %rax"));
  EXPECT_EQ(WithoutAddresses("jmp 0x1139a"), WithoutAddresses("jmp 0x20040"));
  // Offsets within objects and constants are.
  EXPECT_NE(WithoutAddresses("mov 0x10(%rax), %eax"), WithoutAddresses("mov 0x18(%rax), %eax"));
  EXPECT_NE(WithoutAddresses("imul $0x9e3779b1, %eax, %eax"),
            WithoutAddresses("imul $0x85ebca6b, %eax, %eax"));
  EXPECT_EQ(WithoutAddresses("0x"), "0x");
}

TEST(Instruction, Targets) {
  EXPECT_EQ(TargetOf("call std::__glibcxx_assert_fail(char const*, int)"),
            "std::__glibcxx_assert_fail(char const*, int)");
  EXPECT_EQ(TargetOf("jmp memcpy@plt"), "memcpy@plt");
  EXPECT_EQ(TargetOf("jne L12"), "");
  EXPECT_EQ(TargetOf("call Lookup(int)"), "Lookup(int)");
  EXPECT_EQ(TargetOf("call *%rax"), "");
  EXPECT_EQ(TargetOf("call 0x1139"), "");
  EXPECT_EQ(TargetOf("mov %eax, %ebx"), "");
  EXPECT_EQ(TargetOf("call"), "");
}

}  // namespace
}  // namespace csink::report
