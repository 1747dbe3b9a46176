#pragma once

#include <vector>

#include "profil/reading/model/profile.h"
#include "symbolizer/report/tables/ranks.h"
#include "symbolizer/report/tables/wait_places.h"

namespace csink::report {

/// Where the main threads of the ranks of an MPI job were blocked (CSINK_WAIT), the largest mean
/// first. Empty unless there are two ranks or more and blocked threads were observed. Threads that
/// MPI starts for itself, which are blocked nearly all the time, are left out.
/// `places`: those of PlacesOfWaits.
std::vector<RankWait> MakeRankWaits(const Profile& profile, const std::vector<WaitPlace>& places);

}  // namespace csink::report
