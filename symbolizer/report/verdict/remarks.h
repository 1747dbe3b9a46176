#pragma once

#include <string>

#include "profil/reading/model/profile.h"

/// File: a sentence beside the verdict, about what the grade does not judge.
/// Threads: any.

namespace csink::report {

/// Kernel samples in a profile that samples user mode only are counted, because the event belongs
/// to the program. An event that excludes kernel mode does not count there, but its interrupt may
/// arrive after the program has entered the kernel; then the sample has a kernel address. Returns a
/// sentence about this if such samples are at least 0.5 % of the weight of a user-mode event; else
/// "", as for profiles that sample system time.
std::string LateInterruptsLine(const Profile& profile, bool system_is_sampled);

}  // namespace csink::report
