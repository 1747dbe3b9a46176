#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profil/reading/model/profile.h"
#include "symbolizer/report/ledger/cause.h"
#include "symbolizer/report/ledger/process_times.h"

/// File: the account of the CPU time of a process tree, or of one process. Every number and every
/// cause that a report names for CPU time is from here.
///
///   cpu = explained + the sum of the remainders
///
/// A remainder never exceeds what the remainders before it left, so that the sum holds where
/// clocks that were read one after the other disagree. What no recorded fact accounts for is the
/// remainder with Cause::kUnknown.

namespace csink::report {

/// Times are seconds of CPU time, user and system together unless a comment says otherwise.
struct Ledger {
  /// All that is known: what waits returned, what processes read, what csink run counted.
  double cpu_seconds = 0;
  double user_seconds = 0;
  double system_seconds = 0;
  /// Part of cpu_seconds of which only the sum of user and system time is known
  double undivided_seconds = 0;
  /// CPU time of the processes with a profile while they were sampled, in the modes that the events
  /// include
  double judged_seconds = 0;
  /// What the samples of the clock event represent, at most judged_seconds. 0 without a clock event
  double explained_seconds = 0;
  bool has_clock = false;  ///< A clock event was sampled
  /// What the profiler used in the processes. A part of it is in samples, the others in remainders.
  double profiler_seconds = 0;
  /// What the interrupts of the samples cost in the kernel: their number times what one costs on
  /// this machine. An estimate, and a part of the program's CPU time. nullopt: not measured
  std::optional<double> interrupt_seconds;
  double unknown_seconds = 0;   ///< Sum of the remainders with Cause::kUnknown
  std::uint64_t processes = 0;  ///< Processes with and without a profile; images are none
  std::uint64_t unprofiled_processes = 0;  ///< Those of them that left no samples
  /// Without those of 0 s, the largest first. One for each cause with its evidence, and each Where
  std::vector<Remainder> remainders;

  /// Sums of remainders.
  double SecondsOf(Cause cause) const noexcept;
  double SecondsOf(Where where) const noexcept;
  double SecondsOf(Cause cause, Where where) const noexcept;
};

/// The first clock event; nullptr if none was sampled.
const EventTotals* ClockOf(const Profile& profile);

/// Whether the profile's clock event includes kernel time: ":k" in its name, or a CPU timer, which
/// cannot exclude it. Without a clock event, the first event decides.
bool SystemIsSampled(const Profile& profile);

Ledger MakeLedger(const Profile& profile);

}  // namespace csink::report
