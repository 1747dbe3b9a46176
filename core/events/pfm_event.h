#pragma once

#include "core/events/event_rate.h"
#include "core/events/event_spec.h"
#include "core/events/event_text.h"

/// File: events that need libpfm4 (or a table of event_tables.h). Lean.

namespace csink {

/// An event that libpfm4 encoded. The rate is the one that libpfm4's attributes period= or freq=
/// state; both 0: none.
struct NativeEvent {
  /// Name, kind, type, config words, levels and precision are set; the rate is not yet.
  EventSpec spec;
  EventRate rate;
  /// The period in events where no rate is given; 1 for a tracepoint: each. Unused for events that
  /// need a counter (ApplyEventRate).
  std::uint64_t default_period = 1;
};

/// Asks libpfm4 to encode an event that is not built in, at user level unless the event states a
/// level. u, k and p are not passed on, so that they mean the same for all events.
/// Errors: as ParseEventList, with a sentence in `complaint`: kNoEvent, kInvalid, and kUnsupported
/// where libpfm4 is missing. Threads: one at a time. Signals: not safe.
Result<NativeEvent> EncodeNativeEvent(const EventText& event, EventComplaint& complaint) noexcept;

}  // namespace csink
