#pragma once

#include <optional>
#include <string_view>

#include "compat/apapi/include/apapi.h"

namespace csink::apapi {

/// What a component says of one of its events.
struct EventFacts {
  std::string_view component;  ///< "rapl"
  std::string_view units;      ///< Of the raw value: "nJ", "mW", "degC"; "": a plain number
  bool accumulates = false;    ///< The value grows; otherwise it is a momentary value
};

/// Operations for an event that no file describes. The strings are constants: they live as long as
/// the library and must not be written. event_name is nullptr, data_type INT64; the caller sets
/// both.
/// - What accumulates: sum of the growth; minimum, maximum and mean of its rate. The unit of joules
///   is "Ws", that of their rate "W".
/// - A momentary power: minimum, maximum, mean, and its integral in "Ws". rapl and powercap have no
///   such events: their powers are limits, which no energy belongs to.
/// - Other momentary values: minimum, maximum, mean.
/// Prefixes of units are removed (mW is shown in W), except for frequencies and memory.
apapi_event_ops DeriveOps(const EventFacts& facts) noexcept;

/// The facts of a native event of component `component`, by PAPI; `units` is the event's text, of
/// which the result has a view. nullopt: an event of the processor or the kernel (perf_event), or
/// one that PAPI cannot describe. A libpapi that is not ours does not say what accumulates; there
/// joules do.
std::optional<EventFacts> FactsOf(int code, std::string_view component, std::string_view units);

}  // namespace csink::apapi
