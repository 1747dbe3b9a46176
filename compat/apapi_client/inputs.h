#pragma once

#include <string>
#include <vector>

#include "compat/apapi/include/apapi.h"
#include "compat/apapi_client/components.h"

namespace csink::apapi {

/// The user's event list and event operations (files APAPI_EVENTLIST and APAPI_EVENTOPS).
/// Owns:    what libapapi read from the files. Event sets point into it: destroy them first.
class Inputs {
 public:
  Inputs() = default;
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;
  ~Inputs();

  /// Reads both files, where the variables are set. Call once. False, with a line on stderr that
  /// begins with `who`: a file cannot be read or is malformed.
  bool Read(const char* who, const std::vector<Component>& components);

  /// The user's events of a component, NULL-terminated; nullptr: the user named none, use the
  /// defaults.
  char** EventsOf(const Component& component) const;
  /// The user's operations; nullptr: none.
  apapi_event_ops* ops() const noexcept { return ops_; }

 private:
  std::vector<std::string> names_;
  std::vector<char*> name_list_;
  char* list_text_ = nullptr;
  char*** events_ = nullptr;
  char** used_components_ = nullptr;
  char* ops_text_ = nullptr;
  apapi_event_ops* ops_ = nullptr;
};

/// Makes the event set of a component with the user's events, or else with the default ones; the
/// caller destroys it, before `inputs`. nullptr, with a line on stderr: an event cannot be added,
/// an event has no operations, or the set would be empty.
apapi_eventset* MakeEventSet(const char* who, const Component& component, const Inputs& inputs);

}  // namespace csink::apapi
