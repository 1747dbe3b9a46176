#pragma once

#include <string>

#include "profil/model/profile.h"

/// File: what the verdict says about processes that died without notice. The agent cannot see
/// SIGKILL, so that their profiles end at the last drain. Threads: any.

namespace csink::report {

/// The state of killed processes, why they were killed where that is known, how much of them is
/// missing, and what to do. "" if no process was killed.
std::string KilledNote(const Profile& profile);

/// "by 2 killed processes after their last update, or ": where CPU time of the tree may be that no
/// profile has. "" if no process was killed.
std::string EndsOfKilled(const Profile& profile);

}  // namespace csink::report
