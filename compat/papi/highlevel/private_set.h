#pragma once

#include "compat/papi/sets/event_set.h"

namespace csink::papi {

/// An event set that the library keeps for itself. It is in the library's table with a handle like
/// any other set, so that PAPI_shutdown and fork treat it like the program's sets.
/// Owns:    its place in the table, until PAPI_shutdown frees all places.
/// Threads: one at a time. Signals: not safe.
class PrivateSet {
 public:
  PrivateSet() noexcept = default;
  ~PrivateSet() { Drop(); }
  PrivateSet(PrivateSet&& other) noexcept;
  PrivateSet& operator=(PrivateSet&&) = delete;

  /// Makes a new, empty set; an older one is dropped. PAPI_ENOMEM (no memory, or the table is
  /// full); PAPI_EMISC: called in a handler that interrupted the library.
  int Create() noexcept;
  /// Stops and destroys the set. In a handler that interrupted the library the set stays in the
  /// table until PAPI_shutdown.
  void Drop() noexcept;

  /// Releases the definitions of the set's events: while the set is stopped, the program may
  /// redefine its presets, because it does not know this set. No effect while it runs.
  void Suspend() noexcept;
  /// Call it before the next start: holds the definitions again. False: an event was redefined; the
  /// set must be filled anew.
  bool Resume() noexcept;

  /// False after PAPI_shutdown, or if the program destroyed the handle, which is not its own.
  bool alive() const noexcept;
  /// Valid only while alive() is true. The memory itself is never freed.
  EventSet* operator->() const noexcept { return set_; }
  EventSet& operator*() const noexcept { return *set_; }

 private:
  EventSet* set_ = nullptr;
  int handle_ = -1;
  unsigned generation_ = 0;  ///< LibraryState::generation() when the set was made; 0: no set
};

}  // namespace csink::papi
