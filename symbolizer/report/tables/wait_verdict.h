#pragma once

#include <string>
#include <vector>

#include "profil/reading/model/profile.h"

namespace csink::report {

/// What the observers of waiting threads did and what limits the numbers, one line each, for the
/// verdict. Empty unless waits were recorded.
std::vector<std::string> WaitVerdict(const Profile& profile);

}  // namespace csink::report
