#include <algorithm>

#include "compat/papi/debug.h"
#include "compat/papi/event_codes.h"
#include "compat/papi/event_set.h"
#include "compat/papi/library.h"

/// File: events coming into a set and leaving it. events_ has what the program added; requests_ has
/// the native counters that these need, each once, with the number of its users in users_. Both
/// change first, then Reopen makes the kernel's counters equal to requests_, and a failure undoes
/// the change.

namespace csink::papi {
namespace {

/// What is to be added, in terms of one component.
struct Wanted {
  int component = -1;
  std::uint8_t count = 0;
  std::array<std::uint32_t, kMaxFormulaNatives> natives = {};
  const PresetDefinition* definition = nullptr;
  bool floating = false;
};

/// Whether the number exists is not looked up: the component refuses to open an unknown event.
int WantNative(int code, Wanted* wanted) {
  wanted->component = NativeComponent(code);
  wanted->natives[0] = NativeNumber(code);
  wanted->count = 1;
  Component* component = TheLibrary().components.At(wanted->component);
  if (component == nullptr) {
    return Complain(PAPI_ENOEVNT, "no component has an event with this code");
  }
  // Counts are integers; only readings of devices may be something else.
  ComponentEvent event;
  wanted->floating = component->needs_prefix() && component->Describe(wanted->natives[0], event) &&
                     event.value_type == ComponentEvent::Type::kFloating;
  return PAPI_OK;
}

/// PAPI_add_event has PAPI_EINVAL for a preset code beyond PAPI's table, where PAPI_query_event has
/// PAPI_ENOTPRESET.
int WantPreset(int code, Wanted* wanted) {
  PresetEvents& presets = TheLibrary().presets;
  if (const int exists = presets.Check(code); exists != PAPI_OK) {
    return exists == PAPI_ENOTPRESET ? PAPI_EINVAL : exists;
  }
  const ResolvedPreset* preset = presets.Find(code);
  if (preset == nullptr) return PAPI_ENOEVNT;
  wanted->component = preset->component;
  wanted->natives = preset->natives;
  wanted->count = preset->count;
  wanted->definition = preset->definition;
  return PAPI_OK;
}

int Want(int code, Wanted* wanted) {
  switch (FamilyOf(code)) {
    case EventFamily::kNative:
      return WantNative(code, wanted);
    case EventFamily::kPreset:
    case EventFamily::kUser:
      return WantPreset(code, wanted);
    case EventFamily::kNone:
      break;
  }
  return Complain(PAPI_EINVAL, "this is not the code of an event");
}

}  // namespace

void EventSet::HoldDefinitions(bool hold) noexcept {
  for (SetEvent& event : events_) hold ? event.definition.Resume() : event.definition.Suspend();
}

/// A definition that was replaced stays in memory (its table owns it), so pointers can be compared.
bool EventSet::IsCurrent() const {
  return std::all_of(events_.begin(), events_.end(), [](const SetEvent& event) {
    return !event.definition ||
           TheLibrary().presets.DefinitionOf(event.code) == event.definition.get();
  });
}

int EventSet::IndexOf(int code) const noexcept {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (events_[i].code == code) return static_cast<int>(i);
  }
  return -1;
}

/// A linear search: sets are small, and the order of requests_ is the order of the counters.
int EventSet::TakeNative(std::uint32_t number, std::uint16_t* counter) {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i].event != number) continue;
    ++users_[i];
    *counter = static_cast<std::uint16_t>(i);
    return PAPI_OK;
  }
  if (requests_.size() == kMaxCounters) return PAPI_ECOUNT;
  *counter = static_cast<std::uint16_t>(requests_.size());
  requests_.push_back({number, {}});
  users_.push_back(1);
  return PAPI_OK;
}

void EventSet::DropNative(std::uint16_t counter) {
  if (--users_[counter] != 0) return;
  requests_.erase(requests_.begin() + counter);
  users_.erase(users_.begin() + counter);
  for (SetEvent& event : events_) {
    for (std::size_t i = 0; i < event.count; ++i) event.counters[i] -= event.counters[i] > counter;
  }
}

int EventSet::Add(int code) {
  if (running()) return PAPI_EISRUN;
  Wanted wanted;
  if (const int exists = Want(code, &wanted); exists != PAPI_OK) return exists;
  if (component_ >= 0 && component_ != wanted.component) {
    return Complain(PAPI_EINVAL, "all events of a set must belong to one component");
  }
  // Only whether the program switched the component off. Whether it works here is found by opening
  // the event, which is cheaper than probing.
  if (const int on = TheLibrary().components.CheckSwitchedOn(wanted.component); on != PAPI_OK) {
    return on;
  }
  if (IndexOf(code) >= 0) return Complain(PAPI_ECNFLCT, "the event is in the set already");

  const int bound = component_;
  if (bound < 0) Bind(wanted.component);
  // Formulas may contain '#'. They are evaluated in handlers, which cannot read the frequency.
  if (wanted.definition) LearnClockOfFormulas();
  events_.push_back({code, 0, {}, wanted.definition, 0, wanted.floating});
  int result = PAPI_OK;
  for (std::size_t i = 0; i < wanted.count && result == PAPI_OK; ++i) {
    SetEvent& event = events_.back();
    result = TakeNative(wanted.natives[i], &event.counters[i]);
    if (result == PAPI_OK) ++event.count;
  }
  if (result == PAPI_OK) result = Reopen();
  if (result == PAPI_OK) return PAPI_OK;
  // Probing a component costs more than opening the event: only a failure asks it for its reason.
  const ComponentInfo& info = TheLibrary().components.BasicsOf(wanted.component);
  if (info.disabled) {
    result = TheLibrary().components.CheckUsable(wanted.component);
  } else if (result == PAPI_ENOEVNT && !info.hardware_reason.empty()) {
    Complaint().Add(": ").Add(info.hardware_reason);
  }
  ForgetEvent(events_.size() - 1);
  if (overflowing_ != 0 || handled_ != 0) PrepareOverflow();
  component_ = bound;
  if (bound < 0) counters_.reset();
  return result;
}

void EventSet::ForgetEvent(std::size_t index) {
  const SetEvent event = events_[index];
  events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(index));
  if (event.threshold != 0) --overflowing_;
  if (event.profiled_every != 0) --handled_;
  if (sampler_ && sampler_->Samples(event.code)) requests_[event.counters[0]].sampling = {};
  // A copy: DropNative changes the indices of the events that stay.
  std::array<std::uint16_t, kMaxFormulaNatives> counters = event.counters;
  // From the last counter down, so that those still to go keep their places.
  std::sort(counters.begin(), counters.begin() + event.count);
  for (std::size_t i = event.count; i-- > 0;) DropNative(counters[i]);
}

int EventSet::Remove(int code) {
  if (running()) return PAPI_EISRUN;
  const int index = IndexOf(code);
  if (index < 0) return Complain(PAPI_EINVAL, "the event is not in the set");
  // Removing shifts indices in all events, so everything is copied for the way back.
  const std::vector<SetEvent> events = events_;
  const std::vector<CounterRequest> requests = requests_;
  const std::vector<std::uint16_t> users = users_;
  const int overflowing = overflowing_;
  const int handled = handled_;

  ForgetEvent(static_cast<std::size_t>(index));
  const int result = Reopen();
  if (result == PAPI_OK) {
    // Only after success: a sampler cannot take back an event that it has dropped.
    if (sampler_ && !sampler_->OnRemove(code)) sampler_.reset();
    return PAPI_OK;
  }
  events_ = events;
  requests_ = requests;
  users_ = users;
  overflowing_ = overflowing;
  handled_ = handled;
  PrepareOverflow();
  return result;
}

/// The sampler and the overflows go first, because they refer to the counters. options_ stays
/// readable; the next Bind replaces it, which also ends multiplexing and attaching.
int EventSet::Cleanup() {
  if (running()) return PAPI_EISRUN;
  sampler_.reset();
  overflow_.Release();
  events_.clear();
  requests_.clear();
  users_.clear();
  handler_ = nullptr;
  overflowing_ = handled_ = 0;
  forced_software_ = stale_ = false;
  direct_ = true;
  counters_.reset();
  component_ = -1;
  return PAPI_OK;
}

}  // namespace csink::papi
