#include "compat/papi/highlevel/private_set.h"

#include <utility>

#include "compat/papi/library.h"

namespace csink::papi {

PrivateSet::PrivateSet(PrivateSet&& other) noexcept
    : set_(std::exchange(other.set_, nullptr)),
      handle_(other.handle_),
      generation_(std::exchange(other.generation_, 0)) {}

// The generation tells a set of before PAPI_shutdown from one that got the same place afterwards.
bool PrivateSet::alive() const noexcept {
  const Library& library = TheLibrary();
  return generation_ == library.generation() && library.sets.Find(handle_) == set_;
}

int PrivateSet::Create() noexcept {
  Drop();
  const LibraryLock held;
  if (!held.held()) return kBusy;
  set_ = TheLibrary().sets.Create();
  if (set_ == nullptr) return PAPI_ENOMEM;
  handle_ = set_->handle();
  generation_ = TheLibrary().generation();
  return PAPI_OK;
}

void PrivateSet::Drop() noexcept {
  if (generation_ == 0) return;
  const LibraryLock held;
  if (held.held() && alive()) TheLibrary().sets.Destroy(*set_);
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
