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

/// Counters that one event set may have.
inline constexpr std::size_t kMaxCounters = 512;

/// An event as it was added: its code, and the counters that its value is made of.
struct SetEvent {
  int code = 0;
  std::uint8_t count = 0;
  std::array<std::uint16_t, kMaxFormulaNatives> counters = {};
  DefinitionUse definition;  ///< None: a native event
  int threshold = 0;         ///< > 0: it overflows
  bool floating = false;     ///< Its value is the bits of a double
  /// > 0: it is profiled by the overflow handler (not by a ring); see HandledSampling.
  std::uint64_t profiled_every = 0;
};

/// A PAPI event set: events of one component, their counters, and what is done with them.
///
/// Natives are shared: two presets that need the same native event have one counter. The kernel's
/// counters are open from PAPI_add_event on, so that a conflict is its answer. A call that fails
/// leaves the set as it was. All answers are PAPI codes.
///
/// States: free (Close to Open), stopped, running.
/// Owns:    its counters, the arming of its overflows and its sampler.
/// Threads: one at a time, as PAPI has it; Read may be called by any while the set runs.
/// Signals: Read, Accumulate, Reset, Start and Stop of a set that counts its caller are safe.
class EventSet {
 public:
  // --- life (event_set.cpp); under the library's lock
  void Open(int handle) noexcept;
  void Close() noexcept;
  /// In a forked child: stopped, its counters gone until the next start.
  void ForgetAfterFork() noexcept;
  /// Its thread has gone: it counts no more and must not touch that thread's context.
  void LoseRunner() noexcept { runner_.store(nullptr, std::memory_order_relaxed); }

  int handle() const noexcept { return handle_; }
  /// -1: none yet.
  int component() const noexcept { return component_; }
  /// Options begin with the component's defaults.
  void Bind(int component) noexcept;
  /// How to read it at once; nullptr: by Read, or not at all.
  const QuickRead* quick() const noexcept { return quick_.load(std::memory_order_acquire); }
  bool running() const noexcept { return running_.load(std::memory_order_acquire); }
  bool empty() const noexcept { return events_.empty(); }
  std::span<const SetEvent> events() const noexcept { return events_; }
  /// PAPI_STOPPED and so on.
  int State() const noexcept;

  // --- events (event_set_events.cpp)
  int Add(int code);
  int Remove(int code);
  /// PAPI_cleanup_eventset: no events, no overflows, no component. Options stay until the next
  /// Bind.
  int Cleanup();
  /// Whether its events are in use, so that nobody defines them anew; those that are added are.
  void HoldDefinitions(bool hold) noexcept;
  /// False: an event was defined anew since it was added.
  bool IsCurrent() const;
  /// The index of an event; -1: not in the set.
  int IndexOf(int code) const noexcept;

  // --- counting (event_set_counting.cpp)
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
  int SetThreshold(int code, int threshold, bool forced_software, PAPI_overflow_handler_t handler);
  bool overflows() const noexcept { return overflowing_ != 0; }
  PAPI_overflow_handler_t handler() const noexcept { return handler_; }
  void set_missed(std::uint64_t multiples) noexcept {
    missed_.store(static_cast<long long>(multiples), std::memory_order_relaxed);
  }
  /// An overflow of a profiled event goes to the sampler. False: it is the program's handler's.
  /// Signals: safe.
  bool GivesToSampler(const OverflowHit& hit) const noexcept;
  /// Signals: safe.
  void DescribeOverflow(csink_papi_overflow_info_t& out) const noexcept;

 private:
  friend int SampledPosition(const EventSet&, int, std::size_t*);
  friend int SetSampling(EventSet&, std::size_t, const SamplingRequest&);
  friend bool NeedsHandledSampling(const EventSet&, std::size_t, std::uint64_t);
  friend int HandledSampling(EventSet&, int, std::uint64_t);
  friend void SetSetSampler(EventSet&, std::unique_ptr<SetSampler>);
  friend SetSampler* GetSetSampler(const EventSet&) noexcept;

  /// Makes the kernel's counters what requests_, events_ and options_ say.
  int Reopen();
  int PrepareOverflow();
  int TakeNative(std::uint32_t number, std::uint16_t* counter);
  void DropNative(std::uint16_t counter);
  void ForgetEvent(std::size_t index);
  void RenewShortcut() noexcept;
  /// Values of the events out of the counts of the counters; `add`: to what is there.
  void Derive(const long long* counts, long long* values, bool add) const noexcept;
  /// The set that runs on the same component and target, if any.
  int Claim() noexcept;
  void Unclaim() noexcept;
  int FollowThread() noexcept;
  /// The counts begin anew, from zero (nullptr) or from these: overflows count from there.
  void CountsChanged(const long long* counts) noexcept;

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
  pid_t opened_by_ = 0;
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
/// Hz of the fastest clock rate of this CPU, for formulas with '#'; 0: not known yet.
FormulaContext ClockOfFormulas() noexcept;
void SetClockOfFormulas(double hz) noexcept;
/// Asks for it, once. Not from a handler.
void LearnClockOfFormulas();

}  // namespace csink::papi
