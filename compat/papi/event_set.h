#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compat/papi/event_set_options.h"
#include "compat/papi/event_set_sampling.h"
#include "compat/papi/include/csink_papi.h"
#include "compat/papi/include/papi.h"
#include "compat/papi/preset_events.h"
#include "compat/papi/thread_context.h"
#include "core/counting/counter_set.h"
#include "core/overflow/set_overflow.h"
#include "core/presets/definition_use.h"

namespace csink::papi {

/// Counters that one event set may have. Read, Accumulate and Write keep an array of this size (4
/// KiB) on the stack, because they must work in signal handlers, without the heap.
inline constexpr std::size_t kMaxCounters = 512;

/// An event as it was added: its code, and the counters that its value is made of.
struct SetEvent {
  int code = 0;            ///< PAPI's code of a native event, preset or user event
  std::uint8_t count = 0;  ///< Elements of `counters` in use
  /// Indices into the set's counters, in the order of the formula's natives (N0, N1, ...). The
  /// first one is the counter that overflows and that is profiled.
  std::array<std::uint16_t, kMaxFormulaNatives> counters = {};
  DefinitionUse definition;  ///< None: a native event
  int threshold = 0;         ///< > 0: it overflows
  bool floating = false;     ///< Its value is the bits of a double
  /// > 0: it is profiled by the overflow handler (not by a ring), every so many counts; see
  /// HandledSampling.
  std::uint64_t profiled_every = 0;
};

/// A PAPI event set: events of one component, their counters, and what is done with them.
///
/// Natives are shared: two presets that need the same native event have one counter. The kernel's
/// counters are open from PAPI_add_event on, so that a conflict is an error of that call. A call
/// that fails leaves the set as it was. All results are PAPI codes; failures leave a message
/// (debug.h) where there is more to say.
///
/// States: free (Close to Open), stopped, running.
/// Owns:    its counters, the arming of its overflows and its sampler.
/// Threads: one at a time, as PAPI has it; Read may be called by any while the set runs. Sets that
///          do not count their caller take the library's lock in Start.
/// Signals: Read, Accumulate, Reset, Start and Stop of a set that counts its caller are safe.
class EventSet {
 public:
  // --- life (event_set.cpp); under the library's lock
  /// Gives the set its handle; the set must be free and becomes an empty, stopped one.
  void Open(int handle) noexcept;
  /// Stops the set, releases everything and resets all options. The object stays, for the next
  /// Open.
  void Close() noexcept;
  /// In a forked child: stopped, its counters gone until the next start.
  void ForgetAfterFork() noexcept;
  /// Its thread has gone: it counts no more and must not touch that thread's context.
  void LoseRunner() noexcept { runner_.store(nullptr, std::memory_order_relaxed); }

  int handle() const noexcept { return handle_; }
  /// -1: none yet.
  int component() const noexcept { return component_; }
  /// Gives the set its component (which must exist), before its first event. Options begin with the
  /// component's defaults; what was set before is lost.
  void Bind(int component) noexcept;
  /// How to read it at once; nullptr: by Read, or not at all.
  const QuickRead* quick() const noexcept { return quick_.load(std::memory_order_acquire); }
  bool running() const noexcept { return running_.load(std::memory_order_acquire); }
  bool empty() const noexcept { return events_.empty(); }
  std::span<const SetEvent> events() const noexcept { return events_; }
  /// PAPI_STOPPED or PAPI_RUNNING, or-ed with PAPI_OVERFLOWING, PAPI_PROFILING and so on.
  int State() const noexcept;

  // --- events (event_set_events.cpp)
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
  /// Whether its events are in use: a definition in use cannot be changed (PAPI_EISRUN). Added
  /// events are in use from the start. For PrivateSet, which the program does not know.
  void HoldDefinitions(bool hold) noexcept;
  /// False: an event was defined anew since it was added.
  bool IsCurrent() const;
  /// The index of an event; -1: not in the set.
  int IndexOf(int code) const noexcept;

  // --- counting (event_set_counting.cpp)
  /// PAPI_start and its like: results, errors and units as papi.h documents them. `values` has an
  /// element an event, in the order in which they were added. Accumulate adds and then resets.
  /// Read, Accumulate, Reset and Write of a set without counters do nothing.
  int Start() noexcept;
  int Stop(long long* values) noexcept;
  int Read(long long* values) noexcept;
  int Accumulate(long long* values) noexcept;
  int Reset() noexcept;
  int Write(const long long* values) noexcept;

  // --- options (event_set_options.cpp)
  const SetOptions& options() const noexcept { return options_; }
  /// Takes the options, and opens the counters anew under them.
  int Apply(const SetOptions& options);

  // --- overflow (event_set_overflow.cpp)
  /// PAPI_overflow. `threshold`: counts between two calls of the handler; 0 disarms the event. The
  /// set must be stopped. PAPI_ENOEVNT (not in the set), PAPI_EINVAL (nothing to disarm, no
  /// handler, a derived event by hardware), PAPI_ECNFLCT (the other kind of overflow is in use, the
  /// event is profiled), PAPI_ECOUNT (not one of the first 64 counters).
  int SetThreshold(int code, int threshold, bool forced_software, PAPI_overflow_handler_t handler);
  bool overflows() const noexcept { return overflowing_ != 0; }
  PAPI_overflow_handler_t handler() const noexcept { return handler_; }
  /// Stores OverflowHit::missed for the handler that is about to be called. Signals: safe.
  void set_missed(std::uint64_t multiples) noexcept {
    missed_.store(static_cast<long long>(multiples), std::memory_order_relaxed);
  }
  /// An overflow of a profiled event goes to the sampler. False: it is the program's handler's.
  /// Signals: safe.
  bool GivesToSampler(const OverflowHit& hit) const noexcept;
  /// Fills everything but `eventset`; the counts are 0 while no event overflows. May be called by
  /// the handler of the set. Signals: safe.
  void DescribeOverflow(csink_papi_overflow_info_t& out) const noexcept;

 private:
  friend int SampledPosition(const EventSet&, int, std::size_t*);
  friend int SetSampling(EventSet&, std::size_t, const SamplingRequest&);
  friend bool NeedsHandledSampling(const EventSet&, std::size_t, std::uint64_t);
  friend int HandledSampling(EventSet&, int, std::uint64_t);
  friend void SetSetSampler(EventSet&, std::unique_ptr<SetSampler>);
  friend SetSampler* GetSetSampler(const EventSet&) noexcept;

  /// Makes the kernel's counters what requests_, events_ and options_ say. Equal counters stay
  /// open. On an error the old counters are still there, and the caller must restore the three
  /// members and call PrepareOverflow.
  int Reopen();
  /// Chooses how the armed events overflow and writes that into requests_[i].sampling, or releases
  /// the overflows if no event is armed. Opens nothing; Reopen does that.
  int PrepareOverflow();
  /// Finds or appends the counter of native event `number` and counts one more user of it.
  /// PAPI_ECOUNT.
  int TakeNative(std::uint32_t number, std::uint16_t* counter);
  /// The reverse. A counter without users is erased, and the indices of all events move down.
  void DropNative(std::uint16_t counter);
  /// Removes an event and its counters from the tables; nothing is closed until Reopen.
  void ForgetEvent(std::size_t index);
  /// Computes direct_.
  void RenewShortcut() noexcept;
  /// Values of the events out of the counts of the counters; `add`: added to what is there.
  void Derive(const long long* counts, long long* values, bool add) const noexcept;
  /// Marks the set as running. PAPI_EISRUN: another set of the component counts the same thread,
  /// process or CPU already.
  int Claim() noexcept;
  /// The reverse; also called by another thread than the one that started the set.
  void Unclaim() noexcept;
  /// Opens the counters anew where they must belong to the calling thread and do not, or where a
  /// fork closed them.
  int FollowThread() noexcept;
  /// The counts begin anew, from zero (nullptr) or from these: overflows count from there.
  void CountsChanged(const long long* counts) noexcept;

  /// How PAPI_read reads the set without calling it. Set only while the set runs, has direct_ and
  /// no sampler (a sampler must hear of each read).
  std::atomic<const QuickRead*> quick_{nullptr};
  int handle_ = -1;
  int component_ = -1;
  std::atomic<bool> running_{false};
  bool direct_ = true;  ///< Counter i is event i's value
  bool stale_ = false;  ///< The counters must be opened anew before the next start
  bool forced_software_ = false;
  int overflowing_ = 0;  ///< Events with a threshold
  int handled_ = 0;      ///< Events with profiled_every
  std::unique_ptr<CounterSet> counters_;
  std::unique_ptr<SetSampler> sampler_;
  std::atomic<ThreadContext*> runner_{nullptr};
  pid_t opened_by_ = 0;  ///< The thread that the counters count, if they count a caller
  std::vector<SetEvent> events_;
  std::vector<CounterRequest> requests_;
  std::vector<std::uint16_t> users_;  ///< Events that use requests_[i]
  SetOptions options_;
  PAPI_overflow_handler_t handler_ = nullptr;
  std::atomic<long long> missed_{0};  ///< OverflowHit::missed of the newest hit
  SetOverflow overflow_;
};

/// SetOverflow's way to the user's handler; `owner` is the EventSet (overflow_signal.cpp).
/// Signals: safe as far as the user's handler is.
void CallOverflowHandler(void* owner, const OverflowHit& hit) noexcept;
/// The value of a derived event; `event` is a SetEvent. Signals: safe.
long long ValueOfEvent(const void* event, const long long* counts) noexcept;
/// Hz of the fastest clock rate of this CPU, for formulas with '#'; 0: not known yet. Signals:
/// safe.
FormulaContext ClockOfFormulas() noexcept;
void SetClockOfFormulas(double hz) noexcept;
/// Asks for it, once: reads files, so not from a handler. Called before a preset is added.
void LearnClockOfFormulas();

}  // namespace csink::papi
