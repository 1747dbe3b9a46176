#include "compat/papi/sets/set_counters.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compat/papi/boundary/debug.h"
#include "compat/papi/boundary/library_state.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/threads/thread_list.h"

/// File: the counters of a set. Nothing here takes a lock or memory while the set counts its
/// caller: an overflow handler may start, read and stop its set.

namespace csink::papi {
namespace {

/// The counts of a set's counters, zeros before they are read: a read that fails half-way must not
/// leave values that nobody has written. Only the used elements are set, because PAPI_accum is
/// called in loops and the array has 4 KiB.
class Counts {
 public:
  explicit Counts(const CounterSet& counters) noexcept {
    std::fill_n(counts_.begin(), std::min(counters.size(), counts_.size()), 0);
  }
  long long* data() noexcept { return counts_.data(); }

 private:
  std::array<long long, kMaxCounters> counts_;
};

/// kLost (a counter of a device wrapped unread) still delivers values, as lower bounds.
bool HasValues(const Result<void>& result) noexcept {
  return result || result.error().code == Errc::kLost;
}

}  // namespace

int SetCounters::Make(int component) {
  owned_ = Components().At(component)->MakeCounterSet();
  now_.store(owned_.get(), std::memory_order_release);
  return owned_ ? PAPI_OK : PAPI_ENOMEM;
}

int SetCounters::Configure(const SetEvents& events, const SetOptions& options) {
  const Result<void> opened = owned_->Configure(events.requests(), options.Counting());
  if (!opened) return Complain(opened.error());
  opened_by_ = OwnTid();
  direct_ = events.IsDirect();
  stale_ = false;
  now_.store(owned_.get(), std::memory_order_release);
  return PAPI_OK;
}

// Configure({}) closes the old counters first, since Configure keeps counters whose requests are
// equal.
int SetCounters::CloseForeign(const SetOptions& options) {
  if (!options.CountsCaller() || opened_by_ == OwnTid()) return PAPI_OK;
  const Result<void> closed = owned_->Configure({}, options.Counting());
  if (!closed) return Complain(closed.error());
  MakeStale();
  return PAPI_OK;
}

// direct_ stays: a reader on another thread that has the pointer still needs it, and the next
// Configure sets it.
void SetCounters::Drop(bool readers) noexcept {
  now_.store(nullptr, std::memory_order_release);
  if (readers) Retire(std::move(owned_));
  owned_.reset();
  stale_ = false;
}

void SetCounters::ForgetAfterFork() noexcept {
  quick_.store(nullptr, std::memory_order_relaxed);
  if (!owned_) return;
  owned_->ForgetAfterFork();
  MakeStale();
}

Result<void> SetCounters::Start(const SetOptions& options, bool quick) noexcept {
  Result<void> started = owned_->Start();
  if (!started) return started;
  if (direct_ && quick) quick_.store(owned_->quick(), std::memory_order_release);
  if (options.CountsCaller()) opened_by_ = OwnTid();
  return started;
}

Result<void> SetCounters::Stop() noexcept {
  // First, since CounterSet::Stop makes the description invalid.
  quick_.store(nullptr, std::memory_order_release);
  return owned_->Stop();
}

Result<void> SetCounters::ReadDerived(CounterSet& counters, const SetEvents& events,
                                      long long* values) noexcept {
  Counts counts(counters);
  Result<void> read = counters.Read(counts.data());
  if (HasValues(read)) events.Derive(counts.data(), values, false);
  return read;
}

void SetCounters::CountedShares(double* shares, std::size_t size) const noexcept {
  const CounterSet& counters = get();
  double least = 1;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    std::uint64_t enabled_ns = 0, running_ns = 0;
    counters.Times(i, &enabled_ns, &running_ns);
    // Clocks of the kernel may differ by some ns.
    const double share = running_ns >= enabled_ns
                             ? 1
                             : static_cast<double>(running_ns) / static_cast<double>(enabled_ns);
    least = std::min(least, share);
    if (direct_ && i < size) shares[i] = share;
  }
  if (!direct_) std::fill(shares, shares + size, least);
}

// ReadAndReset takes the counts and the new base from one read. Read and Reset would lose what is
// counted between them.
Result<void> SetCounters::Accumulate(const SetEvents& events, long long* values,
                                     bool* counted) noexcept {
  *counted = false;
  CounterSet* const counters = Now();
  if (counters == nullptr) return {};
  Counts counts(*counters);
  Result<void> read = counters->ReadAndReset(counts.data());
  *counted = HasValues(read);
  if (*counted) events.Derive(counts.data(), values, true);
  return read;
}

}  // namespace csink::papi
