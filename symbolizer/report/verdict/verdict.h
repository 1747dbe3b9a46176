#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profil/model/profile.h"
#include "symbolizer/report/verdict/explained.h"
#include "symbolizer/report/verdict/wall_time.h"

/// File: the verdict, which says how far a profile can be trusted. It is computed from the
/// profile's own counters only.

namespace csink::report {

enum class Grade {
  kGood,   ///< At least 95 % of the CPU time and of each event explained, hardly any losses.
  kFair,   ///< At least 80 %, or few samples, or up to 10 % lost.
  kPoor,   ///< Everything below kFair.
  kShort,  ///< Too little CPU time to compare it with the kernel's tick-based split.
};

struct ModuleProblem {
  std::string module;
  std::string build_id;  ///< Hexadecimal; empty: none
  std::string problem;
  double share = 0;  ///< Share of the first event
};

struct ShortThreadsByRoutine {
  std::string start_routine;  ///< Name, or "unknown"
  std::uint64_t threads = 0;
  double cpu_seconds = 0;
};

struct Verdict {
  Grade grade = Grade::kPoor;
  /// Sampled CPU time / CPU time after the agent was ready, at most 1. Without a clock event, the
  /// smallest share in `counters`. nullopt: too little CPU time to compare.
  std::optional<double> explained_share;
  /// Events that need a counter, if something is known about them
  std::vector<Explained> counters;
  double judged_seconds = 0;  ///< The CPU time in the denominator, without pauses.
  bool of_user_time = true;   ///< False: user and system time together
  bool of_clock = false;      ///< explained_share is that of a clock event
  std::uint64_t samples = 0;  ///< All events
  std::uint64_t lost_records = 0;
  std::uint64_t throttled = 0;
  std::uint64_t unplaced = 0;
  std::optional<double> multiplexed;  ///< Smallest running/enabled; nullopt: always 1
  std::array<double, spool::kLossCauses> lost_seconds{};  ///< Indexed by spool::Loss
  /// CPU time in threads that the agent did not see; not in lost_seconds
  double unseen_seconds = 0;
  /// CPU time while the program had disabled events; not in lost_seconds
  double switched_off_seconds = 0;
  /// Estimated cost of context switches (verdict.cpp); not in lost_seconds
  double switching_seconds = 0;
  std::uint64_t switches = 0;  ///< How often threads left a CPU, sum of all processes
  std::uint64_t threads_seen = 0;
  std::uint64_t threads_sampled = 0;
  std::optional<double> agent_share;  ///< CPU time of the agent / of the program
  double paused_seconds = 0;          ///< CPU time during pauses: neither judged nor lost
  /// Lower bound for the wall time in which no thread ran: wall time less all CPU time. Samples of
  /// CPU time say nothing about it: threads were blocked, or had no CPU.
  double idle_seconds = 0;
  std::uint64_t bad_stacks = 0;   ///< Call chains that were cut
  std::vector<ProcessWall> wall;  ///< WallOffCpu
  std::vector<ModuleProblem> modules_without_symbols;
  std::vector<ShortThreadsByRoutine> short_threads;
  std::vector<std::string> notes;  ///< Further lines for the user
};

/// Less CPU time is not compared with getrusage's split into user and system time, which some
/// kernels estimate from ticks of 4 to 10 ms.
inline constexpr double kLeastJudgedSeconds = 0.1;

/// CPU time of all processes. Images of one process (execve) share one clock, so the latest value
/// counts. `csink run` may know more than the spools.
struct CpuSeconds {
  double user = 0;
  double system = 0;
};
CpuSeconds TotalCpu(const Profile& profile);  ///< Of processes that left a spool.

/// Whether the profile's clock event includes kernel time: ":k" in its name, or a CPU timer, which
/// cannot exclude it.
bool SystemIsSampled(const Profile& profile);

/// Computes everything except modules_without_symbols and short_threads, which need names.
Verdict Judge(const Profile& profile);

}  // namespace csink::report
