#pragma once

#include <string_view>

#include "core/events/event_spec.h"

/// File: the event names that ParseEventList accepts on this machine, for "csink doctor --events".
/// Names in perf's spelling (sysfs_event.h) and "topdown" are not listed.

namespace csink {

/// One name for the listing. The texts point into static tables or into libpfm4's strings, or into
/// a buffer of the listing: they are valid during the visitor's call only.
struct EventName {
  std::string_view pmu;   ///< libpfm4's name of the PMU; "": a built-in event
  std::string_view name;  ///< "cycles", "INST_RETIRED"; of a unit mask: "INST_RETIRED:ANY_P"
  std::string_view what;  ///< A description of one line; may be empty
  bool is_unit_mask = false;
};

/// Called for each name with the caller's `arg`. Returning false ends the listing.
using EventNameVisitor = bool (*)(const EventName& name, void* arg);

/// Visits the built-in names, then the events of the PMUs that libpfm4 (or a table of
/// event_tables.h) finds on this machine, each followed by its unit masks. PMUs that count for a
/// whole socket are left out, because a thread cannot be sampled with them.
/// Returns false if libpfm4 cannot be loaded and this processor has no table; then only the
/// built-in names were visited. Returns true also where the visitor ended the listing.
/// Threads: one at a time (PfmLibrary). Signals: not safe.
bool ForEachEventName(EventNameVisitor visitor, void* arg) noexcept;

/// A line about libpfm4: "libpfm4, PMUs: perf perf_raw", "without libpfm4 (libpfm.so.4), PMUs:
/// arm_n3" where only a table is used, or that it cannot be loaded. Threads: one at a time.
/// Signals: not safe.
Text<256> DescribeEventLibrary() noexcept;

}  // namespace csink
