/// File: the counter calls of PAPI 3.5's high level. They find the thread's counters without a
/// lock. Starting the same events again costs as much as PAPI_start.

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/highlevel/high_level.h"
#include "compat/papi/highlevel/thread_counters.h"

using csink::papi::AtCBoundary;
using csink::papi::Complain;
using csink::papi::CountersUse;
using csink::papi::ThreadCounters;

namespace {

/// Gives the counters that PAPI_start_counters started, if `values` is valid and has room for them.
int Started(const long long* values, int array_len, ThreadCounters** counters) noexcept {
  *counters = ThreadCounters::Running();
  if (*counters == nullptr || (*counters)->use() != CountersUse::kCounters) {
    return Complain(PAPI_EINVAL, "PAPI_start_counters has not started counters on this thread");
  }
  if (values == nullptr) return Complain(PAPI_EINVAL, "the pointer to the values is null");
  if (array_len < static_cast<int>((*counters)->size())) {
    return Complain(PAPI_EINVAL, "the array is shorter than the list of events that were started");
  }
  return PAPI_OK;
}

}  // namespace

/// Starts the library, as 3.5's manual says. The number is that of component 0.
int PAPI_num_counters(void) {
  return AtCBoundary([] {
    const int code = csink::papi::StartLibrary(PAPI_HIGH_LEVEL_INITED);
    if (code != PAPI_OK) return code;
    csink::papi::SayHighLevel();
    return PAPI_num_hwctrs();
  });
}

int PAPI_start_counters(int* events, int array_len) {
  return AtCBoundary([&]() -> int {
    if (events == nullptr || array_len <= 0) {
      return Complain(PAPI_EINVAL, "the list of events is missing");
    }
    int code = csink::papi::StartLibrary(PAPI_HIGH_LEVEL_INITED);
    ThreadCounters* counters = nullptr;
    if (code == PAPI_OK) code = ThreadCounters::Get(&counters);
    if (code != PAPI_OK) return code;
    // Also where a rate is being measured: both use the thread's one set.
    if (counters->running()) {
      return Complain(PAPI_EISRUN, "counters are running already; call PAPI_stop_counters first");
    }
    code = counters->Start({events, static_cast<std::size_t>(array_len)}, CountersUse::kCounters);
    if (code == PAPI_OK) csink::papi::SayHighLevel();
    return code;
  });
}

int PAPI_read_counters(long long* values, int array_len) {
  return AtCBoundary([&]() -> int {
    // Started checks the arguments and that PAPI_start_counters, not a rate, started the counters.
    ThreadCounters* counters = nullptr;
    const int code = Started(values, array_len, &counters);
    return code == PAPI_OK ? counters->Take(values) : code;
  });
}

int PAPI_accum_counters(long long* values, int array_len) {
  return AtCBoundary([&]() -> int {
    ThreadCounters* counters = nullptr;
    const int code = Started(values, array_len, &counters);
    return code == PAPI_OK ? counters->set().Accumulate(values) : code;
  });
}

int PAPI_stop_counters(long long* values, int array_len) {
  return AtCBoundary([&]() -> int {
    ThreadCounters* counters = ThreadCounters::Running();
    if (counters == nullptr) return PAPI_ENOTRUN;
    // 3.5's rates are stopped by this function, too; their counts are not returned.
    if (counters->use() != CountersUse::kCounters) return counters->Stop(nullptr);
    if (array_len < static_cast<int>(counters->size())) {
      return Complain(PAPI_EINVAL,
                      "the array is shorter than the list of events that were started");
    }
    return counters->Stop(values);
  });
}
