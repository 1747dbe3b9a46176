/// File: the calls that make event sets and fill them.

#include "compat/papi/c_edge.h"
#include "compat/papi/event_names.h"
#include "compat/papi/event_set.h"
#include "compat/papi/library.h"

using csink::papi::AtCEdgeOfLibrary;
using csink::papi::Complain;
using csink::papi::EventSet;
using csink::papi::kBusy;
using csink::papi::LibraryLock;
using csink::papi::TheLibrary;

namespace {

template <class F>
int WithSet(int handle, F body) noexcept {
  return AtCEdgeOfLibrary([&]() -> int {
    EventSet* set = TheLibrary().sets.Find(handle);
    return set ? body(*set) : PAPI_ENOEVST;
  });
}

/// One after the other until one fails: then the number that went well, or, when that is none, why.
template <class F>
int OneByOne(int number, F each) {
  for (int i = 0; i < number; ++i) {
    if (const int code = each(i); code != PAPI_OK) return i == 0 ? code : i;
  }
  return PAPI_OK;
}

}  // namespace

int PAPI_create_eventset(int* handle) {
  return AtCEdgeOfLibrary([&]() -> int {
    if (handle == nullptr) return PAPI_EINVAL;
    if (*handle != PAPI_NULL) {
      return Complain(PAPI_EINVAL, "the handle must be PAPI_NULL before PAPI_create_eventset");
    }
    if (TheLibrary().threads.Current() == nullptr) return PAPI_ENOMEM;
    const LibraryLock held;
    if (!held.held()) return kBusy;
    const EventSet* set = TheLibrary().sets.Create();
    if (set == nullptr) return PAPI_ENOMEM;
    *handle = set->handle();
    return PAPI_OK;
  });
}

int PAPI_destroy_eventset(int* handle) {
  return AtCEdgeOfLibrary([&]() -> int {
    if (handle == nullptr) return PAPI_EINVAL;
    const LibraryLock held;
    if (!held.held()) return kBusy;
    EventSet* set = TheLibrary().sets.Find(*handle);
    if (set == nullptr) return PAPI_ENOEVST;
    if (set->running()) return PAPI_EISRUN;
    if (!set->empty()) {
      return Complain(PAPI_EINVAL, "the event set is not empty; call PAPI_cleanup_eventset first");
    }
    TheLibrary().sets.Destroy(*set);
    *handle = PAPI_NULL;
    return PAPI_OK;
  });
}

int PAPI_cleanup_eventset(int handle) {
  return WithSet(handle, [](EventSet& set) { return set.Cleanup(); });
}

int PAPI_add_event(int handle, int Event) {
  return WithSet(handle, [&](EventSet& set) { return set.Add(Event); });
}

int PAPI_add_events(int handle, int* Events, int number) {
  return WithSet(handle, [&](EventSet& set) {
    if (Events == nullptr || number <= 0) return PAPI_EINVAL;
    return OneByOne(number, [&](int i) { return set.Add(Events[i]); });
  });
}

int PAPI_add_named_event(int handle, const char* EventName) {
  return WithSet(handle, [&](EventSet& set) -> int {
    if (EventName == nullptr) return PAPI_EINVAL;
    if (set.running()) return PAPI_EISRUN;
    int code = 0;
    const int found = csink::papi::CodeOfName(EventName, &code);
    return found == PAPI_OK ? set.Add(code) : found;
  });
}

int PAPI_remove_event(int handle, int EventCode) {
  return WithSet(handle, [&](EventSet& set) { return set.Remove(EventCode); });
}

int PAPI_remove_events(int handle, int* Events, int number) {
  return WithSet(handle, [&](EventSet& set) {
    if (Events == nullptr || number <= 0) return PAPI_EINVAL;
    return OneByOne(number, [&](int i) { return set.Remove(Events[i]); });
  });
}

int PAPI_remove_named_event(int handle, const char* EventName) {
  return WithSet(handle, [&](EventSet& set) -> int {
    if (EventName == nullptr) return PAPI_EINVAL;
    if (set.running()) return PAPI_EISRUN;
    int code = 0;
    const int found = csink::papi::CodeOfName(EventName, &code);
    return found == PAPI_OK ? set.Remove(code) : found;
  });
}

int PAPI_num_events(int handle) {
  return WithSet(handle, [](EventSet& set) { return static_cast<int>(set.events().size()); });
}

int PAPI_list_events(int handle, int* Events, int* number) {
  return WithSet(handle, [&](EventSet& set) -> int {
    if (number == nullptr || *number < 0 || (*number > 0 && Events == nullptr)) return PAPI_EINVAL;
    const auto events = set.events();
    const std::size_t room = static_cast<std::size_t>(*number);
    for (std::size_t i = 0; i < events.size() && i < room; ++i) Events[i] = events[i].code;
    *number = static_cast<int>(events.size());
    return PAPI_OK;
  });
}

int PAPI_state(int handle, int* status) {
  return WithSet(handle, [&](EventSet& set) -> int {
    if (status == nullptr) return PAPI_EINVAL;
    *status = set.State();
    return PAPI_OK;
  });
}
