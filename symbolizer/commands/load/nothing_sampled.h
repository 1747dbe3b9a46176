#pragma once

#include <string>

#include "profil/reading/model/profile.h"

/// File: explains a profile that has processes but no samples.

namespace csink::tool {

/// For a profile without samples whose processes used at least 0.1 s of user time under the agent:
/// what happened and what to do, such as "rffff counted nothing in 0.40 s of user time: ...". ""
/// for all other profiles.
std::string WhyNothingWasSampled(const Profile& profile);

}  // namespace csink::tool
