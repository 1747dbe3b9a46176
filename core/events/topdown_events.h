#pragma once

#include <string_view>

#include "core/events/event_spec.h"
#include "core/topdown/topdown_model.h"

/// File: "topdown" and "topdown-l2" in a list of events: the events that divide the slots of this
/// processor. The report computes the shares (symbolizer/report/tables/topdown.h).
/// All these events are sampled without precision: precise samples have other addresses than
/// imprecise ones, and the shares of short functions would be wrong. On AMD, moreover, two of the
/// events would both need IBS, which is a single unit.
/// Lean. Threads: any. Signals: not safe (reads sysfs).

namespace csink {

/// The sampling frequency of each event where no rate is given, in Hz. Six events at this frequency
/// interrupt as often as two or three events at the usual frequency.
inline constexpr std::uint64_t kTopdownHz = 400;

/// Whether an item of a list is one of these names, without a PMU before it, in any case, with any
/// modifiers and rate.
bool IsTopdownEvent(std::string_view item) noexcept;

/// Appends the events for this machine to `list`: those of level 1 for "topdown", of both levels
/// for "topdown-l2". All of them have the same rate, the same levels (modifiers u and k) and
/// precision 0.
/// Errors: kUnsupported (no table for this processor, no PMU, no level 2), kInvalid (modifier,
/// rate), kLimit (too many events); with a sentence in `complaint`. After kLimit the list holds
/// some of the events.
Result<void> AddTopdownEvents(std::string_view item, EventList& list,
                              EventComplaint& complaint) noexcept;

/// The same for another processor, with the kernel's files below `root` ("" for this machine). For
/// tests.
Result<void> AddTopdownEvents(const Processor& processor, std::string_view root,
                              std::string_view item, EventList& list,
                              EventComplaint& complaint) noexcept;

/// The error of a full list, with its sentence (defined in event_spec.cpp).
Error TooManyEvents(EventComplaint& complaint) noexcept;

}  // namespace csink
