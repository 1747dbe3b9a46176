#pragma once

#include <string>

#include "profil/model/profile.h"

/// File: CPU time before the agent was loaded: the kernel's execve and the work of the dynamic
/// linker. It cannot be sampled, and the verdict does not judge it.

namespace csink::report {

struct BeforeAgent {
  double seconds = 0;      ///< User and system time, sum over all images of all processes
  double cpu_seconds = 0;  ///< All CPU time of these processes
};

/// The time of an image begins where the previous image of the same process ended; that time was
/// sampled.
BeforeAgent TimeBeforeAgent(const Profile& profile);

/// A sentence if this is more than 5 % of the CPU time and more than 10 ms; else "".
std::string BeforeAgentLine(const Profile& profile);

}  // namespace csink::report
