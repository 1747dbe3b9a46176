/// File: the calls that make event sets and fill them. They find the set by its handle without a
/// lock. Only making and destroying a set take the library's lock, because they change the table;
/// two threads that fill one set at the same time are the program's mistake (papi.h).

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/events/event_names.h"
#include "compat/papi/sets/event_set_table.h"
#include "compat/papi/threads/thread_list.h"

using csink::papi::AtCBoundaryOfSets;
using csink::papi::Complain;
using csink::papi::EventSet;
using csink::papi::kBusy;
using csink::papi::LibraryLock;
using csink::papi::Sets;

namespace {

/// Runs `body` on the set with this handle. PAPI_ENOINIT, PAPI_ENOEVST.
template <class F>
int WithSet(int handle, F body) noexcept {
  return AtCBoundaryOfSets([&]() -> int {
    EventSet* set = Sets().Find(handle);
    return set ? body(*set) : PAPI_ENOEVST;
  });
}

/// Calls each(i) for i = 0, 1, ... until one fails. Returns PAPI_OK if none failed; the number that
/// succeeded, as PAPI's man pages specify; or the error if the first one failed. A result > 0 is
/// not reported as a failure, although the message of the failed call stays.
template <class F>
int OneByOne(int number, F each) {
  for (int i = 0; i < number; ++i) {
    if (const int code = each(i); code != PAPI_OK) return i == 0 ? code : i;
  }
  return PAPI_OK;
}

}  // namespace

int PAPI_create_eventset(int* handle) {
  return AtCBoundaryOfSets([&]() -> int {
    if (handle == nullptr) return PAPI_EINVAL;
    // PAPI demands it: a variable that was not initialised, or whose set still exists, is found
    // here.
    if (*handle != PAPI_NULL) {
      return Complain(PAPI_EINVAL, "the handle must be PAPI_NULL before PAPI_create_eventset");
    }
    // The thread gets its context here, so that its later calls, also in handlers, need not
    // allocate it.
    if (csink::papi::Threads().Current() == nullptr) return PAPI_ENOMEM;
    const LibraryLock held;
    if (!held.held()) return kBusy;
    const EventSet* set = Sets().Create();
    if (set == nullptr) return PAPI_ENOMEM;
    *handle = set->handle();
    return PAPI_OK;
  });
}

int PAPI_destroy_eventset(int* handle) {
  return AtCBoundaryOfSets([&]() -> int {
    if (handle == nullptr) return PAPI_EINVAL;
    const LibraryLock held;
    if (!held.held()) return kBusy;
    EventSet* set = Sets().Find(*handle);
    if (set == nullptr) return PAPI_ENOEVST;
    // PAPI_shutdown stops and destroys such sets; this call refuses them.
    if (set->running()) return PAPI_EISRUN;
    if (!set->empty()) {
      return Complain(PAPI_EINVAL, "the event set is not empty; call PAPI_cleanup_eventset first");
    }
    Sets().Destroy(*set);
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
    // Before the look-up of the name, which may open libpfm4 and take milliseconds.
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
    // Stores as many as there is room for; *number is always the number of all events.
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
