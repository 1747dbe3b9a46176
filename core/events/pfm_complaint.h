#pragma once

#include "core/events/event_spec.h"
#include "core/events/event_text.h"
#include "core/events/pfm_library.h"

/// File: sentences that explain why libpfm4 refused an event. libpfm4 itself has an error code only
/// ("invalid attribute"), so the event is looked up again to name what is wrong and what is
/// nearest.
/// All functions replace the text of `complaint`, which is cut where it is full, and return the
/// error that fits. Nothing is allocated. Threads: one at a time (PfmLibrary). Signals: not safe.

namespace csink {

/// For an unknown event: says whether the PMU before "::" is unknown or absent, names the nearest
/// events (three at most), and how to list all. `pfm` may be null (libpfm4 cannot be loaded); then
/// only built-in names are offered. Errors: kNoEvent; kUnsupported without `pfm`.
Error ComplainUnknownEvent(const PfmLibrary* pfm, const EventText& event,
                           EventComplaint& complaint) noexcept;

/// For an event that exists but counts for a whole socket and so cannot be sampled in a thread.
/// Error: kInvalid.
Error ComplainSocketWide(const EventText& event, EventComplaint& complaint) noexcept;

/// Explains libpfm4's error `code` (PFM_ERR_..., not PFM_SUCCESS) for an event that Encode refused:
/// an unknown event or attribute, a missing unit mask, an impossible value or combination; other
/// codes in libpfm4's words. Errors: kInvalid, or those of ComplainUnknownEvent.
Error ComplainRefusedEvent(const PfmLibrary& pfm, const EventText& event, int code,
                           EventComplaint& complaint) noexcept;

}  // namespace csink
