#include "symbolizer/report/data/wait_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/futex.h>

namespace csink::report {
namespace {

using spool::WaitKind;
using ::testing::Contains;

constexpr char kGlibc[] = "libc.so.6";
constexpr char kMusl[] = "ld-musl-x86_64.so.1";
constexpr std::uint64_t kObject = 0x4040;

WaitLock Word(std::uint64_t offset, std::uint32_t release = 2 << 16 | 36) {
  WaitLock lock;
  lock.address = kObject + offset;
  lock.kind = WaitKind::kFutex;
  lock.operation_plus_one = FUTEX_WAIT_BITSET + 1;
  lock.glibc = release;
  return lock;
}

std::uint64_t KnownObject(const WaitLock& lock, WaitKind kind, const char* function,
                          const char* module) {
  const WaitObject object = ObjectOf(lock, kind, function, module);
  EXPECT_TRUE(object.is_known) << function << " in " << module;
  EXPECT_THAT(PossibleObjects(lock), Contains(object.address));
  return object.address;
}

TEST(WaitObjects, BothWordsOfAConditionVariableAreOneObject) {
  for (const char* function : {"___pthread_cond_wait", "__pthread_cond_timedwait",
                               "__GI___pthread_cond_clockwait@@GLIBC_2.34"}) {
    for (const std::uint32_t release : {31u, 36u, 40u}) {
      for (const std::uint64_t offset : {40u, 44u}) {
        EXPECT_EQ(
            KnownObject(Word(offset, 2 << 16 | release), WaitKind::kCondition, function, kGlibc),
            kObject);
      }
    }
    for (const std::uint64_t offset : {32u, 36u}) {
      EXPECT_EQ(KnownObject(Word(offset, 2 << 16 | 41), WaitKind::kCondition, function, kGlibc),
                kObject);
    }
  }
}

TEST(WaitObjects, BothWordsAreOneObjectOfAnUnknownRelease) {
  for (const std::uint64_t offset : {40u, 44u}) {
    const WaitObject object =
        ObjectOf(Word(offset, 0), WaitKind::kCondition, "pthread_cond_wait", "libc.so.6");
    EXPECT_FALSE(object.is_known);
    EXPECT_EQ(object.address, kObject + 40);
  }
}

TEST(WaitObjects, OtherWordsOfAConditionVariableStayAsTheyAre) {
  // Its inner lock at offset 32, for which a waiter sleeps by FUTEX_WAIT.
  WaitLock inner = Word(32);
  inner.operation_plus_one = FUTEX_WAIT + 1;
  inner.expected = 2;
  EXPECT_EQ(ObjectOf(inner, WaitKind::kCondition, "pthread_cond_wait", kGlibc).address,
            inner.address);
  // A thread that destroys or signals sleeps for words of its own.
  for (const char* function : {"pthread_cond_destroy", "pthread_cond_signal"}) {
    const WaitObject object = ObjectOf(Word(36), WaitKind::kCondition, function, kGlibc);
    EXPECT_FALSE(object.is_known);
    EXPECT_EQ(object.address, kObject + 36);
  }
  // Up to glibc 2.33 a wait without a limit is a plain FUTEX_WAIT for 0.
  WaitLock plain = Word(44, 2 << 16 | 31);
  plain.operation_plus_one = FUTEX_WAIT + 1;
  EXPECT_EQ(KnownObject(plain, WaitKind::kCondition, "pthread_cond_wait", "libpthread-2.31.so"),
            kObject);
}

TEST(WaitObjects, WordsOfRwlocksAndBarriersAreTheirObjects) {
  WaitLock phase = Word(8);
  phase.expected = 3;
  EXPECT_EQ(KnownObject(phase, WaitKind::kReadLock, "___pthread_rwlock_rdlock", kGlibc), kObject);
  phase.expected = 2;
  EXPECT_EQ(KnownObject(phase, WaitKind::kWriteLock, "___pthread_rwlock_wrlock", kGlibc), kObject);
  WaitLock writers = Word(12);
  writers.expected = 3;
  EXPECT_EQ(KnownObject(writers, WaitKind::kWriteLock, "___pthread_rwlock_wrlock", kGlibc),
            kObject);
  WaitLock readers = Word(0);
  readers.expected = 8 | 4 | 1;
  EXPECT_EQ(KnownObject(readers, WaitKind::kReadLock, "___pthread_rwlock_rdlock", kGlibc), kObject);
  EXPECT_EQ(KnownObject(Word(4), WaitKind::kBarrier, "___pthread_barrier_wait", kGlibc), kObject);
  EXPECT_EQ(KnownObject(Word(0), WaitKind::kBarrier, "___pthread_barrier_wait", kGlibc), kObject);
  EXPECT_EQ(KnownObject(Word(0), WaitKind::kSemaphore, "__new_sem_wait", kGlibc), kObject);
}

TEST(WaitObjects, MuslHasOtherLayouts) {
  EXPECT_EQ(KnownObject(Word(4, 0), WaitKind::kMutex, "pthread_mutex_lock", kMusl), kObject);
  EXPECT_EQ(KnownObject(Word(0, 0), WaitKind::kReadLock, "pthread_rwlock_rdlock", kMusl), kObject);
  EXPECT_EQ(KnownObject(Word(8, 0), WaitKind::kCondition, "pthread_cond_wait", kMusl), kObject);
  // A word on the waiter's stack.
  EXPECT_TRUE(
      ObjectOf(Word(20, 0), WaitKind::kCondition, "pthread_cond_wait", kMusl).is_waiters_word);
}

TEST(WaitObjects, NothingIsGuessed) {
  // A function of this name in the program, and a word without a function.
  EXPECT_EQ(ObjectOf(Word(44), WaitKind::kCondition, "pthread_cond_wait", "server").address,
            kObject + 44);
  EXPECT_EQ(ObjectOf(Word(44), WaitKind::kFutex, "", "").address, kObject + 44);
  // The agent's own finding is the object already.
  WaitLock found = Word(4);
  found.kind = WaitKind::kMutex;
  EXPECT_EQ(ObjectOf(found, WaitKind::kMutex, "pthread_mutex_lock", kMusl).address, kObject + 4);
}

}  // namespace
}  // namespace csink::report
