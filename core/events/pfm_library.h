#pragma once

#include <linux/perf_event.h>  // before libpfm4's header, which else brings its own copy
#include <perfmon/pfmlib_perf_event.h>

namespace csink {

/// libpfm4, opened when it is first needed (0.7 ms to load, 1.5 ms to initialise,
/// so never for the built-in names) and never closed: its names are static
/// strings that we hand out, and the program may use the same copy.
/// Threads: one at a time.
struct PfmLibrary {
  decltype(&pfm_initialize) initialize = nullptr;
  decltype(&pfm_strerror) strerror = nullptr;
  decltype(&pfm_get_pmu_info) get_pmu_info = nullptr;
  decltype(&pfm_get_event_next) get_event_next = nullptr;
  decltype(&pfm_find_event) find_event = nullptr;
  decltype(&pfm_get_event_info) get_event_info = nullptr;
  decltype(&pfm_get_event_attr_info) get_event_attr_info = nullptr;
  decltype(&pfm_get_os_event_encoding) get_os_event_encoding = nullptr;

  /// nullptr: it cannot be loaded (the same answer every time).
  static const PfmLibrary* Get() noexcept;

  /// True when libpfm4 knows a PMU of that number; fills its description.
  bool Pmu(int number, pfm_pmu_info_t& info) const noexcept;
};

/// Calls visit(name, pmu_info, event_info) for each event of the PMUs that this
/// machine has, until it returns false. False: it did.
template <class Visit>
bool ForEachPfmEvent(const PfmLibrary& pfm, Visit visit) noexcept {
  for (int number = PFM_PMU_NONE; number < PFM_PMU_MAX; ++number) {
    pfm_pmu_info_t pmu;
    if (!pfm.Pmu(number, pmu) || !pmu.is_present) continue;
    for (int index = pmu.first_event; index != -1; index = pfm.get_event_next(index)) {
      pfm_event_info_t event{};
      event.size = sizeof(event);
      if (pfm.get_event_info(index, PFM_OS_PERF_EVENT_EXT, &event) != PFM_SUCCESS) continue;
      if (event.name && !visit(pmu, event)) return false;
    }
  }
  return true;
}

/// The same for the unit masks and modifiers of one event: visit(attr_info).
template <class Visit>
bool ForEachPfmAttribute(const PfmLibrary& pfm, const pfm_event_info_t& event,
                         Visit visit) noexcept {
  for (int i = 0; i < event.nattrs; ++i) {
    pfm_event_attr_info_t attribute{};
    attribute.size = sizeof(attribute);
    if (pfm.get_event_attr_info(event.idx, i, PFM_OS_PERF_EVENT_EXT, &attribute) != PFM_SUCCESS) {
      continue;
    }
    if (attribute.name && !visit(attribute)) return false;
  }
  return true;
}

}  // namespace csink
