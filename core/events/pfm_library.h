#pragma once

#include <linux/perf_event.h>  // before libpfm4's header, which otherwise includes its own copy
#include <perfmon/pfmlib_perf_event.h>

#include "core/util/text.h"

/// File: libpfm4 as a struct of its functions, so that tables of ours and fakes of the tests can
/// take its place. Lean: dlopen, no other library is linked.

namespace csink {

struct CpuFacts;

/// The result of encoding an event string. A fresh object is passed to each Encode.
struct PfmEncoding {
  /// PFM_SUCCESS or libpfm4's error code; the other members are valid only with PFM_SUCCESS.
  int code = PFM_ERR_NOTFOUND;
  perf_event_attr attr = {};
  /// The value of the modifier cpu=; -1: not given.
  int cpu = -1;
  /// The event's index: PMU << 21 | number of the event in its PMU.
  int event = -1;
  /// The canonical spelling with all modifiers, "skx::UOPS_ISSUED:ANY:e=0:i=0:c=0:u=1:k=1". May be
  /// empty.
  Text<1024> canonical;
};

/// libpfm4's functions. libpfm4 is loaded when it is first needed (0.7 ms to load, 1.5 ms to
/// initialise), so never for the built-in names. It is never closed: we return its static strings,
/// and the program may use the same copy.
///
/// The same functions give access to the tables of processors that libpfm4 does not know
/// (event_tables.h), as PMUs kFirstTablePmu and above. Where both have a PMU of one name, the one
/// with more events is present.
/// Owns:    libpfm4's handle, for the life of the process. Threads: one at a time. Signals: not
///          safe.
struct PfmLibrary {
  /// By libpfm4's names, without "pfm_" (man pages pfm_initialize(3) to
  /// pfm_get_os_event_encoding(3)). All may be null where only tables are there, except for those
  /// that the join replaces.
  decltype(&pfm_initialize) initialize = nullptr;
  decltype(&pfm_strerror) strerror = nullptr;
  decltype(&pfm_get_pmu_info) get_pmu_info = nullptr;
  decltype(&pfm_get_event_next) get_event_next = nullptr;
  decltype(&pfm_find_event) find_event = nullptr;
  decltype(&pfm_get_event_info) get_event_info = nullptr;
  decltype(&pfm_get_event_attr_info) get_event_attr_info = nullptr;
  decltype(&pfm_get_os_event_encoding) get_os_event_encoding = nullptr;
  bool has_tables = false;  ///< Some functions are ours, which join libpfm4 and the tables

  /// All PMU numbers are smaller, whichever libpfm4 is loaded: its event indices have 10 bits for
  /// them. (PFM_PMU_MAX of the header is that of the libpfm4 that we were built with.)
  static constexpr int kMostPmus = 1024;
  static constexpr int kFirstTablePmu = 1000;

  /// libpfm4 joined with the tables; nullptr: libpfm4 cannot be loaded, and no table is for this
  /// processor. The same result at each call, also after a failure: libpfm4 is searched for once.
  static const PfmLibrary* Get() noexcept;

  /// libpfm4 without the tables; nullptr: it cannot be loaded, lacks a function, or fails to
  /// initialise.
  static const PfmLibrary* Libpfm4() noexcept;

  /// Joins `own` (nullptr: there is no libpfm4) and the tables of `cpu`; nullptr: there is neither.
  /// Returns `own` itself where no table is used. Otherwise the result is a single global object,
  /// which each call overwrites.
  static const PfmLibrary* WithTables(const PfmLibrary* own, const CpuFacts& cpu) noexcept;

  /// Fills in the description of PMU `number`, present or not. Returns false if there is no such
  /// PMU.
  bool Pmu(int number, pfm_pmu_info_t& info) const noexcept;

  /// Encodes an event string "pmu::EVENT:ATTRIBUTES" for these privilege levels (PFM_PLM0 |
  /// PFM_PLM3), which apply where the string states no level. Failures are in PfmEncoding::code;
  /// PFM_ERR_NOTFOUND also where the event is no table's and libpfm4 is missing.
  void Encode(const char* event, int levels, PfmEncoding& answer) const noexcept;
};

/// Calls visit(number, info) for each PMU that is known, present or not, in the order of numbers,
/// until a visit returns false. Returns false if one did. The strings of `info` live as long as the
/// process.
template <class Visit>
bool ForEachPmu(const PfmLibrary& pfm, Visit visit) noexcept {
  for (int number = PFM_PMU_NONE; number < PfmLibrary::kMostPmus; ++number) {
    pfm_pmu_info_t pmu;
    if (pfm.Pmu(number, pmu) && !visit(number, pmu)) return false;
  }
  return true;
}

/// Calls visit(pmu_info, event_info) for each event of the PMUs of this machine, until a visit
/// returns false. Returns false if one did. Events without a name, and those that libpfm4 cannot
/// describe, are left out.
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

/// The same for the unit masks and modifiers of one event: visit(attr_info). Unit masks come before
/// modifiers for events of the tables.
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
