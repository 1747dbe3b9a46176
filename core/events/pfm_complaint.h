#pragma once

#include "core/events/event_spec.h"
#include "core/events/event_text.h"
#include "core/events/pfm_library.h"

/// File: why libpfm4 refused an event, in words that lead on.

namespace csink {

/// The names nearest to an unknown event, and how to list all. `pfm` may be null.
Error ComplainUnknownEvent(const PfmLibrary* pfm, const EventText& event,
                           EventComplaint& complaint) noexcept;

/// The event exists, but not per thread.
Error ComplainSocketWide(const EventText& event, EventComplaint& complaint) noexcept;

/// What libpfm4's answer `code` to an event means.
Error ComplainRefusedEvent(const PfmLibrary& pfm, const EventText& event, int code,
                           EventComplaint& complaint) noexcept;

}  // namespace csink
