#include "compat/papi/library.h"

#include <pthread.h>
#include <unistd.h>

#include <new>

#include "compat/papi/c_edge.h"
#include "compat/papi/calls.h"
#include "compat/papi/event_set.h"
#include "compat/papi/highlevel/region_recorder.h"
#include "compat/papi/machine_edge.h"
#include "compat/papi/retired.h"
#include "core/catalogue/native_catalogue.h"
#include "core/components/registry/component_registry.h"
#include "core/overflow/set_overflow.h"
#include "core/system/user_lock.h"

/// File: start and end of the library, and fork. PAPI_library_init opens nothing; it only makes the
/// other calls possible. PAPI_shutdown returns to the state before it, except that objects which
/// other threads may still read are kept until the next PAPI_shutdown (retired.h).

namespace csink::papi {

constinit LibraryPointer g_library;

Library& TheLibrary() noexcept {
  // Never destroyed: threads may end and handlers may run after static destructors. In static
  // storage, so that making it cannot fail.
  alignas(Library) static unsigned char storage[sizeof(Library)];
  static Library* const library = [] {
    g_library.now.store(new (storage) Library, std::memory_order_release);
    return g_library.now.load(std::memory_order_relaxed);
  }();
  return *library;
}

LibraryLock::LibraryLock() noexcept : FutexHolding(TheLibrary().lock(), OwnTid()) {}

// A second call in the same process only adds the level. In a forked child, whose pid differs, the
// library begins anew.
int Library::Initialize(int level) noexcept {
  const LibraryLock held;
  if (!held.held()) return kBusy;
  if (ready()) {
    if (pid_ == getpid()) {
      AddLevel(level);
      return PAPI_OK;
    }
    sets.Clear();  // a forked child begins anew
    generation_.fetch_add(1, std::memory_order_acq_rel);
    level_.store(PAPI_NOT_INITED, std::memory_order_release);
  }
  // The caller's context is made here, so that later calls of this thread cannot fail for its lack
  // and work in handlers.
  if (threads.Current() == nullptr) return PAPI_ENOMEM;
  // Once a process: handlers of pthread_atfork cannot be removed.
  if (!fork_watched_.exchange(true)) {
    pthread_atfork([] { TheLibrary().BeforeFork(); }, [] { TheLibrary().AfterForkInParent(); },
                   [] { TheLibrary().AfterForkInChild(); });
  }
  pid_ = getpid();
  AddLevel(level);
  return PAPI_OK;
}

// The order: first no new calls are accepted; then sets, which use components, definitions of
// presets and threads' contexts; then these. FreeRetired comes before sets.Clear and
// presets.Reset, which retire objects of this run.
void Library::ShutDown() noexcept {
  const LibraryLock held;
  if (!held.held() || !ready()) return;
  level_.store(PAPI_NOT_INITED, std::memory_order_release);
  FreeRetired();
  sets.Clear();
  generation_.fetch_add(1, std::memory_order_acq_rel);
  components.Reset();
  presets.Reset();
  threads.Clear();
  timer.Reset();
  SetDebugHandler(nullptr);
  SetDebugLevel(PAPI_QUIET);
}

void Library::ThreadLeaves(ThreadContext& context) noexcept {
  // Most threads have no running set when they end: the lock is not taken then.
  bool runs = false;
  for (const auto& running : context.running) runs |= running.load() != nullptr;
  if (!runs) return;
  const LibraryLock held;  // another thread may be stopping a set of this thread
  for (auto& running : context.running) {
    if (EventSet* set = running.exchange(nullptr)) set->LoseRunner();
  }
}

// In the lock order of library.h; released in reverse order in the parent and reset in the child.
void Library::BeforeFork() noexcept {
  over_fork_.BeforeFork(OwnTid());
  presets.BeforeFork();
  threads.BeforeFork();
}

void Library::AfterForkInParent() noexcept {
  threads.AfterForkInParent();
  presets.AfterForkInParent();
  over_fork_.AfterForkInParent();
}

// Locks first: holders in the parent do not exist here. SetOverflow::ProcessForked and
// ComponentRegistry::ForgetAfterFork must precede ForgetAfterFork of any set. The sets forget
// their runners before the threads free the contexts of the others.
void Library::AfterForkInChild() noexcept {
  UserLocksForked();
  over_fork_.AfterForkInChild();
  presets.AfterForkInChild();
  NativeCatalogue::Get().ResetAfterFork();
  SetOverflow::ProcessForked();
  ComponentRegistry::ForgetAfterFork();
  sets.ForEach([](EventSet& set) { set.ForgetAfterFork(); });
  threads.AfterForkInChild();
  RegionRecorder::ForgetAfterFork();
}

bool Initialized() noexcept { return TheLibrary().ready(); }

int InitializeLibrary(int version, int face) noexcept {
  return AtCEdge([&] {
    // Also revision and increment must be 0, as in PAPI: a newer interface has other structures.
    if (version != PAPI_VERSION_NUMBER(face / 10, face % 10, 0, 0)) {
      EventComplaint& complaint = Complaint();
      complaint.Clear();
      complaint.Add("the program was built for another version of PAPI than ");
      complaint.Signed(face / 10).Add('.').Signed(face % 10);
      return PAPI_EINVAL;
    }
    const int code = TheLibrary().Initialize();
    return code == PAPI_OK ? version : code;
  });
}

}  // namespace csink::papi

using csink::papi::TheLibrary;

int PAPI_is_initialized(void) { return TheLibrary().level(); }

void PAPI_shutdown(void) { TheLibrary().ShutDown(); }
