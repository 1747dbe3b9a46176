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

/// Everything that the library knows, in one object. It costs nothing until it is used: components
/// are probed, libpfm4 is opened and preset files are read when the first call needs them.
///
/// A forked child keeps its event sets, stopped and with their events; counters and mappings, which
/// count the parent, are dropped and opened anew at the next start. PAPI_library_init in the child
/// begins from nothing, as PAPI's does.
///
/// Lock order: lock(), then that of the presets, then the threads' own.
/// Threads: any. Signals: ready, sets.Find and threads.Current (of a thread with a context).
class Library {
 public:
  bool ready() const noexcept { return level_.load(std::memory_order_acquire) != PAPI_NOT_INITED; }
  /// PAPI_LOW_LEVEL_INITED and so on.
  int level() const noexcept { return level_.load(std::memory_order_acquire); }
  void AddLevel(int level) noexcept { level_.fetch_or(level, std::memory_order_acq_rel); }

  /// `level`: what PAPI_is_initialized says of it, besides what it said before. PAPI_OK, or
  /// PAPI_ENOMEM.
  int Initialize(int level = PAPI_LOW_LEVEL_INITED) noexcept;
  void ShutDown() noexcept;
  /// Changes whenever all event sets have gone: by ShutDown, and in a child that begins anew.
  unsigned generation() const noexcept { return generation_.load(std::memory_order_acquire); }
  /// `context`'s thread ends or leaves: its sets stay, without a runner.
  void ThreadLeaves(ThreadContext& context) noexcept;

  ComponentTable components;
  PresetEvents presets;
  EventSetTable sets;
  ThreadList threads;

  /// PAPI_DEF_MPX_NS and PAPI_DEF_ITIMER: what programs set and ask; our timers need none of it
  /// but the interval, which is the slice of forced software multiplexing.
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

  void BeforeFork() noexcept;
  void AfterForkInParent() noexcept;
  void AfterForkInChild() noexcept;

  FutexLock& lock() noexcept { return lock_; }

 private:
  FutexLock lock_;
  std::atomic<int> level_{PAPI_NOT_INITED};
  std::atomic<unsigned> generation_{1};
  std::atomic<bool> fork_watched_{false};
  pid_t pid_ = 0;  ///< Of the process that initialised it
};

Library& TheLibrary() noexcept;
/// The same where somebody has called it before; else nullptr. On a line of its own: every
/// PAPI_read of every thread looks at it.
struct alignas(kCacheLineBytes) LibraryPointer {
  std::atomic<Library*> now{nullptr};
};
extern constinit LibraryPointer g_library [[gnu::visibility("hidden")]];

/// Holds the library's lock. A handler that interrupted a holder on its own thread cannot have it:
/// then `held()` is false and the call must fail with kBusy.
class LibraryLock : public FutexHolding {
 public:
  LibraryLock() noexcept;
};

/// The answer to a call from a signal handler that interrupted the library itself.
inline constexpr int kBusy = PAPI_EMISC;

}  // namespace csink::papi
