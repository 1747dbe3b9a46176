#include "core/machine/prologue.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace csink {
namespace {

#if defined(__x86_64__)
std::int32_t Of(std::initializer_list<int> code) {
  std::vector<unsigned char> bytes(code.begin(), code.end());
  return ReserveOf(bytes.data(), bytes.size());
}

TEST(ReserveOf, IsTheConstantBehindTheFramePointer) {
  // endbr64; push %rbp; mov %rsp,%rbp; push %r15; push %rbx; sub $0x48,%rsp
  EXPECT_EQ(Of({0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5, 0x41, 0x57, 0x53, 0x48, 0x83, 0xec,
                0x48}),
            0x48);
  // push %rbp; mov %rsp,%rbp; sub $0x1040,%rsp
  EXPECT_EQ(Of({0x55, 0x48, 0x89, 0xe5, 0x48, 0x81, 0xec, 0x40, 0x10, 0, 0}), 0x1040);
}

TEST(ReserveOf, IsZeroWithoutLocals) {
  // push %rbp; mov %rsp,%rbp; push %rbx; call
  EXPECT_EQ(Of({0x55, 0x48, 0x89, 0xe5, 0x53, 0xe8, 1, 2, 3, 4}), 0);
}

TEST(ReserveOf, IsUnknownWithoutAFramePointerOrWithOddConstants) {
  EXPECT_EQ(Of({}), -1);
  EXPECT_EQ(Of({0x48, 0x83, 0xec, 0x18}), -1);  // sub $0x18,%rsp alone
  EXPECT_EQ(Of({0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x13}), -1);
  EXPECT_EQ(Of({0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x80}), -1);  // a negative byte
  EXPECT_EQ(Of({0x55, 0x48, 0x89, 0xe5, 0x48, 0x81, 0xec, 0, 0, 0, 0x7f}), -1);
}

TEST(ReserveOf, ReadsNothingBehindTheCode) {
  EXPECT_EQ(Of({0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec}), 0);
  EXPECT_EQ(Of({0x55, 0x48, 0x89, 0xe5, 0x48, 0x81, 0xec, 0x40, 0x10}), 0);
  EXPECT_EQ(Of({0x55, 0x48, 0x89}), -1);
}
#else
TEST(ReserveOf, IsUnknownElsewhere) {
  const unsigned char code[8] = {};
  EXPECT_EQ(ReserveOf(code, sizeof code), -1);
}
#endif

}  // namespace
}  // namespace csink
