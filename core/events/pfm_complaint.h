#pragma once

#include "core/events/event_spec.h"
#include "core/events/event_text.h"
#include "core/events/pfm_library.h"

/// File: sentences that explain why libpfm4 refused an event. Threads: one at a time. Signals: not
/// safe.

namespace csink {

/// For an unknown event: names the nearest events, and how to list all. `pfm` may be null (libpfm4
/// cannot be loaded).
Error ComplainUnknownEvent(const PfmLibrary* pfm, const EventText& event,
                           EventComplaint& complaint) noexcept;

/// For an event that exists but cannot be counted for a thread.
Error ComplainSocketWide(const EventText& event, EventComplaint& complaint) noexcept;

/// Explains libpfm4's error `code` for an event.
Error ComplainRefusedEvent(const PfmLibrary& pfm, const EventText& event, int code,
                           EventComplaint& complaint) noexcept;

}  // namespace csink
