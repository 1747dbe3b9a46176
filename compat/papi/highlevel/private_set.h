#pragma once

#include "compat/papi/event_set.h"

namespace csink::papi {

/// An event set that the library keeps for itself. It stands in the library's table with a handle
/// as any other, so that PAPI_shutdown and fork treat it as the program's own sets.
///
/// Owns:    its place in the table, until PAPI_shutdown takes all places back.
/// Threads: one at a time. Signals: not safe.
class PrivateSet {
 public:
  PrivateSet() noexcept = default;
  ~PrivateSet() { Drop(); }
  PrivateSet(PrivateSet&& other) noexcept;
  PrivateSet& operator=(PrivateSet&&) = delete;

  /// A new, empty set. PAPI_ENOMEM, PAPI_EMISC (from a handler that interrupted the library).
  int Create() noexcept;
  /// Stops and destroys it.
  void Drop() noexcept;

  /// While it is stopped and rests, the program may define its events anew: it knows nothing of
  /// the set. Running, nothing changes.
  void Rest() noexcept;
  /// Before the next start. False: an event means something else by now, the set must be filled
  /// anew.
  bool Wake() noexcept;

  /// False once PAPI_shutdown has taken it, or the program has destroyed a handle not its own.
  bool alive() const noexcept;
  /// Only while alive. The memory stays for the life of the process.
  EventSet* operator->() const noexcept { return set_; }
  EventSet& operator*() const noexcept { return *set_; }

 private:
  EventSet* set_ = nullptr;
  int handle_ = -1;
  unsigned generation_ = 0;  ///< Of the library when it was made; 0: none
};

}  // namespace csink::papi
