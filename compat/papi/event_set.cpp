#include "compat/papi/event_set.h"

#include "compat/papi/debug.h"
#include "compat/papi/library.h"
#include "compat/papi/retired.h"

/// File: the life of an event set, and the calls by which a sampler changes it. Every change
/// follows one pattern: store the old state, change the members, Reopen; on a failure put the old
/// state back and prepare the overflows again. The kernel's counters need no way back, because
/// CounterSet::Configure changes nothing when it fails.

namespace csink::papi {

void EventSet::Open(int handle) noexcept { handle_ = handle; }

void EventSet::Close() noexcept {
  // PAPI_shutdown destroys sets that run on other threads. Such a thread may be in PAPI_read, which
  // takes no lock, so the counters are kept open until the next PAPI_shutdown (retired.h).
  const ThreadContext* runner = runner_.load(std::memory_order_acquire);
  const bool read_elsewhere = running() && runner != nullptr && runner != t_context;
  if (running()) Stop(nullptr);
  sampler_.reset();
  overflow_.Release();
  if (read_elsewhere) Retire(std::move(counters_));
  counters_.reset();
  component_ = -1;
  events_.clear();
  requests_.clear();
  users_.clear();
  options_ = {};
  handler_ = nullptr;
  overflowing_ = handled_ = 0;
  forced_software_ = stale_ = false;
  direct_ = true;
}

// No ioctl and no timer call: in the child the descriptors still control the parent's events.
void EventSet::ForgetAfterFork() noexcept {
  overflow_.ForgetAfterFork();
  if (sampler_) sampler_->ForgetAfterFork();
  quick_.store(nullptr, std::memory_order_relaxed);
  if (counters_) counters_->ForgetAfterFork();
  running_.store(false, std::memory_order_release);
  runner_.store(nullptr, std::memory_order_relaxed);
  stale_ = true;
}

// The default of inheriting holds only for components that can inherit; others would refuse to
// open.
void EventSet::Bind(int component) noexcept {
  component_ = component;
  options_ = {};
  options_.domain = TheLibrary().components.default_domain(component);
  options_.granularity = TheLibrary().components.default_granularity(component);
  if (TheLibrary().components.default_inherit() == PAPI_INHERIT_ALL &&
      TheLibrary().components.InfoOf(component).can_inherit) {
    options_.inherit = PAPI_INHERIT_ALL;
  }
}

int EventSet::State() const noexcept {
  int state = running() ? PAPI_RUNNING : PAPI_STOPPED;
  if (overflowing_ != 0) state |= PAPI_OVERFLOWING;
  if (sampler_) state |= PAPI_PROFILING;
  if (options_.multiplexed) state |= PAPI_MULTIPLEXING;
  if (options_.attached_tid != 0) state |= PAPI_ATTACHED;
  if (options_.cpu >= 0) state |= PAPI_CPU_ATTACHED;
  return state;
}

int EventSet::Reopen() {
  if (!counters_) {
    if (requests_.empty()) return PAPI_OK;
    counters_ = TheLibrary().components.At(component_)->MakeCounterSet();
    if (!counters_) return PAPI_ENOMEM;
  }
  // Before Configure: PrepareOverflow decides how each event must be opened (period, SIGTRAP,
  // signal).
  if (const int code = PrepareOverflow(); code != PAPI_OK) return code;
  const Result<void> opened = counters_->Configure(requests_, options_.Counting());
  if (!opened) return Complain(opened.error());
  opened_by_ = OwnTid();
  stale_ = false;
  RenewShortcut();
  return PAPI_OK;
}

// True where the count of counter i is the value of event i for all events: reads then need no
// intermediate array, and PAPI_read may use QuickRead.
void EventSet::RenewShortcut() noexcept {
  direct_ = events_.size() == requests_.size();
  for (std::size_t i = 0; direct_ && i < events_.size(); ++i) {
    const SetEvent& event = events_[i];
    direct_ =
        event.counters[0] == i && (!event.definition || event.definition->formula.IsFirstNative());
  }
}

// Events with a formula are refused, unless the formula is the first native event alone.
int SampledPosition(const EventSet& set, int event_code, std::size_t* position) {
  const int index = set.IndexOf(event_code);
  if (index < 0) return PAPI_ENOEVNT;
  const SetEvent& event = set.events_[static_cast<std::size_t>(index)];
  if (event.definition && !event.definition->formula.IsFirstNative()) {
    return Complain(PAPI_EINVAL, "a derived event cannot be sampled, because it has no counter");
  }
  *position = event.counters[0];
  return PAPI_OK;
}

int SetSampling(EventSet& set, std::size_t position, const SamplingRequest& request) {
  if (set.running()) return PAPI_EISRUN;
  // The counter of an event has one period, so it serves a handler or a profile. An overflow by
  // software is no obstacle: its counter has no period.
  for (const SetEvent& event : set.events_) {
    if (event.threshold != 0 && !set.forced_software_ && event.counters[0] == position) {
      return Complain(PAPI_ECNFLCT, "the event has an overflow handler already");
    }
  }
  const SamplingRequest before = set.requests_[position].sampling;
  set.requests_[position].sampling = request;
  const int code = set.Reopen();
  if (code != PAPI_OK) {
    set.requests_[position].sampling = before;
    set.PrepareOverflow();
  }
  return code;
}

int HandledSampling(EventSet& set, int event_code, std::uint64_t threshold) {
  if (set.running()) return PAPI_EISRUN;
  const int index = set.IndexOf(event_code);
  if (index < 0) return PAPI_ENOEVNT;
  SetEvent& event = set.events_[static_cast<std::size_t>(index)];
  // Also another event of the set that shares the counter, such as a preset of one native event.
  for (const SetEvent& other : set.events_) {
    if (other.threshold != 0 && other.counters[0] == event.counters[0]) {
      return Complain(PAPI_ECNFLCT, "the event has an overflow handler already");
    }
  }
  const std::uint64_t before = event.profiled_every;
  set.handled_ += (threshold != 0) - (before != 0);
  event.profiled_every = threshold;
  const int code = set.Reopen();
  if (code == PAPI_OK) return code;
  set.handled_ += (before != 0) - (threshold != 0);
  event.profiled_every = before;
  set.PrepareOverflow();
  return code;
}

void SetSetSampler(EventSet& set, std::unique_ptr<SetSampler> sampler) {
  set.sampler_ = std::move(sampler);
}

SetSampler* GetSetSampler(const EventSet& set) noexcept { return set.sampler_.get(); }

}  // namespace csink::papi
