#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profil/reading/model/profile.h"

/// File: wall time in which a process used no CPU, because it waited or had no CPU. Samples of CPU
/// time say nothing about it.

namespace csink::report {

/// One image of a process. Wall time is known only for the main thread: it is that of the process.
struct ProcessWall {
  /// In the process's own pid namespace.
  std::uint32_t pid = 0;
  /// The profile has other processes, so the line names this one.
  bool is_one_of_several = false;
  std::string program;
  /// From the start of the agent (or of the interval, in `csink top`) to the last update.
  double wall_seconds = 0;
  double on_cpu_seconds = 0;   ///< CPU time of the main thread in that time, user and kernel
  double off_cpu_seconds = 0;  ///< The rest, at least 0; no sample can explain it
};

/// The wall time of each process image, longest time off the CPU first. Only processes whose main
/// thread's CPU time is known: single-threaded ones, and those whose main thread has samples and a
/// record of its own. Merged sums of many processes are left out.
std::vector<ProcessWall> WallOffCpu(const Profile& profile);

/// A sentence about the first process of `wall` that was off the CPU for at least a tenth of its
/// wall time and 50 ms: "the main thread was not on a CPU for 1.3 s (38.2%) of 3.4 s of wall time:
/// ...". Further
/// such processes are counted. "" if there is none.
std::string WallLine(const std::vector<ProcessWall>& wall);

}  // namespace csink::report
