#pragma once

#include "core/events/event_rate.h"
#include "core/events/event_spec.h"
#include "core/events/event_text.h"

namespace csink {

/// An event that libpfm4 knows, with everything but its rate, which its own
/// attributes (period=, freq=) may give.
struct NativeEvent {
  EventSpec spec;
  EventRate rate;
  std::uint64_t default_period = 1;  ///< Of a tracepoint: each
};

/// Asks libpfm4 for a name that is not built in.
/// Errors: as ParseEventList, with a complaint.
Result<NativeEvent> EncodeNativeEvent(const EventText& event, EventComplaint& complaint) noexcept;

}  // namespace csink
