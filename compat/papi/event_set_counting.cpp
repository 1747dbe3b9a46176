#include <array>
#include <bit>

#include "compat/papi/debug.h"
#include "compat/papi/event_set.h"
#include "compat/papi/library.h"

/// File: a set counts. Nothing here takes a lock or memory when the set counts its caller: an
/// overflow handler may do all of it.

namespace csink::papi {
namespace {

/// PAPI_ECLOST (a counter of a device wrapped unread) still delivers values, as lower bounds.
bool HasValues(const Result<void>& result) noexcept {
  return result || result.error().code == Errc::kLost;
}

/// Values of floating events are the bits of a double, so they are added as doubles. Integers are
/// added as unsigned numbers: a sum beyond 2^63 wraps instead of being undefined behaviour.
long long Sum(long long a, long long b, bool floating) noexcept {
  if (floating) {
    return std::bit_cast<long long>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
  }
  return static_cast<long long>(static_cast<unsigned long long>(a) +
                                static_cast<unsigned long long>(b));
}

int Answer(const Result<void>& result) noexcept {
  if (result) [[likely]]
    return PAPI_OK;
  Complain(PAPI_OK, {});  // PAPI_read and its like do not clear what an earlier call said
  return Complain(result.error());
}

}  // namespace

/// A set that counts its caller: one compare-and-swap in the thread's context, without a lock,
/// because an overflow handler may start its set. Other targets are compared with all running sets,
/// under the library's lock.
int EventSet::Claim() noexcept {
  Library& library = TheLibrary();
  if (options_.CountsCaller()) {
    ThreadContext* context = library.threads.Current();
    if (context == nullptr) return PAPI_ENOMEM;
    EventSet* nobody = nullptr;
    auto& running = context->running[static_cast<std::size_t>(component_)];
    if (!running.compare_exchange_strong(nobody, this)) {
      return Complain(PAPI_EISRUN, "another event set of this component runs on this thread");
    }
    runner_.store(context, std::memory_order_release);
    running_.store(true, std::memory_order_release);
    return PAPI_OK;
  }
  const LibraryLock held;
  if (!held.held()) return kBusy;
  bool taken = false;
  library.sets.ForEach([&](const EventSet& other) {
    taken |= &other != this && other.running() && other.component_ == component_ &&
             !other.options_.CountsCaller() &&
             other.options_.attached_tid == options_.attached_tid &&
             other.options_.cpu == options_.cpu;
  });
  if (taken) return Complain(PAPI_EISRUN, "another event set already counts this target");
  running_.store(true, std::memory_order_release);
  return PAPI_OK;
}

/// The entry in the thread's context is cleared last: only then another set of the component can
/// start on that thread.
void EventSet::Unclaim() noexcept {
  running_.store(false, std::memory_order_release);
  ThreadContext* runner = runner_.load(std::memory_order_acquire);
  if (runner == nullptr) return;
  const auto component = static_cast<std::size_t>(component_);
  if (runner == t_context) {
    runner_.store(nullptr, std::memory_order_relaxed);
    runner->running[component].store(nullptr, std::memory_order_release);
    return;
  }
  // The context of another thread, whose end waits for this lock (Library::ThreadLeaves). Where a
  // handler interrupted the holder on this thread, the lock is not taken again, but this thread
  // holds it all the same.
  const LibraryLock held;
  if (ThreadContext* still = runner_.exchange(nullptr)) still->running[component].store(nullptr);
}

/// Counters of a caller count the thread that opened them. CounterSet::Start would open them anew
/// for another thread, but too late for overflows and profiles: Arm and OnStart come before it and
/// need the descriptors of this thread. Configure({}) closes the old ones first, since Configure
/// keeps counters whose requests are equal.
int EventSet::FollowThread() noexcept {
  const bool must_be_ours = overflow_.prepared() || sampler_ != nullptr;
  const bool elsewhere = must_be_ours && options_.CountsCaller() && opened_by_ != OwnTid();
  if (elsewhere) {
    const Result<void> closed = counters_->Configure({}, options_.Counting());
    if (!closed) return Complain(closed.error());
    stale_ = true;
  }
  return stale_ ? Reopen() : PAPI_OK;
}

int EventSet::Start() noexcept {
  if (component_ < 0) return PAPI_ENOCMP;
  if (running()) return PAPI_EISRUN;
  if (events_.empty()) return Complain(PAPI_EINVAL, "the event set has no event");
  // Before Claim, so that a failure leaves nothing to undo.
  if (const int code = FollowThread(); code != PAPI_OK) return code;
  if (const int code = Claim(); code != PAPI_OK) return code;
  // The sampler maps its rings and the overflows are armed before the events are enabled: the first
  // overflow may come with the first instruction.
  Result<void> started;
  if (sampler_) started = sampler_->OnStart(*counters_);
  if (!started) {
    Unclaim();
    return Complain(started.error());
  }
  if (overflow_.prepared()) started = overflow_.Arm(*counters_);
  const bool armed = overflow_.prepared() && started.has_value();
  if (started) started = counters_->Start();
  if (started) {
    if (direct_ && !sampler_) quick_.store(counters_->quick(), std::memory_order_release);
    if (options_.CountsCaller()) opened_by_ = OwnTid();
    return PAPI_OK;
  }
  if (armed) overflow_.Disarm();
  if (sampler_) sampler_->OnStop();
  Unclaim();
  return Complain(started.error());
}

int EventSet::Stop(long long* values) noexcept {
  if (!running()) return PAPI_ENOTRUN;
  // First, since CounterSet::Stop makes the description invalid.
  quick_.store(nullptr, std::memory_order_release);
  // Disarm follows Stop, as SetOverflow demands: a signal that comes after Disarm is only counted.
  const Result<void> stopped = counters_->Stop();
  if (overflow_.prepared()) overflow_.Disarm();
  if (sampler_) sampler_->OnStop();
  Unclaim();
  if (!HasValues(stopped)) return Complain(stopped.error());
  const int read = values ? Read(values) : PAPI_OK;
  return read == PAPI_OK ? Answer(stopped) : read;
}

int EventSet::Read(long long* values) noexcept {
  if (!counters_) return PAPI_OK;  // no event
  // Histograms are complete after each read.
  if (sampler_ && running()) sampler_->OnRead();
  if (direct_) [[likely]] {
    return Answer(counters_->Read(values));
  }
  std::array<long long, kMaxCounters> counts;
  const Result<void> read = counters_->Read(counts.data());
  if (HasValues(read)) Derive(counts.data(), values, false);
  return Answer(read);
}

int EventSet::Accumulate(long long* values) noexcept {
  if (!counters_) return PAPI_OK;
  if (sampler_ && running()) sampler_->OnRead();
  // ReadAndReset takes the counts and the new base from one read. Read and Reset would lose what is
  // counted between them.
  std::array<long long, kMaxCounters> counts;
  const Result<void> read = counters_->ReadAndReset(counts.data());
  if (HasValues(read)) {
    Derive(counts.data(), values, true);
    CountsChanged(nullptr);
  }
  return Answer(read);
}

int EventSet::Reset() noexcept {
  if (!counters_) return PAPI_OK;
  const Result<void> reset = counters_->Reset();
  if (reset) CountsChanged(nullptr);
  return Answer(reset);
}

void EventSet::CountsChanged(const long long* counts) noexcept {
  if (overflow_.prepared()) overflow_.CountsSet(counts);
  if (sampler_) sampler_->OnCountsSet(counts);
}

int EventSet::Write(const long long* values) noexcept {
  if (!counters_) return PAPI_OK;
  std::array<long long, kMaxCounters> counts;
  // The counters of events that are not written keep their counts. Several events that share a
  // counter write it in their order; the last value stays.
  const Result<void> read = counters_->Read(counts.data());
  if (!read) return Complain(read.error());
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (events_[i].definition && !events_[i].definition->formula.IsFirstNative()) {
      return Complain(PAPI_ENOSUPP, "a derived event's value cannot be written into its counters");
    }
    counts[events_[i].counters[0]] = values[i];
  }
  const Result<void> written = counters_->Write(counts.data());
  if (written) CountsChanged(counts.data());
  return Answer(written);
}

/// `values` and `counts` must not overlap: an event may use counters beyond its own index.
void EventSet::Derive(const long long* counts, long long* values, bool add) const noexcept {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const long long value = ValueOfEvent(&events_[i], counts);
    values[i] = add ? Sum(values[i], value, events_[i].floating) : value;
  }
}

}  // namespace csink::papi
