#pragma once

#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "compat/papi/sets/set_events.h"
#include "compat/papi/sets/set_options.h"
#include "core/counting/counters/counter_set.h"
#include "core/util/result.h"

namespace csink::papi {

/// The open counters of an event set: opened for its events, started, stopped, and read as values
/// of its events. The caller passes the same events and options as in the last Configure.
///
/// Readers on other threads may read while PAPI_shutdown takes the counters away: a read loads the
/// pointer once, and the counters themselves stay until the next PAPI_shutdown (Retire).
/// Owns:    the CounterSet of the component.
/// Threads: one at a time; Read by any while the counters run.
/// Signals: Read, Accumulate, Reset, Start and Stop are safe where the counters count their caller.
class SetCounters {
 public:
  /// False: no counter was ever opened, all were dropped, or they are stale.
  bool exist() const noexcept { return Now() != nullptr; }
  /// The counters, which must exist, for the set's overflows and its sampler.
  CounterSet& get() const noexcept { return *Now(); }
  /// How PAPI_read reads the running set without calling it; nullptr: by Read.
  const QuickRead* quick() const noexcept { return quick_.load(std::memory_order_acquire); }
  /// The counters must be opened anew before the next start: a fork or CloseForeign closed them.
  bool stale() const noexcept { return stale_; }

  /// Makes an empty CounterSet of a component, which must exist. PAPI_ENOMEM.
  int Make(int component);
  /// Makes the kernel's counters what the requests say. Equal counters stay open. The counts are
  /// zero afterwards. On an error the old counters are still there. Errors: as PAPI_add_event.
  int Configure(const SetEvents& events, const SetOptions& options);
  /// Closes counters that count another thread than the caller, if they are to count a caller; they
  /// are stale then. CounterSet::Start would open them anew, but too late for overflows and
  /// profiles, which need the descriptors of this thread before.
  int CloseForeign(const SetOptions& options);
  /// Closes the counters. With `readers`, other threads may still be reading them: they stay open
  /// until the next PAPI_shutdown. The library's lock is held then.
  void Drop(bool readers = false) noexcept;
  /// In a forked child, where the descriptors control the parent's events: no ioctl and no timer
  /// call.
  void ForgetAfterFork() noexcept;

  /// `quick`: PAPI_read may read the counters past the set (a sampler must hear of each read).
  Result<void> Start(const SetOptions& options, bool quick) noexcept;
  Result<void> Stop() noexcept;

  /// The values of all events; 0 for each where no counters exist. kLost: the values are lower
  /// bounds.
  Result<void> Read(const SetEvents& events, long long* values) const noexcept {
    CounterSet* const counters = Now();
    if (counters == nullptr) {
      std::fill_n(values, events.size(), 0);
      return {};
    }
    if (direct_) [[likely]] {
      return counters->Read(values);
    }
    return ReadDerived(*counters, events, values);
  }
  /// As CounterSet::ReadEach, for events: `values` and `errors` have an element for each. Events
  /// that are computed from several counters fail together.
  Result<void> ReadEach(const SetEvents& events, long long* values, Error* errors) const noexcept {
    CounterSet* const counters = Now();
    return counters && direct_ ? counters->ReadEach(values, errors) : Read(events, values);
  }
  /// As CounterSet::Lacks, for `size` events; 0 for those that are computed from several counters.
  void Lacks(double* most, std::size_t size) const noexcept {
    std::fill_n(most, size, 0.0);
    CounterSet* const counters = Now();
    if (counters && direct_) counters->Lacks(most);
  }
  /// The part of the time in which the counters of `size` events were counted (CounterSet::Times);
  /// the counters must exist. Events that are computed from several counters have the smallest one.
  void CountedShares(double* shares, std::size_t size) const noexcept;
  /// Adds the counts to `values` and resets them, in one step. `counted`: whether that happened.
  Result<void> Accumulate(const SetEvents& events, long long* values, bool* counted) noexcept;

 private:
  static Result<void> ReadDerived(CounterSet& counters, const SetEvents& events,
                                  long long* values) noexcept;
  CounterSet* Now() const noexcept { return now_.load(std::memory_order_acquire); }
  /// owned_ has no counters until the next Configure, so that nothing may read it.
  void MakeStale() noexcept {
    now_.store(nullptr, std::memory_order_release);
    stale_ = true;
  }

  std::atomic<const QuickRead*> quick_{nullptr};  ///< Set only while the counters run
  /// owned_, for readers: a unique_ptr that another thread moves from must not be read. nullptr
  /// while the counters are stale.
  std::atomic<CounterSet*> now_{nullptr};
  std::unique_ptr<CounterSet> owned_;
  pid_t opened_by_ = 0;  ///< The thread that the counters count, if they count a caller
  bool direct_ = true;   ///< SetEvents::IsDirect of the last Configure
  bool stale_ = false;
};

}  // namespace csink::papi
