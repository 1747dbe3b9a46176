#pragma once

#include <cstddef>
#include <string_view>

#include "agent/doctor/doctor_trial.h"
#include "core/events/event_listing.h"

namespace csink::agent {

/// Prints the event names that can be sampled here, each tried, and behind them how many are left
/// out and why. An event that needs a unit mask stands where one of its masks can be sampled.
/// Threads: one. Signals: not safe.
class SampledNames {
 public:
  SampledNames(Kernel& kernel, const TrialMachine& machine,
               void (*print)(std::string_view)) noexcept
      : kernel_(kernel), machine_(machine), print_(print) {}

  void Add(const EventName& name) noexcept;
  /// The numbers of what was left out.
  void Finish() noexcept;

 private:
  struct Reason {
    Text<200> why;
    std::size_t names = 0;
  };
  void LeaveOut(std::string_view why) noexcept;
  void GiveUpWaiting() noexcept;

  static constexpr std::size_t kMostReasons = 6;  // the last one takes the rest
  Kernel& kernel_;
  const TrialMachine& machine_;
  void (*print_)(std::string_view);
  std::size_t names_ = 0;
  std::size_t left_out_ = 0;
  Text<1024> waiting_;  ///< An event that may yet have a unit mask
  Reason reasons_[kMostReasons];
};

}  // namespace csink::agent
