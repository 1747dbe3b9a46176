#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "compat/papi/include/csink_papi.h"
#include "compat/papi/include/papi.h"
#include "compat/papi/sets/set_counters.h"
#include "compat/papi/sets/set_events.h"
#include "compat/papi/sets/set_options.h"
#include "compat/papi/sets/set_overflows.h"
#include "compat/papi/sets/set_runner.h"
#include "compat/papi/sets/set_sampler.h"

namespace csink::papi {

/// A PAPI event set: events of one component, their counters, and what is done with them. The parts
/// are small classes: SetEvents (what was added), SetOptions (what is counted), SetCounters (the
/// open counters), SetOverflows (which events overflow), SetRunner (which thread is counted),
/// SetSampler (PAPI_profil). This class has PAPI's rules for all of them: which call is allowed
/// when, and the way back of a call that fails.
///
/// The kernel's counters are open from PAPI_add_event on, so that a conflict is an error of that
/// call. A call that fails leaves the set as it was. All results are PAPI codes; failures leave a
/// message (boundary/debug.h) where there is more to say.
///
/// States: free (Close to Open), stopped, running.
/// Owns:    its counters, the arming of its overflows and its sampler.
/// Threads: one at a time, as PAPI has it; Read may be called by any while the set runs, also
///          beside PAPI_shutdown. Sets that do not count their caller take the library's lock in
///          Start.
/// Signals: Read, Accumulate, Reset, Start and Stop of a set that counts its caller are safe.
class EventSet {
 public:
  // --- life; under the library's lock
  /// Gives the set its handle; the set must be free and becomes an empty, stopped one.
  void Open(int handle) noexcept { handle_ = handle; }
  /// Stops the set, releases everything and resets all options. The object stays, for the next
  /// Open.
  void Close() noexcept;
  /// In a forked child: stopped, its counters gone until the next start.
  void ForgetAfterFork() noexcept;
  /// Its thread has gone: it counts no more and must not touch that thread's context.
  void LoseRunner() noexcept { runner_.LoseThread(); }

  // --- what it is
  int handle() const noexcept { return handle_; }
  /// -1: none yet.
  int component() const noexcept { return component_; }
  /// Gives the set its component (which must exist), before its first event. Options begin with the
  /// component's defaults; what was set before is lost.
  void Bind(int component) noexcept;
  /// How to read it at once; nullptr: by Read, or not at all. Only while the set runs without a
  /// sampler and each counter is one event's value.
  const QuickRead* quick() const noexcept { return counters_.quick(); }
  bool running() const noexcept { return runner_.running(); }
  bool empty() const noexcept { return events_.empty(); }
  std::span<const SetEvent> events() const noexcept { return events_.all(); }
  /// The index of an event; -1: not in the set.
  int IndexOf(int code) const noexcept { return events_.IndexOf(code); }
  const SetOptions& options() const noexcept { return options_; }
  /// PAPI_STOPPED or PAPI_RUNNING, or-ed with PAPI_OVERFLOWING, PAPI_PROFILING and so on.
  int State() const noexcept;

  // --- changes of a stopped set
  /// PAPI_add_event. Opens the event's counters. PAPI_EISRUN; PAPI_EINVAL (another component, no
  /// event's code); PAPI_ECNFLCT (in the set already, or cannot count together with the others);
  /// PAPI_ENOEVNT; PAPI_ECMP_DISABLED; PAPI_EPERM; PAPI_ECOUNT (more than kMaxCounters).
  int Add(int code);
  /// PAPI_remove_event. PAPI_EISRUN; PAPI_EINVAL (not in the set). Counters that no other event
  /// uses are closed. Counts are zero afterwards.
  int Remove(int code);
  /// PAPI_cleanup_eventset: no events, no overflows, no component. Options stay until the next
  /// Bind. PAPI_EISRUN.
  int Cleanup();
  /// Takes the options, and opens the counters anew under them. PAPI_EISRUN; as Add.
  int Apply(const SetOptions& options);
  /// As SetEvents: for PrivateSet, which the program does not know.
  void HoldDefinitions(bool hold) noexcept { events_.HoldDefinitions(hold); }
  bool IsCurrent() const { return events_.IsCurrent(); }

  // --- counting
  /// PAPI_start and its like: results, errors and units as papi.h documents them. `values` has an
  /// element an event, in the order in which they were added. Accumulate adds and then resets.
  /// The counts of a set without open counters are 0: of one without events, and in a forked child
  /// before the next start.
  int Start() noexcept;
  int Stop(long long* values) noexcept;
  int Read(long long* values) noexcept;
  /// As csink_papi_read_each. Signals: not safe.
  int ReadEach(long long* values, int* codes);
  /// As csink_papi_lacks. Signals: not safe.
  void Lacks(double* most) const noexcept;
  /// As csink_papi_counted_shares. Signals: not safe.
  void CountedShares(double* shares) const noexcept;
  int Accumulate(long long* values) noexcept;
  int Reset() noexcept;
  int Write(const long long* values) noexcept;

  // --- overflow
  /// PAPI_overflow. `threshold`: counts between two calls of the handler; 0 disarms the event. The
  /// set must be stopped. PAPI_ENOEVNT (not in the set); others as SetOverflows::Check and Prepare.
  int SetThreshold(int code, int threshold, bool forced_software, PAPI_overflow_handler_t handler);
  bool overflows() const noexcept { return overflows_.armed.thresholds != 0; }
  PAPI_overflow_handler_t handler() const noexcept { return overflows_.armed.handler; }
  /// As SetOverflows. Signals: safe, as the next two functions.
  void set_missed(std::uint64_t multiples) noexcept { overflows_.set_missed(multiples); }
  void DescribeOverflow(csink_papi_overflow_info_t& out) const noexcept {
    overflows_.Describe(out);
  }
  /// An overflow of a profiled event goes to the sampler. False: it is the program's handler's.
  bool GivesToSampler(const OverflowHit& hit) const noexcept;

  // --- sampling: what PAPI_profil asks of a set
  // `event_code` is a PAPI event of the set. A call that fails returns a PAPI code and leaves the
  // set as it was. Only while the set is stopped (otherwise PAPI_EISRUN). Signals: none is safe.
  /// The counter that a PAPI event is read from. PAPI_ENOEVNT: not in the set; PAPI_EINVAL: a
  /// derived event that one counter does not show.
  int SampledPosition(int event_code, std::size_t* position) const;
  /// Opens the counter at `position` anew with (or, kNone, without) sampling. PAPI_ECNFLCT: it
  /// already delivers overflows in another way.
  int SampleByRing(std::size_t position, const SamplingRequest& request);
  /// Whether samples of the counter at `position` could come so often that the kernel throttles the
  /// event, which a ring alone cannot notice in time, and an overflow handler can be had.
  /// `threshold`: counts between two samples; of a clock: ns. False for targets other than the
  /// caller, for inherited and multiplexed sets, for components other than perf_event, where kernel
  /// mode is counted, and beyond the first 64 counters.
  bool NeedsHandledSampling(std::size_t position, std::uint64_t threshold) const;
  /// Delivers each `threshold`-th count of a PAPI event to the sampler's OnHit; 0: no more. Errors
  /// as SampleByRing.
  int SampleByHandler(int event_code, std::uint64_t threshold);
  /// Hands the set its sampler (state PAPI_PROFILING), or with nullptr takes it away.
  void set_sampler(std::unique_ptr<SetSampler> sampler) noexcept { sampler_ = std::move(sampler); }
  SetSampler* sampler() const noexcept { return sampler_.get(); }

 private:
  /// Makes the kernel's counters what events_ and options_ say. Equal counters stay open. On an
  /// error the old counters are still there, and the caller must restore what it changed and call
  /// PrepareOverflow.
  int Reopen();
  int PrepareOverflow() { return overflows_.Prepare(events_, component_, options_, this); }
  /// Removes an event and its counters from the tables; nothing is closed until Reopen.
  void ForgetEvent(std::size_t index);
  /// No sampler, no overflows, no events, no component. `readers`: as SetCounters::Drop.
  void Empty(bool readers) noexcept;
  /// Opens the counters anew where they must belong to the calling thread and do not, or where a
  /// fork closed them.
  int FollowThread() noexcept;
  /// The counts begin anew, from zero (nullptr) or from these: overflows count from there.
  void CountsChanged(const long long* counts) noexcept;

  SetCounters counters_;  // first: PAPI_read looks at its first member
  SetRunner runner_;
  int handle_ = -1;
  int component_ = -1;
  std::unique_ptr<SetSampler> sampler_;
  SetEvents events_;
  SetOptions options_;
  SetOverflows overflows_;
};

/// SetOverflow's way to the user's handler; `owner` is the EventSet (event_set_signal.cpp).
/// Signals: safe as far as the user's handler is.
void CallOverflowHandler(void* owner, const OverflowHit& hit) noexcept;

}  // namespace csink::papi
