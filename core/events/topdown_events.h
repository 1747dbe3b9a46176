#pragma once

#include <string_view>

#include "core/events/event_spec.h"
#include "core/topdown/topdown_model.h"

/// File: "topdown" and "topdown-l2" in a list of events: the events that divide the slots of this
/// processor. The report computes the shares (symbolizer/report/tables/topdown.h).
///
/// All these events are sampled without precision: precise samples have other addresses than
/// imprecise ones, and the shares of short functions would be wrong. On AMD, moreover, two of the
/// events would both need IBS, which is a single unit. Threads: any. Signals: not safe.

namespace csink {

/// The sampling frequency of each event where no rate is given. Six events at this frequency
/// interrupt as often as two or three events at the usual frequency.
inline constexpr std::uint64_t kTopdownHz = 400;

/// Whether an item of a list is one of these names, with any modifiers and rate.
bool IsTopdownEvent(std::string_view item) noexcept;

/// Appends the events for this machine to `list`. Modifiers: u and k. Errors: kUnsupported (no
/// table for this processor, no PMU), kInvalid (modifier, rate), kLimit (too many events); with a
/// sentence in `complaint`.
Result<void> AddTopdownEvents(std::string_view item, EventList& list,
                              EventComplaint& complaint) noexcept;

/// The same for another processor, with the kernel's files below `root`. For tests.
Result<void> AddTopdownEvents(const Processor& processor, std::string_view root,
                              std::string_view item, EventList& list,
                              EventComplaint& complaint) noexcept;

/// The error of a full list, with its sentence (defined in event_spec.cpp).
Error TooManyEvents(EventComplaint& complaint) noexcept;

}  // namespace csink
