#pragma once

#include "core/catalogue/event_attributes.h"
#include "core/events/event_text.h"

namespace csink {

/// Explains why libpfm4 refused an event string with `code`: writes a sentence that names the unit
/// mask, modifier or group at fault, and similar names, to `complaint`. The reason is found by
/// asking libpfm4 for parts of the string. `attributes`: those of the event; nullptr: the event
/// does not exist. Threads: one at a time. Signals: not safe.
Error ExplainRefusal(const PfmLibrary& pfm, const EventText& event, int code,
                     const EventAttributes* attributes, EventComplaint& complaint);

}  // namespace csink
