#include "symbolizer/report/data/wait_objects.h"

#include <linux/futex.h>

/// File: layouts of glibc 2.25 to 2.42 and musl 1.1 to 1.2 on 64-bit machines. All of these objects
/// begin at multiples of eight, so that the word's own address tells which of two neighbours it is.
///
/// glibc, sysdeps/nptl/bits/thread-shared-types.h and struct_rwlock.h, nptl/internaltypes.h:
///   pthread_cond_t     __g_signals[2] at 40 and 44; since 2.41, and in updates of 2.34 to 2.40
///                      (spool::WaitObserver::glibc says which), at 32 and 36. Each group of
///                      waiters has one of them, and the groups alternate.
///   pthread_rwlock_t   __readers 0, __wrphase_futex 8, __writers_futex 12
///   pthread_barrier_t  in 0, current_round 4, out 16
///   pthread_mutex_t    __lock 0
///   sem_t              value 0
/// musl, src/internal/pthread_impl.h:
///   pthread_mutex_t    _m_lock 4; others wait at 0, except pthread_cond_t
///   (pthread_cond_timedwait.c)
///                      with a word on the waiter's stack, or at 8 where processes share it.

namespace csink::report {
namespace {

using spool::WaitKind;

constexpr std::uint64_t kSignals = 40;       // __g_signals[0]
constexpr std::uint64_t kLaterSignals = 32;  // since glibc 2.41
constexpr std::uint32_t kLaterRelease = 2 << 16 | 41;
// PTHREAD_RWLOCK_FUTEX_USED and the lowest bit are all that the words of phases contain; __readers
// has PTHREAD_RWLOCK_RWAITING where a thread waits for it.
constexpr std::uint32_t kMostPhase = 3;

enum class Library { kOther, kGlibc, kMusl };

Library LibraryOf(std::string_view module) {
  if (module.starts_with("ld-musl-") || module.starts_with("libc.musl-")) return Library::kMusl;
  for (const std::string_view name : {"libc.so.6", "libpthread.so.0"}) {
    if (module == name) return Library::kGlibc;
  }
  // Releases before 2.34.
  if (module.starts_with("libc-2.") || module.starts_with("libpthread-2.")) return Library::kGlibc;
  return Library::kOther;
}

/// "pthread_cond_wait" of "___pthread_cond_wait" and "__GI___pthread_cond_wait@@GLIBC_2.3.2".
std::string_view PublicName(std::string_view function) {
  if (function.starts_with("__GI_")) function.remove_prefix(5);
  while (function.starts_with('_')) function.remove_prefix(1);
  return function;
}

WaitObject Known(std::uint64_t address) { return {address, true, false}; }

WaitObject GlibcCondition(const WaitLock& lock, std::string_view function) {
  // Functions that signal or destroy have waits of their own, for other words of the object.
  const std::string_view name = PublicName(function);
  const bool waits = name.starts_with("pthread_cond_wait") ||
                     name.starts_with("pthread_cond_timedwait") ||
                     name.starts_with("pthread_cond_clockwait");
  // A waiter that takes the object's inner lock sleeps by a plain FUTEX_WAIT, with a value that is
  // not 0. Up to 2.40 waiters for a signal sleep with 0, later ones by FUTEX_WAIT_BITSET.
  const bool for_signal = lock.operation_plus_one == FUTEX_WAIT_BITSET + 1 ||
                          (lock.operation_plus_one == FUTEX_WAIT + 1 && lock.expected == 0);
  if (!waits || !for_signal) return {lock.address};
  const std::uint64_t pair = lock.address & ~std::uint64_t{7};
  if (lock.glibc == 0) return {pair};
  return Known(pair - (lock.glibc < kLaterRelease ? kSignals : kLaterSignals));
}

WaitObject GlibcObject(const WaitLock& lock, WaitKind kind, std::string_view function) {
  const bool is_odd = lock.address % 8 != 0;
  switch (kind) {
    case WaitKind::kCondition:
      return GlibcCondition(lock, function);
    case WaitKind::kReadLock:
    case WaitKind::kWriteLock:
      if (is_odd) return Known(lock.address - 12);
      if (lock.operation_plus_one == 0) return {lock.address};
      return Known(lock.expected <= kMostPhase ? lock.address - 8 : lock.address);
    case WaitKind::kBarrier:
      return Known(is_odd ? lock.address - 4 : lock.address);
    default:
      return Known(lock.address);
  }
}

WaitObject MuslObject(const WaitLock& lock, WaitKind kind) {
  const bool is_odd = lock.address % 8 != 0;
  switch (kind) {
    case WaitKind::kMutex:
      return is_odd ? Known(lock.address - 4) : WaitObject{lock.address};
    case WaitKind::kCondition:
      return is_odd ? WaitObject{lock.address, false, true} : Known(lock.address - 8);
    case WaitKind::kBarrier:
      return {lock.address};
    default:
      return Known(lock.address);
  }
}

}  // namespace

WaitObject ObjectOf(const WaitLock& lock, WaitKind kind, std::string_view function,
                    std::string_view module) {
  // The agent has found the object already.
  if (lock.kind != WaitKind::kFutex) return Known(lock.address);
  if (function.empty()) return {lock.address};
  switch (LibraryOf(module)) {
    case Library::kGlibc:
      return GlibcObject(lock, kind, function);
    case Library::kMusl:
      return MuslObject(lock, kind);
    case Library::kOther:
      break;
  }
  return {lock.address};
}

std::vector<std::uint64_t> PossibleObjects(const WaitLock& lock) {
  if (lock.kind != WaitKind::kFutex) return {lock.address};
  const std::uint64_t pair = lock.address & ~std::uint64_t{7};
  return {lock.address, lock.address - 4,    lock.address - 8, lock.address - 12, pair - kSignals,
          pair,         pair - kLaterSignals};
}

}  // namespace csink::report
