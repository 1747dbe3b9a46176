#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/ledger/cause.h"
#include "symbolizer/report/ledger/process_times.h"

/// File: the CPU time of the processes with a profile: which part of it could be sampled, and what
/// the agent recorded of its losses. Threads: any, read only.

namespace csink::report {

/// How the readings of all processes divide. Nanoseconds. The parts may overlap by the precision of
/// the kernel's split into user and system time.
struct ProfiledTime {
  /// In which samples could be expected: after the agents were ready, less pauses, in the modes
  /// that the events include
  std::uint64_t judged_ns = 0;
  std::uint64_t before_agent_ns = 0;
  std::uint64_t profiler_start_ns = 0;  ///< Of the agents until their events were armed
  std::uint64_t paused_ns = 0;
  std::uint64_t system_ns = 0;     ///< Kernel mode after that, where the events exclude it
  std::uint64_t profiler_ns = 0;   ///< All that the agents used
  std::uint64_t interrupt_ns = 0;  ///< Estimate for the interrupts of the samples
};
ProfiledTime DivideProfiled(const Profile& profile, const ProcessTimes& times);

/// A loss that agents recorded.
struct ProfileLoss {
  Cause cause = Cause::kUnknown;
  std::uint64_t ns = 0;
  std::uint64_t count = 0;  ///< By the cause, as Evidence::count
  std::uint64_t processes = 0;
};
/// One for each cause, in the order in which they are to be taken from what is not sampled.
std::vector<ProfileLoss> LossesOf(const Profile& profile);

/// CPU time of an image in which samples could be expected, nanoseconds.
std::uint64_t JudgedNs(const Profile& profile, const ProcessRow& image);

}  // namespace csink::report
