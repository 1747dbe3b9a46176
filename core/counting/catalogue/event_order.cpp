#include "core/counting/catalogue/event_order.h"

#include "core/counting/catalogue/pfm_encoding.h"

// File: the constructor goes once through all PMUs that are present and keeps, for each event, its
// place in the list of its side (core or uncore). After is then a look-up in a hash table instead
// of a walk through libpfm4.

namespace csink {
namespace {

// libpfm4 counts RAPL and the other PMUs of a socket as uncore PMUs.
PmuKind KindOf(pfm_pmu_type_t type) noexcept {
  switch (type) {
    case PFM_PMU_TYPE_CORE:
      return PmuKind::kCore;
    case PFM_PMU_TYPE_UNCORE:
      return PmuKind::kUncore;
    case PFM_PMU_TYPE_OS_GENERIC:
      return PmuKind::kSystem;
    default:
      return PmuKind::kUnknown;
  }
}

}  // namespace

EventOrder::EventOrder(const PfmLibrary& pfm) {
  ForEachPmu(pfm, [&](int number, const pfm_pmu_info_t& info) {
    // libpfm4 lists the PMUs of all models of this architecture. Only those of this machine are
    // shown, or those that LIBPFM_FORCE_PMU names.
    if (!info.is_present) return true;
    CataloguePmu pmu;
    pmu.number = number;
    pmu.name = OrEmpty(info.name);
    pmu.text = OrEmpty(info.desc);
    pmu.kind = KindOf(info.type);
    // Not positive where libpfm4 does not know the number.
    pmu.generic_counters = info.num_cntrs > 0 ? info.num_cntrs : 0;
    pmu.fixed_counters = info.num_fixed_cntrs > 0 ? info.num_fixed_cntrs : 0;
    // libpfm4 answers a name without PMU from the first PMU that has it. ix86arch lists the
    // architectural events of every Intel core beside the core's own PMU, so it is not a second
    // kind of cores.
    const bool is_kind = pmu.kind == PmuKind::kCore && pmu.name != "ix86arch";
    pmu.is_default = is_kind && core_pmus_ == 0;
    core_pmus_ += is_kind;
    std::vector<int>& events = events_[pmu.kind == PmuKind::kUncore];
    for (int event = info.first_event; event != -1; event = pfm.get_event_next(event)) {
      // For After: an event's own number tells nothing about its place, because the numbers of one
      // PMU need not be consecutive.
      places_[event] = events.size();
      events.push_back(event);
      ++pmu.events;
    }
    pmus_.push_back(pmu);
    return true;
  });
}

const CataloguePmu* EventOrder::Pmu(int number) const noexcept {
  for (const CataloguePmu& pmu : pmus_) {
    if (pmu.number == number) return &pmu;
  }
  return nullptr;
}

CatalogueSide EventOrder::SideOfPmu(int number) const noexcept {
  const CataloguePmu* pmu = Pmu(number);
  return pmu && pmu->kind == PmuKind::kUncore ? CatalogueSide::kUncore : CatalogueSide::kCore;
}

// -1 also for an event that no present PMU has.
int EventOrder::After(CatalogueSide side, int event) const noexcept {
  const auto place = places_.find(event);
  if (place == places_.end()) return -1;
  const std::vector<int>& events = Events(side);
  return place->second + 1 < events.size() ? events[place->second + 1] : -1;
}

std::string EventOrder::ListedName(const pfm_event_info_t& event) const {
  const CataloguePmu* pmu = Pmu(event.pmu);
  std::string name;
  // PAPI shows "pmu::EVENT" except for the one core PMU of a usual machine, whose events have no
  // prefix in its listings. On a hybrid processor each name has its PMU, because the same names
  // occur twice.
  if (pmu && !(pmu->is_default && core_pmus_ == 1)) {
    name = pmu->name;
    name += "::";
  }
  return name += OrEmpty(event.name);
}

}  // namespace csink
