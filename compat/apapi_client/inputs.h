#pragma once

#include <string>
#include <vector>

#include "compat/apapi/include/apapi.h"
#include "compat/apapi_client/components.h"

namespace csink::apapi {

/// The user's own event list and event operations (APAPI_EVENTLIST, APAPI_EVENTOPS).
/// Owns:    what libapapi made of the files; event sets point into it, so it must outlive them.
class Inputs {
 public:
  Inputs() = default;
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;
  ~Inputs();

  /// False, with a line on stderr as `who`: a file that was named cannot be read or is malformed.
  bool Read(const char* who, const std::vector<Component>& components);

  /// The user's events of a component, NULL-terminated; nullptr: the default ones are wanted.
  char** EventsOf(const Component& component) const;
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

/// The event set of a component. nullptr, with a line on stderr: an event cannot be added, has no
/// operations, or there is none.
apapi_eventset* MakeEventSet(const char* who, const Component& component, const Inputs& inputs);

}  // namespace csink::apapi
