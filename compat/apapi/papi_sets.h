#pragma once

#include <string>
#include <vector>

#include "compat/apapi/include/apapi.h"

namespace csink::apapi {

/// What PapiSet::Add does with an event that cannot be added.
enum class Absent {
  kError,    ///< Message on stderr and -1; with APAPI_SOFTFAIL the message alone
  kLeftOut,  ///< Left out; a message with APAPI_VERBOSE alone
};

/// A PAPI event set of one component while it is being filled.
/// Owns:    PAPI's set until Release.
/// Threads: one thread at a time.
class PapiSet {
 public:
  PapiSet() = default;
  ~PapiSet();
  PapiSet(const PapiSet&) = delete;
  PapiSet& operator=(const PapiSet&) = delete;

  /// Makes the set and assigns it to the component. PAPI_OK; the error of PAPI_create_eventset; -1:
  /// the component takes no set, with a message (with APAPI_SOFTFAIL: PAPI_OK).
  int Create(int component);
  /// Adds an event. Where the component has no counter left for it, the events of the set take
  /// turns from then on, with a message. If `name` contains '*': all events of the component that
  /// match, in PAPI's order, without those that the set has already. PAPI_OK or -1.
  int Add(const std::string& name, Absent absent);
  /// Adds all native events of the component. PAPI_OK or -1: the first event that cannot be added
  /// ends it (with APAPI_SOFTFAIL such events are left out).
  int AddAll();

  int handle() const noexcept { return handle_; }
  /// The names of the events in the set, in order, as Add was given them (or as PAPI spells them,
  /// for events that matched a pattern).
  const std::vector<std::string>& names() const noexcept { return names_; }
  /// Gives PAPI's handle to the caller, who destroys the set.
  int Release() noexcept;

 private:
  /// Add for a name without '*'.
  int AddOne(const std::string& name, Absent absent);

  /// Whether the set has the event, perhaps by another name: this is a conflict, too.
  bool Has(const std::string& name) const;
  /// Lets the events of the set take turns (PAPI_set_multiplex), if the component can do that.
  bool TakeTurns();

  bool multiplexed_ = false;
  int component_ = 0;
  int handle_ = PAPI_NULL;
  std::vector<std::string> names_;
};

/// The names of a component's native events, in PAPI's order.
std::vector<std::string> NativeEvents(int component);

}  // namespace csink::apapi
