#pragma once

#include <unordered_map>

#include "core/catalogue/native_catalogue.h"
#include "core/events/pfm_library.h"

namespace csink {

/// The PMUs of this machine and their events, in libpfm4's order.
/// Owns:    its lists; the texts belong to libpfm4. Threads: construction: one; reading: any.
///          Signals: not safe.
class EventOrder {
 public:
  explicit EventOrder(const PfmLibrary& pfm);

  const std::vector<CataloguePmu>& pmus() const noexcept { return pmus_; }
  /// The PMU with libpfm4's number; nullptr: it is not present.
  const CataloguePmu* Pmu(int number) const noexcept;
  CatalogueSide SideOfPmu(int number) const noexcept;

  /// libpfm4's indices of the events of a side, in order.
  const std::vector<int>& Events(CatalogueSide side) const noexcept {
    return events_[side == CatalogueSide::kUncore];
  }
  /// The event after `event` on the same side; -1: there is none.
  int After(CatalogueSide side, int event) const noexcept;

  /// The name under which an event is listed: "CYCLE_ACTIVITY" for the only default PMU,
  /// "perf::TASK-CLOCK" for others. Where several core PMUs are present (hybrid processors), every
  /// name states its PMU.
  std::string ListedName(const pfm_event_info_t& event) const;

 private:
  std::vector<CataloguePmu> pmus_;
  std::vector<int> events_[2];
  std::unordered_map<int, std::size_t> places_;
  int core_pmus_ = 0;
};

}  // namespace csink
