#include "compat/papi/lifecycle/lifecycle.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "compat/papi/boundary/debug.h"
#include "compat/papi/boundary/library_state.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/events/preset_events.h"
#include "compat/papi/sets/event_set_table.h"
#include "compat/papi/threads/thread_list.h"
#include "core/counting/catalogue/native_catalogue.h"
#include "core/counting/components/registry/component_registry.h"
#include "core/counting/overflow/set_overflow.h"
#include "core/counting/system/user_lock.h"
#include "core/machine/deadly_calls.h"

/// File: start and end of the library, and fork. PAPI_library_init opens nothing; it only makes the
/// other calls possible. PAPI_shutdown returns to the state before it, except that objects which
/// other threads may still read are kept until the next PAPI_shutdown (Retire in
/// boundary/library_state.h).

namespace csink::papi {
namespace {

std::atomic<bool> g_fork_watched{false};
/// The process that started the library. Under the library's lock.
pid_t g_pid = 0;

// The handlers of pthread_atfork. All locks are held during fork, so that the child finds
// consistent data. They are taken in the lock order of library_state.h; released in reverse order
// in the parent and reset in the child.
void BeforeFork() noexcept {
  TheLibrary().over_fork().BeforeFork(OwnTid());
  Presets().BeforeFork();
  Threads().BeforeFork();
}

void AfterForkInParent() noexcept {
  Threads().AfterForkInParent();
  Presets().AfterForkInParent();
  TheLibrary().over_fork().AfterForkInParent();
}

// Locks first: holders in the parent do not exist here. SetOverflow::ProcessForked and
// ComponentRegistry::ForgetAfterFork must precede ForgetAfterFork of any set. The sets forget
// their runners before the threads free the contexts of the others. The high level has a handler of
// its own (RegionRecorder::Get).
void AfterForkInChild() noexcept {
  UserLocksForked();
  TheLibrary().over_fork().AfterForkInChild();
  Presets().AfterForkInChild();
  NativeCatalogue::Get().ResetAfterFork();
  SetOverflow::ProcessForked();
  ComponentRegistry::ForgetAfterFork();
  Sets().ForEach([](EventSet& set) { set.ForgetAfterFork(); });
  // A thread that was in PAPI_shutdown does not exist here. Its sets stay unused.
  TheLibrary().ended_by.store(0);
  Threads().AfterForkInChild();
}

// Waits until no thread is in PAPI_shutdown: a start in its midst would lose its sets. False: this
// thread is itself in PAPI_shutdown, and a handler interrupted it.
bool AwaitEnd(const LibraryState& library) noexcept {
  const timespec step = {0, 100'000};
  while (const pid_t by = library.ended_by.load()) {
    if (by == OwnTid()) return false;
    nanosleep(&step, nullptr);
  }
  return true;
}

}  // namespace

// A second call in the same process only adds the level. In a forked child, whose pid differs, the
// library begins anew.
int StartUp(int level) noexcept {
  LibraryState& library = TheLibrary();
  if (!AwaitEnd(library)) return kBusy;
  const LibraryLock held;
  if (!held.held()) return kBusy;
  if (library.ready()) {
    if (g_pid == getpid()) {
      library.AddLevel(level);
      return PAPI_OK;
    }
    Sets().Clear();  // a forked child begins anew
    library.NextGeneration();
    library.ClearLevel();
  }
  // The caller's context is made here, so that later calls of this thread cannot fail for its lack
  // and work in handlers.
  if (Threads().Current() == nullptr) return PAPI_ENOMEM;
  Components().DisableByEnvironment();
  // Made here, so that a fork never makes it: making it allocates.
  Presets();
  // Once a process: handlers of pthread_atfork cannot be removed.
  if (!g_fork_watched.exchange(true)) {
    // Before the first event: a seccomp filter may kill for perf_event_open.
    FindDeadlyCalls();
    pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);
  }
  g_pid = getpid();
  library.AddLevel(level);
  return PAPI_OK;
}

// The order: first no new calls are accepted; then sets, which use components, definitions of
// presets and threads' contexts; then these. FreeRetired comes before Sets().Clear and
// Presets().Reset, which retire objects of this run.
void ShutDown() noexcept {
  LibraryState& library = TheLibrary();
  {
    const LibraryLock held;
    if (!held.held() || !library.ready()) return;
    library.ended_by.store(OwnTid());
    library.ClearLevel();
  }
  // Without the lock, which calls of other threads may need to come to their end.
  Threads().AwaitCalls();
  const LibraryLock held;
  FreeRetired();
  Sets().Clear();
  library.NextGeneration();
  Components().Reset();
  Presets().Reset();
  Threads().Clear();
  library.timer.Reset();
  SetDebugHandler(nullptr);
  SetDebugLevel(PAPI_QUIET);
  library.ended_by.store(0);
}

}  // namespace csink::papi
