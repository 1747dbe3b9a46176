#pragma once

#include <string>

#include "profil/model/profile.h"

/// File: CPU time before the agent was loaded: the kernel's execve and the work of the dynamic
/// linker. It cannot be sampled, and the verdict does not judge it. In short programs with many
/// libraries it may be most of the time (docs/design/report.md).

namespace csink::report {

/// Sums over all processes of a profile.
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

}  // namespace csink::report
