#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compat/papi/highlevel/private_set.h"

namespace csink::papi {

/// How a region reports an event: the growth of a count, the value of a reading at the region's
/// end, or the mean of that and the value at its begin (a power, as PAPI 7.3 reports NVML's).
enum class RegionValue : unsigned char { kDelta, kInstant, kAverage };

/// An event that is counted in regions.
struct RegionEvent {
  std::string name;
  int code = 0;
  RegionValue value = RegionValue::kDelta;
  bool floating = false;  ///< Its value is the bits of a double
};

/// The events of one component, counted by one event set. The order of the groups and of their
/// events is that of the numbers in a row.
struct RegionGroup {
  int component = -1;
  std::vector<RegionEvent> events;
};

/// What is counted in the regions of a process, from its environment:
///   PAPI_EVENTS: comma-separated events of any components. The suffix "=instant" or "=delta" tells
///   how an event is reported. Default: PAPI_TOT_CYC, or else perf::TASK-CLOCK.
///   PAPI_MULTIPLEX: if set, events are multiplexed where their component supports it.
///   PAPI_HL_THREAD_MULTIPLE: anything but 1: all threads share the counters of the first one.
///   PAPI_HL_VERBOSE: if set, what is counted is printed on stderr.
struct RegionPlan {
  std::vector<RegionGroup> groups;
  std::size_t events = 0;  ///< Number of events in all groups
  bool multiplexed = false;
  bool shared = false;
  bool verbose = false;
};

/// Reads the environment. Each event is added to the set of its component; an event that cannot be
/// counted is left out with a line on stderr. `sets`: the event sets of the groups, filled and
/// stopped. PAPI_EINVAL: no event is left (the message has the reason of the last one);
/// PAPI_ENOMEM.
int MakeRegionPlan(RegionPlan& plan, std::vector<PrivateSet>& sets);

/// Makes the event sets of a plan for the calling thread: filled and stopped, in the order of the
/// groups. On an error `sets` is empty. Errors: as EventSet::Add.
int OpenRegionSets(const RegionPlan& plan, std::vector<PrivateSet>& sets);

}  // namespace csink::papi
