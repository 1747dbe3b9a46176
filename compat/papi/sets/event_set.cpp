#include "compat/papi/sets/event_set.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "compat/papi/boundary/debug.h"
#include "compat/papi/events/component_table.h"

/// File: PAPI's rules for an event set. Every change of a stopped set follows one pattern: store
/// the old state, change the members, Reopen; on a failure put the old state back and prepare the
/// overflows again. The kernel's counters need no way back, because CounterSet::Configure changes
/// nothing when it fails. From Start on nothing takes a lock or memory when the set counts its
/// caller: an overflow handler may call it.

namespace csink::papi {
namespace {

int Answer(const Result<void>& result) noexcept {
  if (result) [[likely]]
    return PAPI_OK;
  Complain(PAPI_OK, {});  // PAPI_read and its like do not clear what an earlier call said
  return Complain(result.error());
}

}  // namespace

// ---- life ---------------------------------------------------------------------------------------

// PAPI_shutdown destroys sets that run. Where the calling thread is not the one that is counted,
// another thread may be in PAPI_read, which takes no lock: the counters then stay open until the
// next PAPI_shutdown. So do those of attached sets, which any thread may read.
void EventSet::Close() noexcept {
  const bool readers = runner_.CountsElsewhere();
  if (running()) Stop(nullptr);
  Empty(readers);
  options_ = {};
}

// The sampler and the overflows go first, because they refer to the counters.
void EventSet::Empty(bool readers) noexcept {
  sampler_.reset();
  overflows_.Clear();
  counters_.Drop(readers);
  component_ = -1;
  events_.Clear();
}

void EventSet::ForgetAfterFork() noexcept {
  overflows_.core.ForgetAfterFork();
  if (sampler_) sampler_->ForgetAfterFork();
  counters_.ForgetAfterFork();
  runner_.ForgetAfterFork();
}

// The default of inheriting holds only for components that can inherit; others would refuse to
// open.
void EventSet::Bind(int component) noexcept {
  component_ = component;
  options_ = {};
  options_.domain = Components().default_domain(component);
  options_.granularity = Components().default_granularity(component);
  if (Components().default_inherit() == PAPI_INHERIT_ALL &&
      Components().InfoOf(component).can_inherit) {
    options_.inherit = PAPI_INHERIT_ALL;
  }
}

int EventSet::State() const noexcept {
  int state = running() ? PAPI_RUNNING : PAPI_STOPPED;
  if (overflows()) state |= PAPI_OVERFLOWING;
  if (sampler_) state |= PAPI_PROFILING;
  if (options_.multiplexed) state |= PAPI_MULTIPLEXING;
  if (options_.attached_tid != 0) state |= PAPI_ATTACHED;
  if (options_.cpu >= 0) state |= PAPI_CPU_ATTACHED;
  return state;
}

// ---- changes of a stopped set -------------------------------------------------------------------

int EventSet::Reopen() {
  if (!counters_.exist() && !counters_.stale()) {
    if (events_.requests().empty()) return PAPI_OK;
    if (const int code = counters_.Make(component_); code != PAPI_OK) return code;
  }
  // Before Configure: it decides how each event must be opened (period, SIGTRAP, signal).
  if (const int code = PrepareOverflow(); code != PAPI_OK) return code;
  return counters_.Configure(events_, options_);
}

int EventSet::Add(int code) {
  if (running()) return PAPI_EISRUN;
  EventParts parts;
  if (const int exists = FindParts(code, &parts); exists != PAPI_OK) return exists;
  if (component_ >= 0 && component_ != parts.component) {
    return Complain(PAPI_EINVAL, "all events of a set must belong to one component");
  }
  // Only whether the program switched the component off. Whether it works here is found by opening
  // the event, which is cheaper than probing.
  if (const int on = Components().CheckSwitchedOn(parts.component); on != PAPI_OK) return on;
  if (IndexOf(code) >= 0) return Complain(PAPI_ECNFLCT, "the event is in the set already");

  const int bound = component_;
  if (bound < 0) Bind(parts.component);
  // Formulas may contain '#'. They are evaluated in handlers, which cannot read the frequency.
  if (parts.definition) LearnClockOfFormulas();
  int result = events_.Append(code, parts);
  if (result == PAPI_OK) result = Reopen();
  if (result == PAPI_OK) return PAPI_OK;
  // Probing a component costs more than opening the event: only a failure asks it for its reason.
  const ComponentInfo& info = Components().BasicsOf(parts.component);
  if (info.disabled) {
    result = Components().CheckUsable(parts.component);
  } else if (result == PAPI_ENOEVNT && !info.hardware_reason.empty()) {
    Complaint().Add(": ").Add(info.hardware_reason);
  }
  ForgetEvent(events_.size() - 1);
  if (overflows_.armed.any()) PrepareOverflow();
  component_ = bound;
  if (bound < 0) counters_.Drop();
  return result;
}

void EventSet::ForgetEvent(std::size_t index) {
  const SetEvent& event = events_[index];
  overflows_.Forget(event);
  if (sampler_ && sampler_->Samples(event.code)) {
    events_.requests()[event.counters[0]].sampling = {};
  }
  events_.Erase(index);
}

int EventSet::Remove(int code) {
  if (running()) return PAPI_EISRUN;
  const int index = IndexOf(code);
  if (index < 0) return Complain(PAPI_EINVAL, "the event is not in the set");
  // Removing shifts indices in all events, so everything is copied for the way back.
  const SetEvents events = events_;
  const ArmedEvents armed = overflows_.armed;

  ForgetEvent(static_cast<std::size_t>(index));
  const int result = Reopen();
  if (result == PAPI_OK) {
    // Only after success: a sampler cannot take back an event that it has dropped.
    if (sampler_ && !sampler_->OnRemove(code)) sampler_.reset();
    return PAPI_OK;
  }
  events_ = events;
  overflows_.armed = armed;
  PrepareOverflow();
  return result;
}

// options_ stays readable; the next Bind replaces it, which also ends multiplexing and attaching.
int EventSet::Cleanup() {
  if (running()) return PAPI_EISRUN;
  Empty(false);
  return PAPI_OK;
}

// Without events there is nothing to open, so the options are only stored; the first Add opens
// under them. On a failure PrepareOverflow has run for the new options and is repeated for the old.
int EventSet::Apply(const SetOptions& options) {
  if (running()) return PAPI_EISRUN;
  const SetOptions before = options_;
  options_ = options;
  if (events_.requests().empty()) return PAPI_OK;
  const int code = Reopen();
  if (code == PAPI_OK) return PAPI_OK;
  options_ = before;
  if (overflows()) PrepareOverflow();
  return code;
}

int EventSet::SetThreshold(int code, int threshold, bool forced_software,
                           PAPI_overflow_handler_t handler) {
  const int index = IndexOf(code);
  if (index < 0) return Complain(PAPI_ENOEVNT, "the event is not in the set");
  SetEvent& event = events_[static_cast<std::size_t>(index)];
  // All checks come before the first change.
  const int allowed = overflows_.Check(events_, event, threshold, forced_software, handler);
  if (allowed != PAPI_OK) return allowed;
  const int former_threshold = event.threshold;
  const ArmedEvents former = overflows_.armed;
  overflows_.armed.thresholds += (threshold != 0) - (former_threshold != 0);
  event.threshold = threshold;
  if (threshold != 0) {
    overflows_.armed.forced_software = forced_software;
    overflows_.armed.handler = handler;
  }
  const int result = Reopen();
  if (result == PAPI_OK) return PAPI_OK;
  event.threshold = former_threshold;
  overflows_.armed = former;
  PrepareOverflow();
  return result;
}

// ---- counting -----------------------------------------------------------------------------------

// Arm and OnStart come before CounterSet::Start and need the descriptors of this thread.
int EventSet::FollowThread() noexcept {
  if (overflows_.core.prepared() || sampler_ != nullptr) {
    if (const int code = counters_.CloseForeign(options_); code != PAPI_OK) return code;
  }
  return counters_.stale() ? Reopen() : PAPI_OK;
}

int EventSet::Start() noexcept {
  if (component_ < 0) return PAPI_ENOCMP;
  if (running()) return PAPI_EISRUN;
  if (events_.empty()) return Complain(PAPI_EINVAL, "the event set has no event");
  // Before Claim, so that a failure leaves nothing to undo.
  if (const int code = FollowThread(); code != PAPI_OK) return code;
  if (const int code = runner_.Claim(*this); code != PAPI_OK) return code;
  // The sampler maps its rings and the overflows are armed before the events are enabled: the first
  // overflow may come with the first instruction.
  Result<void> started;
  if (sampler_) started = sampler_->OnStart(counters_.get());
  if (!started) {
    runner_.Release(component_);
    return Complain(started.error());
  }
  if (overflows_.core.prepared()) started = overflows_.core.Arm(counters_.get());
  const bool armed = overflows_.core.prepared() && started.has_value();
  // A sampler must hear of each read, so PAPI_read may not pass it.
  if (started) started = counters_.Start(options_, sampler_ == nullptr);
  if (started) return PAPI_OK;
  if (armed) overflows_.core.Disarm();
  if (sampler_) sampler_->OnStop();
  runner_.Release(component_);
  return Complain(started.error());
}

int EventSet::Stop(long long* values) noexcept {
  if (!running()) return PAPI_ENOTRUN;
  // Disarm follows Stop, as SetOverflow demands: a signal that comes after Disarm is only counted.
  const Result<void> stopped = counters_.Stop();
  if (overflows_.core.prepared()) overflows_.core.Disarm();
  if (sampler_) sampler_->OnStop();
  runner_.Release(component_);
  // kLost still delivers values, as lower bounds.
  if (!stopped && stopped.error().code != Errc::kLost) return Complain(stopped.error());
  const int read = values ? Read(values) : PAPI_OK;
  return read == PAPI_OK ? Answer(stopped) : read;
}

int EventSet::Read(long long* values) noexcept {
  // Histograms are complete after each read.
  if (sampler_ && counters_.exist() && running()) sampler_->OnRead();
  return Answer(counters_.Read(events_, values));
}

int EventSet::ReadEach(long long* values, int* codes) {
  const std::size_t size = events_.all().size();
  std::vector<Error> errors(size);
  const Result<void> read = counters_.ReadEach(events_, values, errors.data());
  const bool is_read = read || read.error().code == Errc::kLost;
  int first = PAPI_OK;
  Complain(PAPI_OK, {});  // the next Complain with an Error keeps the message of the first one
  for (std::size_t i = 0; i < size; ++i) {
    const Error& error = is_read ? errors[i] : read.error();
    codes[i] = error.code == Errc::kOk ? PAPI_OK : Complain(error);
    if (first == PAPI_OK) first = codes[i];
  }
  return first == PAPI_OK ? Answer(read) : first;
}

void EventSet::CountedShares(double* shares) const noexcept {
  const std::size_t size = events_.all().size();
  std::fill(shares, shares + size, 1.0);
  if (options_.multiplexed && counters_.exist()) counters_.CountedShares(shares, size);
}

void EventSet::Lacks(double* most) const noexcept { counters_.Lacks(most, events_.all().size()); }

int EventSet::Accumulate(long long* values) noexcept {
  if (sampler_ && counters_.exist() && running()) sampler_->OnRead();
  bool counted = false;
  const Result<void> read = counters_.Accumulate(events_, values, &counted);
  if (counted) CountsChanged(nullptr);
  return Answer(read);
}

int EventSet::Reset() noexcept {
  if (!counters_.exist()) return PAPI_OK;
  const Result<void> reset = counters_.get().Reset();
  if (reset) CountsChanged(nullptr);
  return Answer(reset);
}

int EventSet::Write(const long long* values) noexcept {
  // The next start continues from the written values, also in a forked child.
  if (counters_.stale()) {
    if (const int code = Reopen(); code != PAPI_OK) return code;
  }
  if (!counters_.exist()) return PAPI_OK;
  std::array<long long, kMaxCounters> counts = {};
  // The counters of events that are not written keep their counts. Several events that share a
  // counter write it in their order; the last value stays.
  const Result<void> read = counters_.get().Read(counts.data());
  if (!read) return Complain(read.error());
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (events_[i].derived()) {
      return Complain(PAPI_ENOSUPP, "a derived event's value cannot be written into its counters");
    }
    counts[events_[i].counters[0]] = values[i];
  }
  const Result<void> written = counters_.get().Write(counts.data());
  if (written) CountsChanged(counts.data());
  return Answer(written);
}

void EventSet::CountsChanged(const long long* counts) noexcept {
  if (overflows_.core.prepared()) overflows_.core.CountsSet(counts);
  if (sampler_) sampler_->OnCountsSet(counts);
}

// ---- sampling -----------------------------------------------------------------------------------

// Events with a formula are refused, unless the formula is the first native event alone.
int EventSet::SampledPosition(int event_code, std::size_t* position) const {
  const int index = IndexOf(event_code);
  if (index < 0) return PAPI_ENOEVNT;
  const SetEvent& event = events_[static_cast<std::size_t>(index)];
  if (event.derived()) {
    return Complain(PAPI_EINVAL, "a derived event cannot be sampled, because it has no counter");
  }
  *position = event.counters[0];
  return PAPI_OK;
}

int EventSet::SampleByRing(std::size_t position, const SamplingRequest& request) {
  if (running()) return PAPI_EISRUN;
  // The counter of an event has one period, so it serves a handler or a profile. An overflow by
  // software is no obstacle: its counter has no period.
  for (const SetEvent& event : events()) {
    if (event.threshold != 0 && !overflows_.armed.forced_software &&
        event.counters[0] == position) {
      return Complain(PAPI_ECNFLCT, "the event has an overflow handler already");
    }
  }
  const SamplingRequest before = events_.requests()[position].sampling;
  events_.requests()[position].sampling = request;
  const int code = Reopen();
  if (code != PAPI_OK) {
    events_.requests()[position].sampling = before;
    PrepareOverflow();
  }
  return code;
}

bool EventSet::NeedsHandledSampling(std::size_t position, std::uint64_t threshold) const {
  if (!options_.CountsCaller() || options_.inherit == PAPI_INHERIT_ALL) return false;
  if (position >= kVectorBits || options_.multiplexed) return false;
  if ((options_.domain & PAPI_DOM_KERNEL) != 0) return false;
  if (overflows_.armed.by_software()) return false;
  if (Components().At(component_)->name() != "perf_event") return false;
  return MayBeThrottled(events_.requests()[position].event, threshold);
}

int EventSet::SampleByHandler(int event_code, std::uint64_t threshold) {
  if (running()) return PAPI_EISRUN;
  const int index = IndexOf(event_code);
  if (index < 0) return PAPI_ENOEVNT;
  SetEvent& event = events_[static_cast<std::size_t>(index)];
  // Also another event of the set that shares the counter, such as a preset of one native event.
  for (const SetEvent& other : events()) {
    if (other.threshold != 0 && other.counters[0] == event.counters[0]) {
      return Complain(PAPI_ECNFLCT, "the event has an overflow handler already");
    }
  }
  const std::uint64_t before = event.profiled_every;
  const ArmedEvents former = overflows_.armed;
  overflows_.armed.handled += (threshold != 0) - (before != 0);
  event.profiled_every = threshold;
  const int code = Reopen();
  if (code == PAPI_OK) return code;
  overflows_.armed = former;
  event.profiled_every = before;
  PrepareOverflow();
  return code;
}

}  // namespace csink::papi
