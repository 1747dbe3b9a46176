#pragma once

#include <string>
#include <vector>

#include "profil/reading/model/profile.h"

/// File: what the verdict says about processes that ended without the agent's notice. The agent
/// cannot see SIGKILL or an exit by a raw system call, so that their profiles end at the last
/// drain. How they ended is known from wait calls alone. Threads: any.

namespace csink::report {

/// One line for each way in which such processes ended: killed by a signal, exited, not known. Each
/// says how much of them is missing. Empty if there are none.
std::vector<std::string> UnseenEndNotes(const Profile& profile);

}  // namespace csink::report
