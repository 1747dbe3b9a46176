#pragma once

#include <cstddef>
#include <string_view>

#include "agent/start/doctor_trial.h"
#include "core/events/event_listing.h"

namespace csink::agent {

/// Prints the event names that can be sampled here, after trying each of them, and then how many
/// names were left out and why. An event that needs a unit mask is printed if one of its masks can
/// be sampled. A trial takes about 10 us.
/// Owns:    nothing; kernel and machine must live longer.
/// Threads: one. Signals: not safe.
class SampledNames {
 public:
  /// `print` writes one line of the list; lines end with '\n'.
  SampledNames(Kernel& kernel, const TrialMachine& machine,
               void (*print)(std::string_view)) noexcept
      : kernel_(kernel), machine_(machine), print_(print) {}

  /// Tries a name and prints it if it can be sampled. Unit masks follow their event.
  void Add(const EventName& name) noexcept;
  /// Prints the numbers and reasons of the names that were left out. Call once, after the last Add.
  void Finish() noexcept;

 private:
  struct Reason {
    /// One reason and how many names it concerns.
    Text<200> why;
    std::size_t names = 0;
  };
  /// Counts a name under `why`; the first kMostReasons - 1 different reasons have a row each.
  void LeaveOut(std::string_view why) noexcept;
  /// The event that waits for a unit mask is left out: no mask of it could be sampled.
  void GiveUpWaiting() noexcept;

  static constexpr std::size_t kMostReasons = 6;  // the last one collects all further reasons
  Kernel& kernel_;
  const TrialMachine& machine_;
  void (*print_)(std::string_view);
  std::size_t names_ = 0;     ///< Names that Add has seen
  std::size_t left_out_ = 0;  ///< Names that were not printed
  /// Line of an event without a unit mask, until a mask of it can be sampled
  Text<1024> waiting_;
  Reason reasons_[kMostReasons];
};

}  // namespace csink::agent
