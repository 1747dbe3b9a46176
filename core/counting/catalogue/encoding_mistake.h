#pragma once

#include "core/counting/catalogue/event_attributes.h"
#include "core/events/event_text.h"

namespace csink {

/// Explains why libpfm4 refused an event string with `code` (PFM_ERR_*): writes a sentence that
/// names the unit mask, modifier or group at fault, and similar names, to `complaint`, whose
/// content is replaced. libpfm4 reports only the code, so the reason is found by asking libpfm4 for
/// parts of the string. `attributes`: those of the event; nullptr: the event does not exist.
/// Returns: kNoEvent, kAttribute, kCombination, kInvalid, kLimit (too many attributes) or
/// kUnsupported.
/// Threads: one at a time, under the catalogue's lock. Signals: not safe (heap).
Error ExplainRefusal(const PfmLibrary& pfm, const EventText& event, int code,
                     const EventAttributes* attributes, EventComplaint& complaint);

}  // namespace csink
