#include "compat/papi/sets/set_events.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "compat/papi/events/preset_events.h"
#include "compat/papi/machine/hardware_info.h"

/// File: what the program added (events_), and the native counters that these events need
/// (requests_), each once, with the number of its users (users_). The order of requests_ is the
/// order of the counters.

namespace csink::papi {
namespace {

/// Values of floating events are the bits of a double, so they are added as doubles. Integers are
/// added as unsigned numbers: a sum beyond 2^63 wraps instead of being undefined behaviour.
long long Sum(long long a, long long b, bool floating) noexcept {
  if (floating) {
    return std::bit_cast<long long>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
  }
  return static_cast<long long>(static_cast<unsigned long long>(a) +
                                static_cast<unsigned long long>(b));
}

}  // namespace

int SetEvents::IndexOf(int code) const noexcept {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (events_[i].code == code) return static_cast<int>(i);
  }
  return -1;
}

/// A linear search: sets are small.
int SetEvents::TakeNative(std::uint32_t number, std::uint16_t* counter) {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i].event != number) continue;
    ++users_[i];
    *counter = static_cast<std::uint16_t>(i);
    return PAPI_OK;
  }
  // Reads keep one count for each counter on the stack (kMaxCounters).
  if (requests_.size() == kMaxCounters) return PAPI_ECOUNT;
  *counter = static_cast<std::uint16_t>(requests_.size());
  requests_.push_back({number, {}});
  users_.push_back(1);
  return PAPI_OK;
}

void SetEvents::DropNative(std::uint16_t counter) {
  if (--users_[counter] != 0) return;
  requests_.erase(requests_.begin() + counter);
  users_.erase(users_.begin() + counter);
  for (SetEvent& event : events_) {
    for (std::size_t i = 0; i < event.count; ++i) event.counters[i] -= event.counters[i] > counter;
  }
}

int SetEvents::Append(int code, const EventParts& parts) {
  // The event's `count` grows with its counters, so that Erase of an incomplete event drops exactly
  // those that were taken.
  events_.push_back({code, 0, {}, parts.definition, 0, parts.floating});
  SetEvent& event = events_.back();
  for (std::size_t i = 0; i < parts.count; ++i) {
    if (const int taken = TakeNative(parts.natives[i], &event.counters[i]); taken != PAPI_OK) {
      return taken;
    }
    ++event.count;
  }
  return PAPI_OK;
}

void SetEvents::Erase(std::size_t index) {
  const SetEvent& event = events_[index];
  std::vector<std::uint16_t> counters(event.counters.begin(), event.counters.begin() + event.count);
  events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(index));
  // From the last counter down, so that those still to go keep their places.
  std::sort(counters.begin(), counters.end(), std::greater<>());
  for (const std::uint16_t counter : counters) DropNative(counter);
}

void SetEvents::Clear() noexcept {
  events_.clear();
  requests_.clear();
  users_.clear();
}

void SetEvents::HoldDefinitions(bool hold) noexcept {
  for (SetEvent& event : events_) hold ? event.definition.Resume() : event.definition.Suspend();
}

/// A definition that was replaced stays in memory (its table owns it), so pointers can be compared.
bool SetEvents::IsCurrent() const {
  return std::all_of(events_.begin(), events_.end(), [](const SetEvent& event) {
    return !event.definition || Presets().DefinitionOf(event.code) == event.definition.get();
  });
}

bool SetEvents::IsDirect() const noexcept {
  // Two events that share a counter, or an event of several natives: the sizes differ, or an event
  // is derived.
  if (events_.size() != requests_.size()) return false;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (events_[i].counters[0] != i || events_[i].derived()) return false;
  }
  return true;
}

void SetEvents::Derive(const long long* counts, long long* values, bool add) const noexcept {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const long long value = ValueOfEvent(&events_[i], counts);
    values[i] = add ? Sum(values[i], value, events_[i].floating) : value;
  }
}

// The frequency does not change, so that a second thread stores the same value.
void LearnClockOfFormulas() {
  if (ClockOfFormulas().cycles_per_second != 0) return;
  SetClockOfFormulas(HostHardwareInfo()->cpu_max_mhz * 1e6);
}

}  // namespace csink::papi
