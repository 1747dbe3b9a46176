#pragma once

#include <unordered_map>

#include "core/counting/catalogue/native_catalogue.h"
#include "core/events/pfm_library.h"

namespace csink {

/// The PMUs of this machine and their events, in libpfm4's order.
/// Owns:    its lists; the texts belong to libpfm4. Threads: construction: one; reading: any.
///          Signals: not safe.
class EventOrder {
 public:
  /// Asks libpfm4 for all present PMUs and their events. `pfm` is used here only.
  explicit EventOrder(const PfmLibrary& pfm);

  /// The present PMUs in libpfm4's order.
  const std::vector<CataloguePmu>& pmus() const noexcept { return pmus_; }
  /// The PMU with libpfm4's number; nullptr: it is not present. Valid as long as this object.
  const CataloguePmu* Pmu(int number) const noexcept;
  /// kUncore for an uncore PMU; kCore for all others, also for one that is not present.
  CatalogueSide SideOfPmu(int number) const noexcept;

  /// libpfm4's indices of the events of a side, in order.
  const std::vector<int>& Events(CatalogueSide side) const noexcept {
    return events_[side == CatalogueSide::kUncore];
  }
  /// The event after `event` on the same side; -1: there is none, or `event` is not listed.
  int After(CatalogueSide side, int event) const noexcept;

  /// The name under which an event is listed: "CYCLE_ACTIVITY" for the only default PMU,
  /// "perf::TASK-CLOCK" for others. Where several core PMUs are present (hybrid processors), every
  /// name states its PMU.
  std::string ListedName(const pfm_event_info_t& event) const;

 private:
  /// In the order of libpfm4's PMU numbers as ForEachPmu visits them.
  std::vector<CataloguePmu> pmus_;
  std::vector<int> events_[2];
  /// The position of each event in the list of its side.
  std::unordered_map<int, std::size_t> places_;
  /// Kinds of cores: more than one on hybrid processors.
  int core_pmus_ = 0;
};

}  // namespace csink
