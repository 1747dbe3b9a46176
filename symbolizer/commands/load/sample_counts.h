#pragma once

#include <cstdint>

#include "profil/reading/model/profile.h"

namespace csink::tool {

/// The number of samples of the event that has most. 0 if nothing was sampled.
std::uint64_t MostSamples(const Profile& profile);

/// The number of looks at blocked threads (CSINK_WAIT). A program that only waits deserves a
/// report, too.
std::uint64_t LooksAtWaits(const Profile& profile);

/// The number of samples that a clock event with the usual period of 1 ms would have had in threads
/// that were not sampled. A program with only such threads deserves a report, too: its verdict says
/// what happened.
std::uint64_t MissedSamples(const Profile& profile);
/// With fewer missed samples, the report only says that there are no samples.
inline constexpr std::uint64_t kManyMissed = 20;

}  // namespace csink::tool
