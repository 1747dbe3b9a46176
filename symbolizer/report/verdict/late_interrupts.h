#pragma once

#include <string>

#include "profil/model/profile.h"

/// File: kernel samples in a profile that samples user mode only.

namespace csink::report {

/// An event that excludes kernel mode does not count there, but its interrupt may arrive after the
/// program has entered the kernel; then the sample has a kernel address. Returns a sentence about
/// this if such samples are at least 0.5 % of an event; else "".
std::string LateInterruptsLine(const Profile& profile, bool system_is_sampled);

}  // namespace csink::report
