#pragma once

#include <string>
#include <vector>

#include "profil/reading/model/profile.h"

/// File: what the verdict says about limits that a spool reached: samples without a bucket and
/// without a name have their cause there. Threads: any.

namespace csink::report {

/// One line for each limit: mappings that found no room, and each errno for which spools could not
/// grow. Empty if there are none.
std::vector<std::string> LimitNotes(const Profile& profile);

}  // namespace csink::report
