#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compat/papi/events/event_parts.h"
#include "core/counting/counters/counter_set.h"
#include "core/counting/presets/definition_use.h"
#include "core/counting/presets/formula.h"

namespace csink::papi {

/// Counters that one event set may have. Reading, accumulating and writing keep an array of this
/// size (4 KiB) on the stack, because they must work in signal handlers, without the heap.
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
  /// EventSet::SampleByHandler.
  std::uint64_t profiled_every = 0;

  /// A value that no single counter shows, so that no counter can interrupt or be sampled for it.
  /// Signals: safe.
  bool derived() const noexcept { return definition && !definition->formula.IsFirstNative(); }
};

/// The events of a set, and the native counters that they need. Natives are shared: two presets
/// that need the same native event have one counter. Nothing is opened here (SetCounters).
/// A copy is the way back of a change that fails.
/// Threads: one at a time. Signals: the const functions are safe, except IsCurrent.
class SetEvents {
 public:
  std::size_t size() const noexcept { return events_.size(); }
  bool empty() const noexcept { return events_.empty(); }
  const SetEvent& operator[](std::size_t i) const noexcept { return events_[i]; }
  SetEvent& operator[](std::size_t i) noexcept { return events_[i]; }
  std::span<const SetEvent> all() const noexcept { return events_; }
  /// The index of an event; -1: not in the set.
  int IndexOf(int code) const noexcept;

  /// The counters in the order in which they are opened and read.
  std::span<const CounterRequest> requests() const noexcept { return requests_; }
  std::span<CounterRequest> requests() noexcept { return requests_; }

  /// Appends an event and its counters. PAPI_ECOUNT (more than kMaxCounters): the event is there
  /// without all of its counters, and the caller must Erase it.
  int Append(int code, const EventParts& parts);
  /// Removes an event. Counters without another user are removed, and the indices of all events
  /// move down.
  void Erase(std::size_t index);
  void Clear() noexcept;

  /// Whether the events are in use: a definition in use cannot be changed (PAPI_EISRUN). Appended
  /// events are in use from the start.
  void HoldDefinitions(bool hold) noexcept;
  /// False: an event was defined anew since it was appended.
  bool IsCurrent() const;

  /// True where the count of counter i is the value of event i for all events: the counts then need
  /// no Derive.
  bool IsDirect() const noexcept;
  /// Computes the values of all events from the counts of the counters; `add`: added to what is in
  /// `values`. The arrays must not overlap: an event may use counters beyond its own index.
  void Derive(const long long* counts, long long* values, bool add) const noexcept;

 private:
  /// Finds or appends the counter of native event `number` and counts one more user of it.
  int TakeNative(std::uint32_t number, std::uint16_t* counter);
  /// The reverse.
  void DropNative(std::uint16_t counter);

  std::vector<SetEvent> events_;
  std::vector<CounterRequest> requests_;
  std::vector<std::uint16_t> users_;  ///< Events that use requests_[i]
};

/// The value of a derived event; `event` is a SetEvent. Signals: safe.
long long ValueOfEvent(const void* event, const long long* counts) noexcept;
/// Hz of the fastest clock rate of this CPU, for formulas with '#'; 0: not known yet. Signals:
/// safe.
FormulaContext ClockOfFormulas() noexcept;
void SetClockOfFormulas(double hz) noexcept;
/// Asks for it, once: reads files, so not from a handler. Called before a preset is added.
void LearnClockOfFormulas();

}  // namespace csink::papi
