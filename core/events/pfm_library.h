#pragma once

#include <linux/perf_event.h>  // before libpfm4's header, which else brings its own copy
#include <perfmon/pfmlib_perf_event.h>

#include "core/util/text.h"

namespace csink {

struct CpuFacts;

/// The answer to an event string.
struct PfmEncoding {
  int code = PFM_ERR_NOTFOUND;
  perf_event_attr attr = {};
  int cpu = -1;
  int event = -1;        ///< The event's index
  Text<1024> canonical;  ///< "skx::UOPS_ISSUED:ANY:e=0:i=0:c=0:u=1:k=1"
};

/// libpfm4, opened when it is first needed (0.7 ms to load, 1.5 ms to initialise,
/// so never for the built-in names) and never closed: its names are static
/// strings that we hand out, and the program may use the same copy.
///
/// Behind the same functions are the tables of processors that libpfm4 does not know
/// (event_tables.h): PMUs kFirstTablePmu and above. Where both have a PMU of that name, the one
/// with more events is present.
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
  bool has_tables = false;

  /// PMUs have smaller numbers, whatever libpfm4 is opened: its event indices have 10 bits for
  /// them. The header's PFM_PMU_MAX is that of the libpfm4 that we were built with.
  static constexpr int kMostPmus = 1024;
  static constexpr int kFirstTablePmu = 1000;

  /// nullptr: libpfm4 cannot be loaded, and no table is of this processor (the same answer every
  /// time).
  static const PfmLibrary* Get() noexcept;

  /// libpfm4 alone; nullptr: it cannot be loaded.
  static const PfmLibrary* Libpfm4() noexcept;

  /// Adds the tables of `cpu` to `own` (nullptr: there is no libpfm4). nullptr: there is neither.
  /// The answer is one object: each call replaces the one before.
  static const PfmLibrary* WithTables(const PfmLibrary* own, const CpuFacts& cpu) noexcept;

  /// True when there is a PMU of that number; fills its description.
  bool Pmu(int number, pfm_pmu_info_t& info) const noexcept;

  /// Encodes an event string for those privilege levels (PFM_PLM0 | PFM_PLM3).
  void Encode(const char* event, int levels, PfmEncoding& answer) const noexcept;
};

/// Calls visit(number, info) for each PMU that is known, present or not, until it returns false.
/// False: it did.
template <class Visit>
bool ForEachPmu(const PfmLibrary& pfm, Visit visit) noexcept {
  for (int number = PFM_PMU_NONE; number < PfmLibrary::kMostPmus; ++number) {
    pfm_pmu_info_t pmu;
    if (pfm.Pmu(number, pmu) && !visit(number, pmu)) return false;
  }
  return true;
}

/// Calls visit(pmu_info, event_info) for each event of the PMUs that this
/// machine has, until it returns false. False: it did.
template <class Visit>
bool ForEachPfmEvent(const PfmLibrary& pfm, Visit visit) noexcept {
  return ForEachPmu(pfm, [&](int, const pfm_pmu_info_t& pmu) {
    if (!pmu.is_present) return true;
    for (int index = pmu.first_event; index != -1; index = pfm.get_event_next(index)) {
      pfm_event_info_t event{};
      event.size = sizeof(event);
      if (pfm.get_event_info(index, PFM_OS_PERF_EVENT_EXT, &event) != PFM_SUCCESS) continue;
      if (event.name && !visit(pmu, event)) return false;
    }
    return true;
  });
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
