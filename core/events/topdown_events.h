#pragma once

#include <string_view>

#include "core/events/event_spec.h"
#include "core/topdown/topdown_model.h"

/// File: "topdown" and "topdown-l2" in a list of events: the events that divide the slots of this
/// processor. The report makes shares of them (symbolizer/report/tables/topdown.h).
///
/// All of them are sampled without precision: an event with it would be told at other addresses
/// than the ones without, and the shares of short functions would be wrong. (On AMD two of them
/// would also both be sampled by IBS, which is one unit.)

namespace csink {

/// How often each of them is sampled when no rate is given. Six events at this rate interrupt as
/// often as two or three events at the rates of other events.
inline constexpr std::uint64_t kTopdownHz = 400;

/// Whether `item` of a list names them, whatever its modifiers and rate.
bool IsTopdownEvent(std::string_view item) noexcept;

/// Appends this machine's. Modifiers: u and k. Errors: kUnsupported (no table for this processor,
/// no PMU), kInvalid (modifier, rate), kLimit (too many events); `complaint` says it.
Result<void> AddTopdownEvents(std::string_view item, EventList& list,
                              EventComplaint& complaint) noexcept;

/// The same for any processor and any kernel's files below `root`.
Result<void> AddTopdownEvents(const Processor& processor, std::string_view root,
                              std::string_view item, EventList& list,
                              EventComplaint& complaint) noexcept;

/// The error of a list that has no place left, with its complaint (event_spec.cpp).
Error TooManyEvents(EventComplaint& complaint) noexcept;

}  // namespace csink
