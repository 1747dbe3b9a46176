#include "agent/attach/i386_calls.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

namespace csink::attach {
namespace {

#if defined(__x86_64__)
TEST(I386Calls, HaveTheNumbersOfX8664) {
  EXPECT_EQ(NativeNumberOf(3), SYS_read);
  EXPECT_EQ(NativeNumberOf(240), SYS_futex);
  EXPECT_EQ(NativeNumberOf(422), SYS_futex);            // futex_time64
  EXPECT_EQ(NativeNumberOf(407), SYS_clock_nanosleep);  // clock_nanosleep_time64
  EXPECT_EQ(NativeNumberOf(114), SYS_wait4);
}

TEST(I386Calls, NewCallsHaveOneNumber) {
  EXPECT_EQ(NativeNumberOf(449), 449);  // futex_waitv
  EXPECT_EQ(NativeNumberOf(441), 441);  // epoll_pwait2
}
#endif

TEST(I386Calls, OthersAreNotTakenForANativeCall) {
  EXPECT_EQ(NativeNumberOf(102), kNoNativeCall);  // socketcall
  EXPECT_EQ(NativeNumberOf(0), kNoNativeCall);
}

#if defined(__x86_64__)
TEST(I386Calls, ABlockOutsideOfACallStaysOne) { EXPECT_EQ(NativeNumberOf(-1), -1); }
#endif

}  // namespace
}  // namespace csink::attach
