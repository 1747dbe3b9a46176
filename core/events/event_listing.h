#pragma once

#include <string_view>

#include "core/events/event_spec.h"

/// File: every event name that ParseEventList would take on this machine, for
/// "csink doctor --events".

namespace csink {

struct EventName {
  std::string_view pmu;   ///< libpfm4's name of the PMU; empty: built in
  std::string_view name;  ///< "cycles", "INST_RETIRED"; of a unit mask: "INST_RETIRED:ANY_P"
  std::string_view what;  ///< One line; may be empty
  bool is_unit_mask = false;
};

/// False ends the listing. The texts are valid during the call.
using EventNameVisitor = bool (*)(const EventName& name, void* arg);

/// The built-in names first, then the events of the PMUs that libpfm4 finds here, each
/// followed by its unit masks. PMUs that count for a whole socket are left out: they cannot
/// be sampled in a thread. False: libpfm4 cannot be loaded, so that only the
/// built-in names came. Threads: one at a time. Signals: not safe.
bool ForEachEventName(EventNameVisitor visitor, void* arg) noexcept;

/// "libpfm4, PMUs: perf perf_raw", or that it cannot be loaded.
Text<256> DescribeEventLibrary() noexcept;

}  // namespace csink
