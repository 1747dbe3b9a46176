#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>

#include "compat/papi/include/papi.h"
#include "core/util/cache_line.h"
#include "core/util/futex_lock.h"

namespace csink::papi {

/// What every call of the library asks first: whether the library is started, its lock, and the
/// defaults that belong to no part. lifecycle/lifecycle.h changes the state.
///
/// One object (TheLibrary()), initialised at compile time and never destroyed: a call in a handler
/// needs no guard of a function static, and threads may end after static destructors.
/// Lock order: lock(), then the lock of the presets, then that of the threads.
/// Threads: any.
/// Signals: ready, level, AddLevel and generation are safe.
class alignas(kCacheLineBytes) LibraryState {
 public:
  /// True between PAPI_library_init and PAPI_shutdown.
  bool ready() const noexcept { return level() != PAPI_NOT_INITED; }
  /// Bits of PAPI_is_initialized: PAPI_LOW_LEVEL_INITED and others.
  int level() const noexcept { return level_.load(std::memory_order_seq_cst); }
  /// Adds bits to level(). Only ClearLevel removes bits.
  void AddLevel(int level) noexcept { level_.fetch_or(level, std::memory_order_acq_rel); }
  /// PAPI_shutdown, and a child that begins anew: from now on the library is not started. In one
  /// order with LibraryCall: PAPI_shutdown sees the call, or the call sees the end.
  void ClearLevel() noexcept { level_.store(PAPI_NOT_INITED, std::memory_order_seq_cst); }

  /// The thread that is in PAPI_shutdown, between ClearLevel and the end of the call; 0: none.
  std::atomic<pid_t> ended_by{0};

  /// A number that changes whenever all event sets are destroyed: by PAPI_shutdown and in a child
  /// that begins anew. Never 0.
  unsigned generation() const noexcept { return generation_.load(std::memory_order_acquire); }
  void NextGeneration() noexcept { generation_.fetch_add(1, std::memory_order_acq_rel); }

  /// The values of PAPI_DEF_MPX_NS and PAPI_DEF_ITIMER. Only the interval is used: it is the time
  /// slice of forced software multiplexing. The defaults are PAPI's: 10 ms, ITIMER_PROF, SIGPROF.
  struct Timer {
    std::atomic<int> number{2};   ///< ITIMER_PROF
    std::atomic<int> signal{27};  ///< SIGPROF
    std::atomic<int> interval_ns{10'000'000};

    void Reset() noexcept {
      number.store(2);
      signal.store(27);
      interval_ns.store(10'000'000);
    }
  };
  Timer timer;

  /// Protects the event sets' table, the descriptions of components and the change of level(). Take
  /// it with LibraryLock.
  FutexLock& lock() noexcept { return lock_; }
  /// Called by the library's handlers of pthread_atfork: the lock is held during fork.
  ForkHolding& over_fork() noexcept { return over_fork_; }

 private:
  FutexLock lock_;
  ForkHolding over_fork_{lock_};
  std::atomic<int> level_{PAPI_NOT_INITED};
  std::atomic<unsigned> generation_{1};
};

/// The state of the library in this process. Signals: safe.
extern constinit LibraryState g_library [[gnu::visibility("hidden")]];
inline LibraryState& TheLibrary() noexcept { return g_library; }

/// Holds the library's lock for a scope. If a handler interrupted the holder on the same thread,
/// the lock is not taken: `held()` is false and the call must fail with kBusy instead of waiting
/// for the code that it interrupted.
class LibraryLock : public FutexHolding {
 public:
  LibraryLock() noexcept;
};

/// The result of a call in a signal handler that interrupted the library itself: PAPI has no code
/// for it, so PAPI_EMISC.
inline constexpr int kBusy = PAPI_EMISC;

/// Objects that PAPI_shutdown removes while other threads may still read them. Readers take no
/// lock, so the end of the last read is not known. Such objects stay in memory until the next
/// PAPI_shutdown; no call lasts from one shutdown to the next.
/// Owns:    the objects, of any type, until FreeRetired.
/// Threads: under the library's lock. Signals: not safe.

/// Keeps `object`; a unique_ptr converts to the argument. nullptr: does nothing.
void Retire(std::shared_ptr<void> object) noexcept;

/// Frees what earlier shutdowns have kept. PAPI_shutdown calls it before it retires anything
/// itself.
void FreeRetired() noexcept;

}  // namespace csink::papi
