#pragma once

#include <string>

#include "profil/model/profile.h"

/// File: CPU time that passed before the agent was loaded: the kernel's exec and the dynamic
/// linker's work. No sample can be of it, and the verdict does not judge it.

namespace csink::report {

struct BeforeAgent {
  double seconds = 0;      ///< Of all images of all processes, user and system time
  double cpu_seconds = 0;  ///< All their CPU time
};

/// An image begins where the one before it in the same process ended: that one's time was sampled.
BeforeAgent TimeBeforeAgent(const Profile& profile);

/// A sentence where it is more than 5 % of the CPU time and 10 ms; else "".
std::string BeforeAgentLine(const Profile& profile);

}  // namespace csink::report
