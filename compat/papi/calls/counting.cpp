/// File: functions that count. Programs call PAPI_read most often, so it takes no lock, does not
/// look up the thread and makes no virtual call: after a system call each return and each jump
/// through a pointer is mispredicted (six of them were 26 ns of 710).

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/sets/event_set_table.h"
#include "core/counting/counters/quick_read.h"

using csink::papi::Complain;
using csink::papi::EventSet;
using csink::papi::Report;
using csink::papi::Sets;
using csink::papi::TheLibrary;

namespace {

int NoPlace() noexcept { return Complain(PAPI_EINVAL, "the pointer to the values is null"); }

/// Finds the set and runs `body` on it; only failures are reported (cold path).
template <class F>
int OnSet(int handle, F body) noexcept {
  EventSet* set = Sets().Find(handle);
  if (set == nullptr) [[unlikely]] {
    return Report(Complain(PAPI_ENOEVST, {}));
  }
  if (set->component() < 0) [[unlikely]]
    return Report(Complain(PAPI_ENOCMP, {}));
  const int code = body(*set);
  return code == PAPI_OK ? code : Report(code);
}

/// OnSet while PAPI_shutdown waits. Does not clear the previous message, which costs time: the
/// functions that use it clear it on failure.
template <class F>
int Quickly(int handle, F body) noexcept {
  const csink::papi::LibraryCall call(csink::papi::LibraryCall::Context::kIfThere);
  if (call.code() != PAPI_OK) [[unlikely]]
    return Report(Complain(call.code(), {}));
  return OnSet(handle, body);
}

/// The same for functions that are not called often. Clears the previous message first.
template <class F>
int Slowly(int handle, F body) noexcept {
  csink::papi::ForgetSentence();
  const csink::papi::LibraryCall call;
  if (call.code() != PAPI_OK) return Report(Complain(call.code(), {}));
  return OnSet(handle, body);
}

// Out of line, to keep the slow path out of PAPI_read.
[[gnu::cold, gnu::noinline]] int ReadByTheSet(int handle, long long* values) noexcept {
  return Quickly(handle, [&](EventSet& set) { return values ? set.Read(values) : NoPlace(); });
}

}  // namespace

int PAPI_start(int handle) {
  return Slowly(handle, [](EventSet& set) { return set.Start(); });
}

/// `values` may be null: the counts are then only kept, for a later PAPI_read.
int PAPI_stop(int handle, long long* values) {
  return Slowly(handle, [&](EventSet& set) { return set.Stop(values); });
}

int PAPI_read(int handle, long long* values) {
  // The fast path covers sets of one perf_event group; everything else (other components, no set,
  // errors) goes through the set.
  if (values) [[likely]] {
    const csink::QuickRead* set = Sets().FindQuick(handle);
    if (set && ReadQuickly(*set, values)) [[likely]]
      return PAPI_OK;
  }
  return ReadByTheSet(handle, values);
}

int PAPI_read_ts(int handle, long long* values, long long* cycles) {
  return Quickly(handle, [&](EventSet& set) {
    if (values == nullptr || cycles == nullptr) return NoPlace();
    // The time is taken after the counts, as close to them as possible.
    const int code = set.Read(values);
    if (code == PAPI_OK) *cycles = PAPI_get_real_cyc();
    return code;
  });
}

int PAPI_accum(int handle, long long* values) {
  return Quickly(handle,
                 [&](EventSet& set) { return values ? set.Accumulate(values) : NoPlace(); });
}

int PAPI_reset(int handle) {
  return Quickly(handle, [](EventSet& set) { return set.Reset(); });
}

int PAPI_write(int handle, long long* values) {
  return Slowly(handle, [&](EventSet& set) { return values ? set.Write(values) : PAPI_EINVAL; });
}
