#include <pthread.h>
#include <semaphore.h>

#include "agent/critical/hooks/hooks.h"

/// File: locks, conditions, barriers and semaphores of the GNU C library, whose words are read
/// here: their layout is fixed, because static initializers and programs contain it
/// (bits/struct_mutex.h, bits/thread-shared-types.h, bits/struct_rwlock.h; semaphores and barriers:
/// since 2.21 and 2.25, nptl/internaltypes.h).

namespace csink::agent::critical {
namespace {

using spool::MomentKind;

using MutexCall = int (*)(pthread_mutex_t*);
using MutexTimed = int (*)(pthread_mutex_t*, const timespec*);
using MutexClock = int (*)(pthread_mutex_t*, clockid_t, const timespec*);
using CondCall = int (*)(pthread_cond_t*);
using CondWait = int (*)(pthread_cond_t*, pthread_mutex_t*);
using CondTimed = int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*);
using CondClock = int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
using SemCall = int (*)(sem_t*);
using SemTimed = int (*)(sem_t*, const timespec*);
using SemClock = int (*)(sem_t*, clockid_t, const timespec*);
using RwCall = int (*)(pthread_rwlock_t*);

int FirstLock(pthread_mutex_t* mutex) noexcept;
int FirstUnlock(pthread_mutex_t* mutex) noexcept;

constinit Next<MutexCall> g_lock("pthread_mutex_lock", nullptr, FirstLock);
constinit Next<MutexCall> g_unlock("pthread_mutex_unlock", nullptr, FirstUnlock);
constinit Next<MutexTimed> g_timedlock("pthread_mutex_timedlock");
constinit Next<MutexClock> g_clocklock("pthread_mutex_clocklock");
constinit Next<CondWait> g_cond_wait("pthread_cond_wait", "GLIBC_2.3.2");
constinit Next<CondTimed> g_cond_timedwait("pthread_cond_timedwait", "GLIBC_2.3.2");
constinit Next<CondClock> g_cond_clockwait("pthread_cond_clockwait");
constinit Next<CondCall> g_cond_signal("pthread_cond_signal", "GLIBC_2.3.2");
constinit Next<CondCall> g_cond_broadcast("pthread_cond_broadcast", "GLIBC_2.3.2");
constinit Next<int (*)(pthread_barrier_t*)> g_barrier_wait("pthread_barrier_wait");
constinit Next<SemCall> g_sem_wait("sem_wait");
constinit Next<SemTimed> g_sem_timedwait("sem_timedwait");
constinit Next<SemClock> g_sem_clockwait("sem_clockwait");
constinit Next<SemCall> g_sem_post("sem_post");
constinit Next<RwCall> g_rdlock("pthread_rwlock_rdlock");
constinit Next<RwCall> g_wrlock("pthread_rwlock_wrlock");
constinit Next<RwCall> g_tryrdlock("pthread_rwlock_tryrdlock");
constinit Next<RwCall> g_trywrlock("pthread_rwlock_trywrlock");
constinit Next<RwCall> g_rwunlock("pthread_rwlock_unlock");

// Handlers may post semaphores, and fork handlers lock, where nothing may be looked up.
__attribute__((constructor)) void LookUp() noexcept {
  g_lock.Find();
  g_unlock.Find();
  g_timedlock.Find();
  g_clocklock.Find();
  g_cond_wait.Find();
  g_cond_timedwait.Find();
  g_cond_clockwait.Find();
  g_cond_signal.Find();
  g_cond_broadcast.Find();
  g_barrier_wait.Find();
  g_sem_wait.Find();
  g_sem_timedwait.Find();
  g_sem_clockwait.Find();
  g_sem_post.Find();
  g_rdlock.Find();
  g_wrlock.Find();
  g_tryrdlock.Find();
  g_trywrlock.Find();
  g_rwunlock.Find();
}

int FirstLock(pthread_mutex_t* mutex) noexcept { return g_lock.Find()(mutex); }
int FirstUnlock(pthread_mutex_t* mutex) noexcept { return g_unlock.Find()(mutex); }

// The low bits of the word of a mutex with a ceiling are as those of a usual one; the others hold
// the ceiling (PTHREAD_MUTEX_PRIO_CEILING_MASK).
constexpr std::uint32_t kWithoutCeiling = 0x7ffff;
// Robust mutexes and those with priority inheritance: the word has the owner's tid and, where
// threads wait, FUTEX_WAITERS.
constexpr int kOwnerInWord = 16 | 32;

std::uint32_t WordOf(const pthread_mutex_t* mutex) noexcept {
  return static_cast<std::uint32_t>(__atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED));
}
bool IsFree(const pthread_mutex_t* mutex) noexcept {
  const std::uint32_t word = WordOf(mutex);
  return word == 0 || (word & kWithoutCeiling) == 0;
}
bool HasWaiters(const pthread_mutex_t* mutex) noexcept {
  const std::uint32_t word = WordOf(mutex);
  if (CSINK_LIKELY(word <= 1)) return false;
  if (mutex->__data.__kind & kOwnerInWord) return (word >> 31) != 0;
  return (word & kWithoutCeiling) > 1;
}

template <class Call>
int WaitForMutex(pthread_mutex_t* mutex, Call&& call) {
  return Waiting({MomentKind::kMutexWait, AddressOf(mutex), 0}, call);
}

// Functions of their own, so that the hooks have no frame where nobody waits.
__attribute__((noinline)) int LockInTurn(pthread_mutex_t* mutex) noexcept {
  const auto real = g_lock.found();
  return WaitForMutex(mutex, [&] { return real(mutex); });
}
__attribute__((noinline)) int UnlockForOthers(pthread_mutex_t* mutex) noexcept {
  // Before the call: afterwards the mutex may not exist any more.
  if (HasWaiters(mutex)) PutPoint(MomentKind::kMutexUnlock, AddressOf(mutex));
  return g_unlock.found()(mutex);
}

// The wait unlocks the mutex first. Whether the wait was short does not matter: it needs a signal.
template <class Call>
int WaitForCondition(pthread_cond_t* condition, pthread_mutex_t* mutex, Call&& call) {
  if (HasWaiters(mutex)) PutPoint(MomentKind::kMutexUnlock, AddressOf(mutex));
  return Waiting({MomentKind::kConditionWait, AddressOf(condition), AddressOf(mutex)}, call);
}

// Bits of __wrefs above these flags are the number of waiters.
bool HasWaiters(const pthread_cond_t* condition) noexcept {
  return (__atomic_load_n(&condition->__data.__wrefs, __ATOMIC_RELAXED) >> 3) != 0;
}

// The value is in the low half of a word, the number of waiters in the high half.
std::uint64_t WordOf(const sem_t* semaphore) noexcept {
  return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(semaphore), __ATOMIC_RELAXED);
}
bool IsFree(const sem_t* semaphore) noexcept {
  return static_cast<std::uint32_t>(WordOf(semaphore)) != 0;
}

// nptl's struct pthread_barrier. The number of arrivals before the present round is a multiple of
// `count`; the last thread of a round changes it before it wakes the others.
struct Barrier {
  std::uint32_t in;
  std::uint32_t current_round;
  std::uint32_t count;
};

// A reader waits (PTHREAD_RWLOCK_RWAITING), or a thread sleeps on one of the futexes
// (PTHREAD_RWLOCK_FUTEX_USED).
bool HasWaiters(const pthread_rwlock_t* lock) noexcept {
  const auto& data = lock->__data;
  return ((__atomic_load_n(&data.__readers, __ATOMIC_RELAXED) & 4) |
          (__atomic_load_n(&data.__wrphase_futex, __ATOMIC_RELAXED) & 2) |
          (__atomic_load_n(&data.__writers_futex, __ATOMIC_RELAXED) & 2)) != 0;
}

}  // namespace
}  // namespace csink::agent::critical

using namespace csink::agent::critical;

extern "C" {

CSINK_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (!IsOn() || CSINK_LIKELY(WordOf(mutex) == 0) || IsFree(mutex)) return g_lock.found()(mutex);
  return LockInTurn(mutex);
}
CSINK_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  const auto real = g_timedlock.get();
  if (!IsOn() || IsFree(mutex)) return real(mutex, until);
  return WaitForMutex(mutex, [&] { return real(mutex, until); });
}
CSINK_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                         const timespec* until) noexcept {
  const auto real = g_clocklock.get();
  if (!IsOn() || IsFree(mutex)) return real(mutex, clock, until);
  return WaitForMutex(mutex, [&] { return real(mutex, clock, until); });
}
CSINK_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  if (!IsOn() || CSINK_LIKELY(WordOf(mutex) <= 1)) return g_unlock.found()(mutex);
  return UnlockForOthers(mutex);
}

CSINK_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  const auto real = g_cond_wait.get();
  if (!IsOn()) return real(condition, mutex);
  return WaitForCondition(condition, mutex, [&] { return real(condition, mutex); });
}
CSINK_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                        const timespec* until) {
  const auto real = g_cond_timedwait.get();
  if (!IsOn()) return real(condition, mutex, until);
  return WaitForCondition(condition, mutex, [&] { return real(condition, mutex, until); });
}
CSINK_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                        clockid_t clock, const timespec* until) {
  const auto real = g_cond_clockwait.get();
  if (!IsOn()) return real(condition, mutex, clock, until);
  return WaitForCondition(condition, mutex, [&] { return real(condition, mutex, clock, until); });
}
CSINK_EXPORT int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  const auto real = g_cond_signal.get();
  if (IsOn() && HasWaiters(condition)) {
    PutPoint(MomentKind::kConditionSignal, AddressOf(condition));
  }
  return real(condition);
}
CSINK_EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  const auto real = g_cond_broadcast.get();
  if (IsOn() && HasWaiters(condition)) {
    PutPoint(MomentKind::kConditionBroadcast, AddressOf(condition));
  }
  return real(condition);
}

// Also recorded for the last thread, which does not wait: the arrivals of a round are its wakers.
CSINK_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  const auto real = g_barrier_wait.get();
  const auto* inside = reinterpret_cast<const Barrier*>(barrier);
  if (!IsOn() || inside->count <= 1) return real(barrier);
  const std::uint64_t round =
      __atomic_load_n(&inside->current_round, __ATOMIC_RELAXED) / inside->count + 1;
  return Waiting(
      {MomentKind::kBarrierWait, AddressOf(barrier), round}, [&] { return real(barrier); }, 0);
}

CSINK_EXPORT int sem_wait(sem_t* semaphore) {
  const auto real = g_sem_wait.get();
  if (!IsOn() || IsFree(semaphore)) return real(semaphore);
  return Waiting({MomentKind::kSemaphoreWait, AddressOf(semaphore), 0},
                 [&] { return real(semaphore); });
}
CSINK_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  const auto real = g_sem_timedwait.get();
  if (!IsOn() || IsFree(semaphore)) return real(semaphore, until);
  return Waiting({MomentKind::kSemaphoreWait, AddressOf(semaphore), 0},
                 [&] { return real(semaphore, until); });
}
CSINK_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  const auto real = g_sem_clockwait.get();
  if (!IsOn() || IsFree(semaphore)) return real(semaphore, clock, until);
  return Waiting({MomentKind::kSemaphoreWait, AddressOf(semaphore), 0},
                 [&] { return real(semaphore, clock, until); });
}
CSINK_EXPORT int sem_post(sem_t* semaphore) noexcept {
  const auto real = g_sem_post.get();
  if (IsOn() && (WordOf(semaphore) >> 32) != 0) {
    PutPoint(MomentKind::kSemaphorePost, AddressOf(semaphore));
  }
  return real(semaphore);
}

// Neither is a point of cancellation, so that the try before the wait changes nothing.
CSINK_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  const auto real = g_rdlock.get();
  if (!IsOn()) return real(lock);
  if (g_tryrdlock.get()(lock) == 0) return 0;
  return Waiting({MomentKind::kReadWriteLockWait, AddressOf(lock), 0}, [&] { return real(lock); });
}
CSINK_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  const auto real = g_wrlock.get();
  if (!IsOn()) return real(lock);
  if (g_trywrlock.get()(lock) == 0) return 0;
  return Waiting({MomentKind::kReadWriteLockWait, AddressOf(lock), 0}, [&] { return real(lock); });
}
CSINK_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  const auto real = g_rwunlock.get();
  if (IsOn() && HasWaiters(lock)) PutPoint(MomentKind::kReadWriteUnlock, AddressOf(lock));
  return real(lock);
}

}  // extern "C"
