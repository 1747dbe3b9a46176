#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profil/model/profile.h"

/// File: wall time in which a process used no CPU: it waited, or had no core. Samples of CPU time
/// say nothing about it.

namespace csink::report {

/// One image of a process. A thread's wall time is known of the main thread alone: it is the
/// process's own.
struct ProcessWall {
  std::uint32_t pid = 0;
  bool is_one_of_several = false;  ///< The profile has other processes
  std::string program;
  double wall_seconds = 0;     ///< From the agent's (or the interval's) start to the last update
  double on_cpu_seconds = 0;   ///< Of the main thread in that time, in user mode and in the kernel
  double off_cpu_seconds = 0;  ///< The rest, at least 0: what no sample can explain
};

/// Of the processes whose main thread's CPU time is known: single-threaded ones, and those whose
/// main thread has samples; sums of many processes are left out. Longest off the CPU first.
std::vector<ProcessWall> WallOffCpu(const Profile& profile);

/// "wall 3.40 s x 1 main thread: 0.30 s (8.8%) not on a CPU; ..."; "" where it is less than a tenth
/// of the wall time or 50 ms.
std::string WallLine(const std::vector<ProcessWall>& wall);

}  // namespace csink::report
