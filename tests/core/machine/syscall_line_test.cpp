#include "core/machine/syscall_line.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace csink {
namespace {

TEST(SyscallLine, ReadsAThreadThatRuns) {
  const auto line = ParseSyscallLine("running\n");
  ASSERT_TRUE(line);
  EXPECT_TRUE((*line).running);
  EXPECT_EQ((*line).pc, 0u);
}

TEST(SyscallLine, ReadsABlockedCall) {
  const auto line =
      ParseSyscallLine("202 0x556ff8153140 0x80 0x2 0x0 0x0 0x0 0x7f7e1681ce88 0x7f7e168a412b\n");
  ASSERT_TRUE(line);
  EXPECT_FALSE((*line).running);
  EXPECT_EQ((*line).number, 202);
  EXPECT_EQ((*line).arguments[0], 0x556ff8153140u);
  EXPECT_EQ((*line).arguments[1], 0x80u);
  EXPECT_EQ((*line).arguments[2], 2u);
  EXPECT_EQ((*line).arguments[5], 0u);
  EXPECT_EQ((*line).stack_pointer, 0x7f7e1681ce88u);
  EXPECT_EQ((*line).pc, 0x7f7e168a412bu);
}

TEST(SyscallLine, ReadsAThreadThatIsBlockedOutsideOfACall) {
  const auto line = ParseSyscallLine("-1 0x7ffd00 0x401000");
  ASSERT_TRUE(line);
  EXPECT_FALSE((*line).running);
  EXPECT_EQ((*line).number, -1);
  EXPECT_EQ((*line).arguments[0], 0u);
  EXPECT_EQ((*line).stack_pointer, 0x7ffd00u);
  EXPECT_EQ((*line).pc, 0x401000u);
}

TEST(SyscallLine, RefusesOtherText) {
  for (const char* text :
       {"", "\n", "run", "running 1", "202", "202 0x1 0x2", "-1", "-1 0x1", "-2 0x1 0x2",
        "-1 0x1 0x2 0x3", "-1 1 2", "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7",
        "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9", "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0xg",
        "99999999999 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8", "-1  0x1 0x2"}) {
    const auto line = ParseSyscallLine(text);
    ASSERT_FALSE(line) << text;
    EXPECT_EQ(line.error().code, Errc::kInvalid) << text;
  }
}

/// The kernel's own line of a thread that is blocked in a read of a pipe.
TEST(SyscallLine, ReadsWhatTheKernelWrites) {
  int pipe_fds[2];
  ASSERT_EQ(pipe(pipe_fds), 0);
  std::atomic<long> tid{0};
  std::thread reader([&] {
    tid = syscall(SYS_gettid);
    char byte;
    EXPECT_EQ(read(pipe_fds[0], &byte, 1), 1);
  });
  while (tid == 0) std::this_thread::yield();
  const std::string path = "/proc/self/task/" + std::to_string(tid) + "/syscall";
  SyscallLine line;
  line.number = -1;  // on x86-64 SYS_read is 0
  bool readable = true;
  for (int i = 0; i < 2000 && line.number != SYS_read && readable; ++i) {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    readable = !text.empty();
    if (const auto parsed = ParseSyscallLine(text); parsed && !(*parsed).running) line = *parsed;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_EQ(write(pipe_fds[1], "x", 1), 1);
  reader.join();
  close(pipe_fds[0]);
  close(pipe_fds[1]);
  if (!readable) GTEST_SKIP() << "the kernel has no " << path;
  EXPECT_EQ(line.number, SYS_read);
  EXPECT_EQ(line.arguments[0], static_cast<std::uint64_t>(pipe_fds[0]));
  EXPECT_EQ(line.arguments[2], 1u);
  EXPECT_NE(line.pc, 0u);
}

}  // namespace
}  // namespace csink
