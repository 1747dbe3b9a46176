#pragma once

#include <sys/types.h>

#include <atomic>

#include "compat/papi/component_table.h"
#include "compat/papi/event_set_table.h"
#include "compat/papi/include/papi.h"
#include "compat/papi/preset_events.h"
#include "compat/papi/threads.h"
#include "core/util/cache_line.h"
#include "core/util/futex_lock.h"

namespace csink::papi {

/// All state of the library in one object. Making it costs nothing: components are probed, libpfm4
/// is opened and preset files are read by the first call that needs them.
///
/// A forked child keeps its event sets, stopped and with their events. Counters and mappings count
/// the parent, so they are dropped and opened anew at the next start. PAPI_library_init in the
/// child clears everything, as PAPI's does.
///
/// Lock order: lock(), then the lock of the presets, then those of the threads.
/// Threads: any.
/// Signals: safe are ready, level, generation, sets.Find and threads.Current (in a thread with a
///          context).
class Library {
 public:
  /// True between PAPI_library_init and PAPI_shutdown.
  bool ready() const noexcept { return level_.load(std::memory_order_acquire) != PAPI_NOT_INITED; }
  /// Bits of PAPI_is_initialized: PAPI_LOW_LEVEL_INITED and others.
  int level() const noexcept { return level_.load(std::memory_order_acquire); }
  /// Adds bits to level(). Only ShutDown and a child that begins anew remove bits.
  void AddLevel(int level) noexcept { level_.fetch_or(level, std::memory_order_acq_rel); }

  /// Starts the library. `level` is added to the bits of PAPI_is_initialized. PAPI_OK; PAPI_ENOMEM;
  /// PAPI_EMISC: called in a handler that interrupted the library.
  int Initialize(int level = PAPI_LOW_LEVEL_INITED) noexcept;
  /// PAPI_shutdown: destroys all sets and restores all defaults. Does nothing in a handler that
  /// interrupted the library.
  void ShutDown() noexcept;
  /// A number that changes whenever all event sets are destroyed: by ShutDown and in a child that
  /// begins anew. Never 0.
  unsigned generation() const noexcept { return generation_.load(std::memory_order_acquire); }
  /// Called when the thread of `context` ends or is unregistered: its running sets stay running,
  /// without a thread. Another thread may still read and stop them. The caller must not hold the
  /// lock of the threads.
  void ThreadLeaves(ThreadContext& context) noexcept;

  ComponentTable components;
  PresetEvents presets;
  EventSetTable sets;
  ThreadList threads;

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

  /// Handlers of pthread_atfork. The locks are held during fork, so that the child finds consistent
  /// data.
  void BeforeFork() noexcept;
  void AfterForkInParent() noexcept;
  void AfterForkInChild() noexcept;

  /// Protects the event sets' table, the descriptions of components and the change of level(). Take
  /// it with LibraryLock.
  FutexLock& lock() noexcept { return lock_; }

 private:
  FutexLock lock_;
  ForkHolding over_fork_{lock_};
  std::atomic<int> level_{PAPI_NOT_INITED};
  std::atomic<unsigned> generation_{1};
  std::atomic<bool> fork_watched_{false};
  pid_t pid_ = 0;  ///< The process that initialised the library
};

/// The library object; made by the first call.
Library& TheLibrary() noexcept;
/// TheLibrary() if it was called before, else nullptr; a read needs no guard of a function static.
/// In a cache line of its own, because every PAPI_read of every thread reads it.
struct alignas(kCacheLineBytes) LibraryPointer {
  std::atomic<Library*> now{nullptr};
};
extern constinit LibraryPointer g_library [[gnu::visibility("hidden")]];

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

}  // namespace csink::papi
