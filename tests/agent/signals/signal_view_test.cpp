// What a program sees of its signals. Run as it is, and again with libagent.so
// preloaded: it must not be able to tell the difference.

#include <errno.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

namespace {

volatile sig_atomic_t g_caught = 0;
void Catch(int signal) { g_caught = signal; }
void CatchInfo(int signal, siginfo_t*, void*) { g_caught = signal; }

struct sigaction Ask(int signal) {
  struct sigaction seen = {};
  EXPECT_EQ(sigaction(signal, nullptr, &seen), 0);
  return seen;
}
struct sigaction Action(void (*handler)(int), int flags = 0) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  return action;
}

/// How a child that does `body` ends.
template <class Body>
int StatusOf(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

class EachSignal : public ::testing::TestWithParam<int> {
 protected:
  void TearDown() override {
    signal(GetParam(), SIG_DFL);
    g_caught = 0;
  }
};
INSTANTIATE_TEST_SUITE_P(SignalView, EachSignal,
                         ::testing::Values(SIGURG, SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGPIPE),
                         [](const auto& info) { return std::string(sigabbrev_np(info.param)); });

TEST_P(EachSignal, IsAtItsDefaultBeforeTheProgramSaysOtherwise) {
  const struct sigaction seen = Ask(GetParam());
  EXPECT_EQ(seen.sa_handler, SIG_DFL);
  EXPECT_EQ(seen.sa_flags & ~0x04000000, 0);
}

TEST_P(EachSignal, GoesToTheHandlerOfTheProgram) {
  const struct sigaction mine = Action(Catch, SA_NODEFER);
  struct sigaction old = {};
  ASSERT_EQ(sigaction(GetParam(), &mine, &old), 0);
  EXPECT_EQ(old.sa_handler, SIG_DFL);
  EXPECT_EQ(Ask(GetParam()).sa_handler, Catch);
  EXPECT_EQ(Ask(GetParam()).sa_flags & SA_NODEFER, SA_NODEFER);
  raise(GetParam());
  EXPECT_EQ(g_caught, GetParam());
}

TEST_P(EachSignal, ComesBackToItsDefaultWhenTheProgramSaysSo) {
  const struct sigaction mine = Action(Catch);
  const struct sigaction standard = Action(SIG_DFL, SA_RESTART);
  struct sigaction old = {};
  for (int round = 0; round < 3; ++round) {
    sigaction(GetParam(), &mine, nullptr);
    sigaction(GetParam(), &standard, &old);
    EXPECT_EQ(old.sa_handler, Catch);
    EXPECT_EQ(Ask(GetParam()).sa_handler, SIG_DFL);
    EXPECT_EQ(Ask(GetParam()).sa_flags & SA_RESTART, SA_RESTART);
  }
}

TEST_P(EachSignal, MayBeAskedAndToldThroughOneObject) {
  struct sigaction both = Action(Catch);
  // Newer C libraries declare both pointers `restrict`; volatile, so that the compiler does not
  // warn.
  struct sigaction* volatile same = &both;
  ASSERT_EQ(sigaction(GetParam(), same, same), 0);
  EXPECT_EQ(both.sa_handler, SIG_DFL);
  ASSERT_EQ(sigaction(GetParam(), same, same), 0);
  EXPECT_EQ(both.sa_handler, Catch);
}

TEST_P(EachSignal, ObeysTheOldFunctionToo) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "skipped: the thread sanitizer's own signal() keeps no flags";
#endif
  EXPECT_EQ(signal(GetParam(), Catch), SIG_DFL);
  EXPECT_EQ(Ask(GetParam()).sa_flags & SA_RESTART, SA_RESTART);
  raise(GetParam());
  EXPECT_EQ(g_caught, GetParam());
  EXPECT_EQ(signal(GetParam(), SIG_IGN), Catch);
  raise(GetParam());
  EXPECT_EQ(signal(GetParam(), SIG_DFL), SIG_IGN);
}

TEST_P(EachSignal, StaysIgnoredOverExecWhenTheProgramIgnoresIt) {
  signal(GetParam(), SIG_IGN);
  const std::string script =
      "test $((0x$(sed -n 's/^SigIgn:[[:space:]]*//p' /proc/self/status) >> " +
      std::to_string(GetParam() - 1) + " & 1)) = 1";
  EXPECT_EQ(StatusOf([&] { execl("/bin/sh", "sh", "-c", script.c_str(), nullptr); }), 0);
}

TEST_P(EachSignal, HasItsDefaultEffect) {
  const int status = StatusOf([] { raise(GetParam()); });
  if (GetParam() == SIGURG) {
    EXPECT_EQ(status, 0);
  } else {
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), GetParam());
  }
}

TEST_P(EachSignal, KillsAsEverAfterAHandlerWasThere) {
  const int status = StatusOf([] {
    signal(GetParam(), Catch);
    signal(GetParam(), SIG_DFL);
    raise(GetParam());
  });
  if (GetParam() == SIGURG) {
    EXPECT_EQ(status, 0);
  } else {
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), GetParam());
  }
}

TEST_P(EachSignal, IsBlockedWhenTheProgramBlockedItAndFreeWhenNot) {
  sigset_t one;
  sigset_t old;
  sigset_t now;
  sigemptyset(&one);
  sigaddset(&one, GetParam());
  ASSERT_EQ(sigprocmask(SIG_BLOCK, &one, &old), 0);
  EXPECT_FALSE(sigismember(&old, GetParam()));
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &now), 0);
  EXPECT_TRUE(sigismember(&now, GetParam()));
  ASSERT_EQ(pthread_sigmask(SIG_UNBLOCK, &one, &now), 0);
  EXPECT_TRUE(sigismember(&now, GetParam()));
  ASSERT_EQ(sigprocmask(SIG_BLOCK, nullptr, &now), 0);
  EXPECT_FALSE(sigismember(&now, GetParam()));
}

TEST(SignalMask, OfEverythingComesBackAsItWasSet) {
  sigset_t all;
  sigset_t before;
  sigset_t now;
  sigfillset(&all);
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &all, &before), 0);
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &before, &now), 0);
  for (int signal = 1; signal < 65; ++signal) {
    const bool never = signal == SIGKILL || signal == SIGSTOP || signal == 32 || signal == 33;
    EXPECT_EQ(sigismember(&now, signal), never ? 0 : 1) << signal;
  }
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &now), 0);
  for (int signal = 1; signal < 65; ++signal) {
    EXPECT_EQ(sigismember(&now, signal), sigismember(&before, signal)) << signal;
  }
}

TEST(SignalMask, IsInheritedByThreads) {
  sigset_t one;
  sigset_t before;
  sigemptyset(&one);
  sigaddset(&one, SIGURG);
  sigaddset(&one, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &one, &before);
  sigset_t in_thread;
  std::thread([&] { pthread_sigmask(SIG_BLOCK, nullptr, &in_thread); }).join();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_TRUE(sigismember(&in_thread, SIGUSR1));
  EXPECT_TRUE(sigismember(&in_thread, SIGURG));
}

TEST(SignalMask, RefusesNonsenseAsEver) {
  sigset_t one;
  sigemptyset(&one);
  errno = 0;
  EXPECT_EQ(sigprocmask(4711, &one, nullptr), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(pthread_sigmask(4711, &one, nullptr), EINVAL);
}

TEST(Sigaction, RefusesNonsenseAsEver) {
  const struct sigaction mine = Action(Catch);
  errno = 0;
  EXPECT_EQ(sigaction(SIGKILL, &mine, nullptr), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(sigaction(4711, &mine, nullptr), -1);
  EXPECT_EQ(sigaction(SIGINT, nullptr, nullptr), 0);
}

TEST(Sigaction, LeavesOtherSignalsToTheProgram) {
  struct sigaction mine = {};
  mine.sa_sigaction = CatchInfo;
  mine.sa_flags = SA_SIGINFO;
  struct sigaction old = {};
  ASSERT_EQ(sigaction(SIGUSR1, &mine, &old), 0);
  raise(SIGUSR1);
  EXPECT_EQ(g_caught, SIGUSR1);
  sigaction(SIGUSR1, &old, nullptr);
}

/// Guards the second run: without the agent it would show nothing.
TEST(TheAgent, IsThereWhenItShouldBe) {
  std::ifstream status("/proc/self/status");
  std::string line;
  unsigned long caught = 0;
  while (std::getline(status, line)) {
    if (line.rfind("SigCgt:", 0) == 0) caught = std::stoul(line.substr(7), nullptr, 16);
  }
  EXPECT_EQ((caught >> (SIGTERM - 1) & 1) != 0, std::getenv("TEST_EXPECTS_AGENT") != nullptr);
}

}  // namespace
