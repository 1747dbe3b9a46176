#include "compat/papi/highlevel/private_set.h"

#include <utility>

#include "compat/papi/boundary/library_state.h"
#include "compat/papi/sets/event_set_table.h"

namespace csink::papi {

PrivateSet::PrivateSet(PrivateSet&& other) noexcept
    : set_(std::exchange(other.set_, nullptr)),
      handle_(other.handle_),
      generation_(std::exchange(other.generation_, 0)) {}

// The generation tells a set of before PAPI_shutdown from one that got the same place afterwards.
bool PrivateSet::alive() const noexcept {
  return generation_ == TheLibrary().generation() && Sets().Find(handle_) == set_;
}

// Not through PAPI_create_eventset, which is an entry point and would clear the message of the call
// that needs the set.
int PrivateSet::Create() noexcept {
  Drop();
  const LibraryLock held;
  if (!held.held()) return kBusy;
  set_ = Sets().Create();
  if (set_ == nullptr) return PAPI_ENOMEM;
  handle_ = set_->handle();
  generation_ = TheLibrary().generation();
  return PAPI_OK;
}

void PrivateSet::Drop() noexcept {
  if (generation_ == 0) return;
  const LibraryLock held;
  if (held.held() && alive()) Sets().Destroy(*set_);
  generation_ = 0;
}

// A running set keeps its definitions: its formulas are evaluated at every read.
void PrivateSet::Suspend() noexcept {
  if (alive() && !set_->running()) set_->HoldDefinitions(false);
}

bool PrivateSet::Resume() noexcept {
  set_->HoldDefinitions(true);  // before the check: held definitions cannot be changed
  return set_->IsCurrent();
}

}  // namespace csink::papi
