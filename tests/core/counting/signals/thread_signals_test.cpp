#include "core/counting/signals/thread_signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace csink {
namespace {

TEST(PendingSignals, ShowsWhatIsBlockedAndSent) {
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGTRAP);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  const std::uint64_t bit = std::uint64_t{1} << (SIGTRAP - 1);
  EXPECT_EQ(*PendingSignals(gettid()) & bit, 0u);
  raise(SIGTRAP);
  EXPECT_EQ(*PendingSignals(gettid()) & bit, bit);
  const timespec now = {};
  EXPECT_EQ(sigtimedwait(&set, nullptr, &now), SIGTRAP);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

TEST(PendingSignals, SaysWhenThereIsNoSuchThread) {
  EXPECT_EQ(PendingSignals(1 << 22).error().sys_errno, ENOENT);
}

}  // namespace
}  // namespace csink
