#include "core/sampling/core_kinds.h"

namespace csink {
namespace {

// Whether the event may exist on each kind of cores, and names none of them.
bool IsOfAnyKind(const EventSpec& spec) noexcept {
  return (spec.type == PERF_TYPE_HARDWARE || spec.type == PERF_TYPE_HW_CACHE) &&
         spec.config >> PERF_PMU_TYPE_SHIFT == 0;
}

EventSpec OfKind(const EventSpec& spec, std::uint32_t type) noexcept {
  EventSpec of_kind = spec;
  of_kind.config |= std::uint64_t{type} << PERF_PMU_TYPE_SHIFT;
  return of_kind;
}

// The PMU of the only kind of cores that counts the event. Empty if every kind counts it, or if the
// event's name has the PMU.
std::string_view UnnamedKindOf(const EventSpec& spec, const CoreKinds& kinds) noexcept {
  const std::string_view name(spec.name);
  if (name.find('/') != name.npos || name.find("::") != name.npos) return {};
  // PERF_TYPE_RAW is the type of the performance cores' PMU.
  for (std::size_t kind = 0; kind < kinds.count; ++kind) {
    if (spec.type == kinds.types[kind]) return kinds.pmus[kind];
  }
  return {};
}

}  // namespace

OpenedEvents OpenForEachKind(const EventList& events, const CoreKinds& kinds) noexcept {
  OpenedEvents opened;
  opened.list = events;
  opened.columns = events.count;
  for (std::size_t i = 0; i < events.count; ++i) {
    opened.column[i] = static_cast<std::uint8_t>(i);
    if (kinds.count == 0 || !IsOfAnyKind(events.events[i])) continue;
    opened.list.events[i] = OfKind(events.events[i], kinds.types[0]);
    for (std::size_t kind = 1; kind < kinds.count; ++kind) {
      std::size_t& count = opened.list.count;
      if (count == kMaxEventSpecs) {
        opened.complete = false;
        break;
      }
      opened.column[count] = static_cast<std::uint8_t>(i);
      opened.list.events[count++] = OfKind(events.events[i], kinds.types[kind]);
    }
  }
  return opened;
}

Text<200> WarningOfMissingCores(const EventList& events, const CoreKinds& kinds) noexcept {
  Text<200> line;
  // Such events are usually named together, so one warning is enough.
  for (std::size_t i = 0; i < events.count && line.size() == 0; ++i) {
    const std::string_view pmu = UnnamedKindOf(events.events[i], kinds);
    if (pmu.empty()) continue;
    line.Add("event ").Add(events.events[i].name).Add(" counts on the cores of ").Add(pmu);
    line.Add(" alone: the processor is hybrid, and what runs on its other cores has no sample");
  }
  return line;
}

}  // namespace csink
