#include "symbolizer/commands/launch/child_timeout.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace csink::tool {
namespace {

/// A child that starts one of its own and tells its pid through `ends`; both wait for ever.
pid_t ForkTwo(const int (&ends)[2]) {
  const pid_t child = fork();
  if (child != 0) return child;
  const pid_t grandchild = fork();
  if (grandchild > 0) (void)!write(ends[1], &grandchild, sizeof grandchild);
  for (;;) pause();
}

TEST(KillAfter, LeavesAChildThatEndsInTime) {
  const pid_t child = fork();
  if (child == 0) _exit(3);
  EXPECT_FALSE(KillAfter(child, 60));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child) << "it must not be reaped before";
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

TEST(KillAfter, KillsALateChildWithItsDescendants) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = ForkTwo(ends);
  pid_t grandchild = 0;
  ASSERT_EQ(read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  close(ends[1]);
  EXPECT_TRUE(KillAfter(child, 0.01));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  // The end of the pipe comes when the last process that has its other end is gone.
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

}  // namespace
}  // namespace csink::tool
