#include "compat/papi/highlevel/thread_counters.h"

#include <algorithm>
#include <array>
#include <new>

#include "compat/papi/boundary/debug.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/highlevel/high_level.h"
#include "compat/papi/threads/thread_list.h"

namespace csink::papi {

// After PAPI_shutdown, or where the program destroyed the set by its handle, a new set is made.
int ThreadCounters::Get(ThreadCounters** counters) noexcept {
  ThreadContext* context = Threads().Current();
  if (context == nullptr) return PAPI_ENOMEM;
  if (context->counters == nullptr) context->counters = new (std::nothrow) ThreadCounters;
  if (context->counters == nullptr) return PAPI_ENOMEM;
  context->leave_high_level = DropHighLevel;
  *counters = context->counters;
  if ((*counters)->set_.alive()) [[likely]]
    return PAPI_OK;
  (*counters)->use_ = CountersUse::kNone;
  return (*counters)->set_.Create();
}

ThreadCounters* ThreadCounters::Running() noexcept {
  ThreadCounters* counters = t_context ? t_context->counters : nullptr;
  return counters && counters->running() ? counters : nullptr;
}

// The order counts: the values are returned in the order of the events.
bool ThreadCounters::Holds(std::span<const int> events) const noexcept {
  const std::span<const SetEvent> held = set_->events();
  return std::equal(held.begin(), held.end(), events.begin(), events.end(),
                    [](const SetEvent& event, int code) { return event.code == code; });
}

// All events or none.
int ThreadCounters::Fill(std::span<const int> events) {
  set_->Cleanup();
  for (const int event : events) {
    if (const int code = set_->Add(event); code != PAPI_OK) {
      set_->Cleanup();
      return code;
    }
  }
  return PAPI_OK;
}

int ThreadCounters::Start(std::span<const int> events, CountersUse use) {
  const ComponentTable& components = Components();
  // Defaults that were changed by PAPI_set_domain and similar calls apply to the next start, so a
  // set with other options is filled anew.
  const bool ready =
      Holds(events) && set_.Resume() &&
      set_->options().domain == components.default_domain(set_->component()) &&
      set_->options().granularity == components.default_granularity(set_->component());
  int code = ready ? PAPI_OK : Fill(events);
  if (code == PAPI_OK) code = set_->Start();
  if (code == PAPI_OK) {
    use_ = use;
  } else if (!ready) {
    set_->Cleanup();  // no counters stay open after a start that failed
  } else {
    set_.Suspend();
  }
  return code;
}

int ThreadCounters::Take(long long* values) noexcept {
  std::array<long long, kMaxCounters> fresh;
  // Accumulate adds to its array and resets the counters in one read; the caller's array is
  // replaced only if the read succeeds.
  std::fill_n(fresh.begin(), size(), 0);
  const int code = set_->Accumulate(fresh.data());
  // With PAPI_ECLOST the values are lower bounds.
  if (code == PAPI_OK || code == PAPI_ECLOST) std::copy_n(fresh.begin(), size(), values);
  return code;
}

int ThreadCounters::Stop(long long* values) noexcept {
  const int code = set_->Stop(values);
  if (!set_->running()) use_ = CountersUse::kNone;
  // Also where the stop failed: Suspend does nothing while the set runs.
  set_.Suspend();
  return code;
}

}  // namespace csink::papi
