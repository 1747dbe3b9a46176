#include "compat/papi/boundary/library_state.h"

#include <utility>
#include <vector>

#include "compat/papi/threads/thread_list.h"

namespace csink::papi {

constinit LibraryState g_library;

namespace {

// What the last PAPI_shutdown kept. Bounded: each PAPI_shutdown frees what the one before has kept.
std::vector<std::shared_ptr<void>>& All() noexcept {
  // Never destroyed: other threads may still read while the process exits.
  static auto* const all = new std::vector<std::shared_ptr<void>>;
  return *all;
}

}  // namespace

// OwnTid reads the thread's context, or asks the kernel where the thread has none yet.
LibraryLock::LibraryLock() noexcept : FutexHolding(TheLibrary().lock(), OwnTid()) {}

void Retire(std::shared_ptr<void> object) noexcept {
  if (object) All().push_back(std::move(object));
}

void FreeRetired() noexcept { All().clear(); }

}  // namespace csink::papi
