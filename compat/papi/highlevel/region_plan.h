#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compat/papi/highlevel/private_set.h"

namespace csink::papi {

/// An event that regions count.
struct RegionEvent {
  std::string name;
  int code = 0;
  bool instant = false;   ///< A region has its value at the end, not how much it grew
  bool floating = false;  ///< Its value is the bits of a double
};

/// Events of one component, which one event set counts.
struct RegionGroup {
  int component = -1;
  std::vector<RegionEvent> events;
};

/// What the regions of a process count, from its environment:
///  PAPI_EVENTS               events, comma-separated, of any components; "=instant" or "=delta"
///  behind
///                            one says how it is told. Default: PAPI_TOT_CYC, else perf::TASK-CLOCK
///  PAPI_MULTIPLEX            set: the events count in turns where their component can do that
///  PAPI_HL_THREAD_MULTIPLE   anything but 1: all threads share the counters of the first one
///  PAPI_HL_VERBOSE           set: says on stderr what is counted
struct RegionPlan {
  std::vector<RegionGroup> groups;
  std::size_t events = 0;  ///< In all groups
  bool multiplexed = false;
  bool shared = false;
  bool verbose = false;
};

/// Reads the environment. Each event is tried together with those before it; one that cannot be
/// counted is left out with a line on stderr. `sets`: the groups' event sets, open and stopped.
/// Fails: PAPI_EINVAL (no event is left; the sentence has the reason of the last one), PAPI_ENOMEM.
int MakeRegionPlan(RegionPlan& plan, std::vector<PrivateSet>& sets);

/// Opens the event sets of a plan for the calling thread. Fails as adding events does.
int OpenRegionSets(const RegionPlan& plan, std::vector<PrivateSet>& sets);

}  // namespace csink::papi
