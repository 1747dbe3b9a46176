#pragma once

#include "core/catalogue/event_attributes.h"
#include "core/events/event_text.h"

namespace csink {

/// Why libpfm4 refused an event string with `code`, found by asking it for the parts:
/// the unit mask, modifier or group that is to blame, and the nearest spelling.
/// `attributes` are those of the event where it exists, else nullptr.
Error ExplainRefusal(const PfmLibrary& pfm, const EventText& event, int code,
                     const EventAttributes* attributes, EventComplaint& complaint);

}  // namespace csink
