/// File: functions for overflow and for profiling by overflows.

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/profiling/set_profiler.h"
#include "compat/papi/sets/event_set_table.h"
#include "compat/papi/threads/thread_list.h"

using csink::papi::AtCBoundaryOfSets;
using csink::papi::Complain;
using csink::papi::EventSet;
using csink::papi::Profil;
using csink::papi::Sets;

namespace {

/// The handler runs on the thread that is counted, so the set must count the thread that starts it.
bool CountsItsStarter(const EventSet& set) {
  const csink::papi::SetOptions& options = set.options();
  return options.CountsCaller() || options.attached_tid == csink::papi::OwnTid();
}

/// The indices of the events whose counters are in the vector, in the order of the bits. Several
/// events may use one counter, and a derived event several. Stops when the array is full; *number
/// becomes the number stored.
int MapVector(const EventSet& set, unsigned long long vector, int* array, int* number) {
  const int room = *number;
  int found = 0;
  for (int bit = 0; vector != 0 && found < room; ++bit, vector >>= 1) {
    if ((vector & 1) == 0) continue;
    const auto events = set.events();
    for (std::size_t i = 0; i < events.size() && found < room; ++i) {
      bool uses = false;
      for (std::size_t c = 0; c < events[i].count; ++c) uses |= events[i].counters[c] == bit;
      if (uses) array[found++] = static_cast<int>(i);
    }
  }
  *number = found;
  return PAPI_OK;
}

}  // namespace

/// The arguments are checked before the event is looked up: a wrong flag is PAPI_EINVAL also for an
/// event that is not in the set.
int PAPI_overflow(int handle, int EventCode, int threshold, int flags,
                  PAPI_overflow_handler_t handler) {
  return AtCBoundaryOfSets([&]() -> int {
    EventSet* set = Sets().Find(handle);
    if (set == nullptr) return PAPI_ENOEVST;
    if (set->component() < 0) return PAPI_ENOCMP;
    if (set->running()) return PAPI_EISRUN;
    if (threshold < 0) {
      return Complain(PAPI_EINVAL, "a threshold must be above 0, or 0 to stop overflow");
    }
    constexpr int kFlags = PAPI_OVERFLOW_FORCE_SW | PAPI_OVERFLOW_HARDWARE;
    if ((flags & ~kFlags) != 0 || flags == kFlags) {
      return Complain(PAPI_EINVAL,
                      "the only valid flag of PAPI_overflow is PAPI_OVERFLOW_FORCE_SW");
    }
    if (!CountsItsStarter(*set)) {
      return Complain(PAPI_EINVAL, "an attached event set cannot call a handler");
    }
    return set->SetThreshold(EventCode, threshold, (flags & PAPI_OVERFLOW_FORCE_SW) != 0, handler);
  });
}

int PAPI_get_overflow_event_index(int handle, long long overflow_vector, int* array, int* number) {
  return AtCBoundaryOfSets([&]() -> int {
    const EventSet* set = Sets().Find(handle);
    if (set == nullptr) return PAPI_ENOEVST;
    if (overflow_vector == 0 || array == nullptr || number == nullptr || *number < 1) {
      return PAPI_EINVAL;
    }
    if (set->empty()) return PAPI_EINVAL;
    return MapVector(*set, static_cast<unsigned long long>(overflow_vector), array, number);
  });
}

int PAPI_profil(void* buf, unsigned bufsiz, vptr_t offset, unsigned scale, int handle,
                int EventCode, int threshold, int flags) {
  return AtCBoundaryOfSets([&] {
    const PAPI_sprofil_t region = {buf, bufsiz, offset, scale};
    return Profil(handle, {&region, 1, EventCode, threshold, flags, true});
  });
}

int PAPI_sprofil(PAPI_sprofil_t* prof, int profcnt, int handle, int EventCode, int threshold,
                 int flags) {
  return AtCBoundaryOfSets([&] {
    return Profil(handle, {prof, profcnt, EventCode, threshold, flags, false});
  });
}
