#include "symbolizer/report/formats/parts/sample_types.h"

#include <algorithm>

#include "symbolizer/report/formats/parts/value_scale.h"

namespace csink::report {

std::string WeightType(const Profile& profile, const std::vector<std::size_t>& events,
                       std::size_t event) {
  const auto is_clock = [&](std::size_t e) { return profile.events[e].kind == EventClass::kClock; };
  // "cpu" is the name that pprof and its readers know for CPU time. A second clock keeps its own
  // name, because types must differ.
  const auto first = std::find_if(events.begin(), events.end(), is_clock);
  const bool is_cpu = first != events.end() && *first == event;
  return is_cpu ? "cpu" : profile.events[event].name;
}

std::string SamplesType(const Profile& profile, const std::vector<std::size_t>& events,
                        std::size_t event) {
  // With several events each has numbers of samples of its own, whose types must differ.
  return events.size() == 1 ? "samples" : WeightType(profile, events, event) + "_samples";
}

std::string WeightUnit(const Profile& profile, std::size_t event) {
  return profile.events[event].kind == EventClass::kClock ? "nanoseconds" : "count";
}

unsigned ShiftOf(const Profile& profile, std::size_t event, std::uint64_t EventCount::*value) {
  // The sum over all places and not single values: readers add up.
  WideSum sum;
  for (const Place& place : profile.places) sum.Add(place.counts[event].*value);
  return sum.ShiftForSigned();
}

}  // namespace csink::report
