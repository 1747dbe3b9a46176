#include "core/machine/process_memory.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>

namespace csink {
namespace {

volatile int g_value = 1;

std::uint64_t AddressOfValue() { return reinterpret_cast<std::uint64_t>(&g_value); }

TEST(ProcessMemory, ReadsThisProcess) {
  ProcessMemory memory;
  int value = 0;
  ASSERT_TRUE(memory.Read(AddressOfValue(), value));
  EXPECT_EQ(value, 1);
  EXPECT_FALSE(memory.Read(8, value));
}

TEST(ProcessMemory, ReadsAnotherProcess) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    g_value = 2;
    (void)!write(ready[1], "x", 1);
    pause();
    _exit(0);
  }
  char byte = 0;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);
  ProcessMemory memory;
  int value = 0;
  ASSERT_TRUE(memory.Read(AddressOfValue(), value));
  EXPECT_EQ(value, 1);
  // The block that was read before is not that of the other process.
  memory.SetProcess(child);
  ASSERT_TRUE(memory.Read(AddressOfValue(), value));
  EXPECT_EQ(value, 2);
  unsigned char bytes[4] = {};
  EXPECT_EQ(memory.ReadSome(AddressOfValue(), bytes, sizeof bytes), sizeof bytes);
  EXPECT_EQ(bytes[0], 2);
  memory.SetProcess(0);
  ASSERT_TRUE(memory.Read(AddressOfValue(), value));
  EXPECT_EQ(value, 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  memory.SetProcess(child);
  EXPECT_FALSE(memory.Read(AddressOfValue(), value));
  close(ready[0]);
  close(ready[1]);
}

}  // namespace
}  // namespace csink
