#pragma once

#include <unordered_map>

#include "core/catalogue/native_catalogue.h"
#include "core/events/pfm_library.h"

namespace csink {

/// The PMUs that are present and their events, in libpfm4's order.
/// Owns: its lists; the texts are libpfm4's. Threads: one at a time; reading: any.
class EventOrder {
 public:
  explicit EventOrder(const PfmLibrary& pfm);

  const std::vector<CataloguePmu>& pmus() const noexcept { return pmus_; }
  /// By libpfm4's number; nullptr: not present.
  const CataloguePmu* Pmu(int number) const noexcept;
  CatalogueSide SideOfPmu(int number) const noexcept;

  /// libpfm4's indices of a side's events, in order.
  const std::vector<int>& Events(CatalogueSide side) const noexcept {
    return events_[side == CatalogueSide::kUncore];
  }
  /// The event behind `event` on the same side; -1: it was the last.
  int After(CatalogueSide side, int event) const noexcept;

  /// "CYCLE_ACTIVITY" of the only default PMU, "perf::TASK-CLOCK" of any other. Where several
  /// core PMUs are present (hybrid CPUs) every name has its PMU.
  std::string ListedName(const pfm_event_info_t& event) const;

 private:
  std::vector<CataloguePmu> pmus_;
  std::vector<int> events_[2];
  std::unordered_map<int, std::size_t> places_;
  int core_pmus_ = 0;
};

}  // namespace csink
