#pragma once

#include "core/events/event_rate.h"
#include "core/events/event_spec.h"
#include "core/events/event_text.h"

namespace csink {

/// An event that libpfm4 encoded. The rate is the one that libpfm4's attributes period= or freq=
/// state.
struct NativeEvent {
  EventSpec spec;
  EventRate rate;
  std::uint64_t default_period = 1;  ///< 1 for a tracepoint: each
};

/// Asks libpfm4 to encode an event that is not built in. Errors: as ParseEventList, with a sentence
/// in `complaint`. Threads: one at a time. Signals: not safe.
Result<NativeEvent> EncodeNativeEvent(const EventText& event, EventComplaint& complaint) noexcept;

}  // namespace csink
