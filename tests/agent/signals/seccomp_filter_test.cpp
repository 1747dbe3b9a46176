#include "agent/signals/seccomp_filter.h"

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <cstddef>
#include <vector>

namespace csink::agent {
namespace {

CallFate Fate(std::vector<sock_filter> lines, long number = SYS_openat) {
  const sock_fprog filter = {static_cast<unsigned short>(lines.size()), lines.data()};
  return FateOf(filter, number);
}

constexpr sock_filter kLoadNumber = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
constexpr sock_filter kAllow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
constexpr sock_filter kKill = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);

TEST(SeccompFilter, IsFollowedForTheNumberOfTheCall) {
  const std::vector<sock_filter> kills_openat = {
      kLoadNumber, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 1, 0), kAllow, kKill};
  EXPECT_EQ(Fate(kills_openat), CallFate::kUnsafe);
  EXPECT_EQ(Fate(kills_openat, SYS_read), CallFate::kSafe);
  EXPECT_EQ(Fate({BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1)}), CallFate::kSafe);
  EXPECT_EQ(Fate({BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)}), CallFate::kUnsafe);
}

TEST(SeccompFilter, IsUnsafeWhereAnArgumentDecides) {
  EXPECT_EQ(Fate({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)), kAllow}),
            CallFate::kUnsafe);
}

// The kernel refuses these, but only after the agent has looked at them.
TEST(SeccompFilter, EndsThoughAJumpLeadsOutOfIt) {
  for (const std::uint32_t far : {1u, 2u, 4096u, 0x7fffffffu, 0xfffffffeu, 0xffffffffu}) {
    EXPECT_EQ(Fate({BPF_STMT(BPF_JMP | BPF_JA, far), kAllow}), CallFate::kUnsafe) << far;
    EXPECT_EQ(Fate({kLoadNumber, BPF_STMT(BPF_JMP | BPF_JA, far)}), CallFate::kUnsafe) << far;
  }
  EXPECT_EQ(Fate({kLoadNumber, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 255, 255), kAllow}),
            CallFate::kUnsafe);
  EXPECT_EQ(Fate({kLoadNumber}), CallFate::kUnsafe) << "no return at the end";
  EXPECT_EQ(Fate({BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0), kAllow}), CallFate::kUnsafe);
  EXPECT_EQ(Fate({BPF_STMT(BPF_ST, BPF_MEMWORDS), kAllow}), CallFate::kUnsafe);
}

}  // namespace
}  // namespace csink::agent
