#pragma once

#include <string>

#include "profil/model/profile.h"

/// File: samples in the kernel of a profile that samples user mode alone.

namespace csink::report {

/// An event that excludes kernel mode stops counting there, but its interrupt may arrive after the
/// program has entered the kernel: the sample then has an address of the kernel's. A sentence that
/// says so, where these are 0.5 % of an event or more; else "".
std::string LateInterruptsLine(const Profile& profile, bool system_is_sampled);

}  // namespace csink::report
