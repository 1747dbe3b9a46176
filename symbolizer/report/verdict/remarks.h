#pragma once

#include <string>

#include "profil/model/profile.h"

/// File: sentences beside the verdict, about two things that the grade does not judge
/// (docs/design/report.md). Threads: any.

namespace csink::report {

/// CPU time before the agent was loaded: the kernel's execve and the work of the dynamic linker. It
/// cannot be sampled. In short programs with many libraries it may be most of the time. Sums over
/// all processes of a profile.
struct BeforeAgent {
  /// User and system time before the agent was ready, sum over all images of all processes.
  double seconds = 0;
  /// All CPU time of these processes (TotalCpu).
  double cpu_seconds = 0;
};

/// Sums the time before each image's agent. The time of an image begins where the previous image of
/// the same process ended, because that time was sampled: all images of a process share one CPU
/// clock.
BeforeAgent TimeBeforeAgent(const Profile& profile);

/// A sentence for the verdict if this is more than 5 % of the CPU time and at least 10 ms; else "".
std::string BeforeAgentLine(const Profile& profile);

/// Kernel samples in a profile that samples user mode only are counted, because the event belongs
/// to the program. An event that excludes kernel mode does not count there, but its interrupt may
/// arrive after the program has entered the kernel; then the sample has a kernel address. Returns a
/// sentence about this if such samples are at least 0.5 % of the weight of a user-mode event; else
/// "", as for profiles that sample system time.
std::string LateInterruptsLine(const Profile& profile, bool system_is_sampled);

}  // namespace csink::report
