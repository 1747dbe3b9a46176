#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profil/reading/model/profile.h"

/// File: how the wall time of all threads of a profile divides into running, waiting for a
/// processor and being blocked. The kernel counts the parts (schedstat); nothing here is sampled.

namespace csink::report {

/// Of the time that threads waited for a processor, the part in which the processors were taken by
/// threads of the same program: what fewer threads, or more processors, would avoid. The rest they
/// waited for other programs, or for a CPU limit of their group.
///
/// The scheduler does not say for whom a thread waited, but its sums bound the answer. N:
/// processors that the program may use; T: wall time; R and W: running and waiting time of all
/// threads; M: number of threads.
/// * Others have used at most N * T - R. While they use k processors, at most k more threads of the
///   program could run without them. So at most N * T - R of W was for others, and
///     least = max(0, W - (N * T - R)).
/// * The program takes its own processors only while more than N of its threads want to run. So
///     most = min(W, max(0, M - N) * T).
/// Both assume that no processor idles while a thread waits for it, which the kernel's balancing
/// ensures except for milliseconds.
struct OwnWaiting {
  double least_seconds = 0;
  double most_seconds = 0;  ///< At least least_seconds
};

/// Sums over all threads that the agents knew, seconds.
struct WallDivision {
  std::uint64_t threads = 0;  ///< Number of threads in the sums
  double wall_seconds = 0;    ///< Sum of the threads' lives, from the agent's start on
  double running_seconds = 0;
  double waiting_seconds = 0;  ///< Runnable, but waiting for a processor
  double blocked_seconds = 0;
  /// Waiting or blocked: threads that lived less than 2 ms, a rest of less than 0.5 ms for each
  /// thread, and all where schedstat is not readable
  double undivided_seconds = 0;
  std::uint32_t processors = 0;  ///< The most that a main thread may use; 0: not known
  /// Why schedstat could not be read (errno); ENODATA: the kernel does not keep it. 0: it could
  std::uint32_t read_errno = 0;
  /// nullopt: the processes ran on several machines, or `processors` is not known
  std::optional<OwnWaiting> own_waiting;
};

/// The sums of all processes; nullopt if no process has times (spools of older agents).
std::optional<WallDivision> DivideWall(const Profile& profile);

/// "threads: 12.3 s running, 0.4 s waiting for a processor, 31.0 s blocked (5 threads, 43.7 s of
/// wall time together)", why a part is not divided, and for whom threads waited if that was at
/// least 50 ms and 5 % of the time in which they wanted to run.
std::string DivisionLine(const WallDivision& division);

}  // namespace csink::report
