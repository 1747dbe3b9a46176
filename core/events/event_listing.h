#pragma once

#include <string_view>

#include "core/events/event_spec.h"

/// File: all event names that ParseEventList accepts on this machine, for "csink doctor --events".

namespace csink {

struct EventName {
  std::string_view pmu;   ///< libpfm4's name of the PMU; "": a built-in event
  std::string_view name;  ///< "cycles", "INST_RETIRED"; of a unit mask: "INST_RETIRED:ANY_P"
  std::string_view what;  ///< A description of one line; may be empty
  bool is_unit_mask = false;
};

/// Called for each name. False ends the listing. The texts are valid during the call only.
using EventNameVisitor = bool (*)(const EventName& name, void* arg);

/// Visits the built-in names, then the events of the PMUs that libpfm4 finds on this machine, each
/// followed by its unit masks. PMUs that count for a whole socket are left out, because a thread
/// cannot be sampled with them. False: libpfm4 cannot be loaded, and only the built-in names were
/// visited. Threads: one at a time. Signals: not safe.
bool ForEachEventName(EventNameVisitor visitor, void* arg) noexcept;

/// A line about libpfm4: "libpfm4, PMUs: perf perf_raw", or that it cannot be loaded.
Text<256> DescribeEventLibrary() noexcept;

}  // namespace csink
