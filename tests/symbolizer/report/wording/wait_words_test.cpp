#include "symbolizer/report/wording/wait_words.h"

#include <elf.h>
#include <gtest/gtest.h>

namespace csink::report {
namespace {

using spool::DescriptorKind;
using spool::WaitKind;

TEST(WaitWords, NameThePrimitiveAndTheFile) {
  EXPECT_EQ(WaitWords(WaitKind::kMutex, DescriptorKind::kUnknown, "futex"), "mutex");
  EXPECT_EQ(WaitWords(WaitKind::kRead, DescriptorKind::kPipe, "read"), "read of a pipe");
  EXPECT_EQ(WaitWords(WaitKind::kWrite, DescriptorKind::kTerminal, "write"), "write to a terminal");
  EXPECT_EQ(WaitWords(WaitKind::kReceive, DescriptorKind::kNetworkSocket, "recvfrom"),
            "receive from a network socket");
  EXPECT_EQ(WaitWords(WaitKind::kRead, DescriptorKind::kUnknown, "read"), "read");
}

TEST(WaitWords, FallBackToTheSystemCall) {
  EXPECT_EQ(WaitWords(WaitKind::kOtherCall, DescriptorKind::kUnknown, "ioctl"), "ioctl");
  EXPECT_EQ(WaitWords(WaitKind::kUnknown, DescriptorKind::kUnknown, ""), "unknown");
}

TEST(WaitWords, NumbersOfSystemCallsDependOnTheMachine) {
  EXPECT_EQ(SystemCallName(EM_X86_64, 202), "futex");
  EXPECT_EQ(SystemCallName(EM_AARCH64, 98), "futex");
  EXPECT_EQ(SystemCallName(EM_X86_64, 0), "read");
  EXPECT_EQ(SystemCallName(EM_AARCH64, 63), "read");
  // posix_spawn waits in it until the child has executed its program.
  EXPECT_EQ(SystemCallName(EM_X86_64, 435), "clone3");
  EXPECT_EQ(SystemCallName(EM_X86_64, 4095), "system call 4095");
  EXPECT_EQ(SystemCallName(EM_X86_64, -1), "");
}

TEST(WaitWords, FunctionsTellWhatAFutexIs) {
  EXPECT_EQ(KindOfFunction("___pthread_cond_wait"), WaitKind::kCondition);
  EXPECT_EQ(KindOfFunction("__GI___pthread_mutex_lock"), WaitKind::kMutex);
  EXPECT_EQ(KindOfFunction("__new_sem_wait_slow64"), WaitKind::kSemaphore);
  EXPECT_EQ(KindOfFunction("pthread_barrier_wait"), WaitKind::kBarrier);
  EXPECT_EQ(KindOfFunction("__pthread_rwlock_wrlock"), WaitKind::kWriteLock);
  EXPECT_EQ(KindOfFunction("std::condition_variable::wait(std::unique_lock<std::mutex>&)"),
            WaitKind::kCondition);
  EXPECT_EQ(KindOfFunction("std::sys::sync::mutex::futex::Mutex::lock_contended"),
            WaitKind::kMutex);
  EXPECT_EQ(KindOfFunction("__futex_abstimed_wait_common"), WaitKind::kUnknown);
  EXPECT_EQ(KindOfFunction("semantics"), WaitKind::kUnknown);
}

TEST(WaitWords, FunctionsOfAStaticLibraryThatWaitAreKnownByTheirNames) {
  for (const char* name : {"__lll_lock_wait", "pthread_mutex_lock", "nanosleep", "clock_nanosleep",
                           "read", "__pthread_clockjoin_ex", "sleep", "_IO_file_underflow"}) {
    EXPECT_TRUE(IsWaitFunction(name)) << name;
  }
  for (const char* name : {"read_input", "main", "worker", "sleeper", "_start_work"}) {
    EXPECT_FALSE(IsWaitFunction(name)) << name;
  }
}

TEST(WaitWords, RuntimeModulesAreKnownByTheirBaseNames) {
  for (const char* name : {"libc.so.6", "libc-2.31.so", "libpthread.so.0", "ld-linux-x86-64.so.2",
                           "libstdc++.so.6.0.30", "[vdso]"}) {
    EXPECT_TRUE(IsRuntimeModule(name)) << name;
  }
  for (const char* name : {"server", "libcurl.so.4", "libc", "libpq.so.5", "ld"}) {
    EXPECT_FALSE(IsRuntimeModule(name)) << name;
  }
}

TEST(WaitWords, TemplatesOfTheStandardLibraryAreKnownByTheirNames) {
  EXPECT_TRUE(IsStandardFunction("std::mutex::lock()"));
  EXPECT_TRUE(
      IsStandardFunction("void std::this_thread::sleep_for<long, std::ratio<1l, 1000l> >(int)"));
  EXPECT_FALSE(IsStandardFunction("run(std::string const&)"));
  EXPECT_FALSE(IsStandardFunction("Pool::take(std::unique_lock<std::mutex>&)"));
}

}  // namespace
}  // namespace csink::report
