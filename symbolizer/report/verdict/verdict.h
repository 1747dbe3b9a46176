#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profil/model/profile.h"
#include "symbolizer/report/verdict/explained.h"
#include "symbolizer/report/verdict/wall_time.h"

/// File: how far a profile can be trusted, from its own counters alone.

namespace csink::report {

enum class Grade {
  kGood,   ///< At least 95 % of the CPU time and of each event explained, next to nothing lost.
  kFair,   ///< At least 80 %, or few samples, or up to 10 % lost.
  kPoor,   ///< Less.
  kShort,  ///< Too little CPU time for the kernel's tick-based split to be compared with.
};

struct ModuleProblem {
  std::string module;
  std::string build_id;  ///< Hexadecimal; empty: none
  std::string problem;
  double share = 0;  ///< Of the first event
};

struct ShortThreadsByRoutine {
  std::string start_routine;  ///< Named, or "unknown"
  std::uint64_t threads = 0;
  double cpu_seconds = 0;
};

struct Verdict {
  Grade grade = Grade::kPoor;
  /// Sampled CPU time / CPU time after the agent was ready, at most 1. Without a clock event the
  /// least share of `counters`. None when there was too little to compare.
  std::optional<double> explained_share;
  std::vector<Explained> counters;  ///< Events that need a counter, where something is known
  double judged_seconds = 0;        ///< That CPU time, less pauses.
  bool of_user_time = true;         ///< false: user and system time together
  bool of_clock = false;            ///< explained_share is a clock event's
  std::uint64_t samples = 0;        ///< All events
  std::uint64_t lost_records = 0;
  std::uint64_t throttled = 0;
  std::uint64_t unplaced = 0;
  std::optional<double> multiplexed;                      ///< Least running/enabled, where below 1
  std::array<double, spool::kLossCauses> lost_seconds{};  ///< Indexed by spool::Loss
  double unseen_seconds = 0;        ///< In threads that the agent never saw: not in lost_seconds
  double switched_off_seconds = 0;  ///< While the program had events switched off: likewise
  double switching_seconds = 0;     ///< What switches may have cost, see verdict.cpp: likewise
  std::uint64_t switches = 0;       ///< Of threads that left a CPU, in all processes
  std::uint64_t threads_seen = 0;
  std::uint64_t threads_sampled = 0;
  std::optional<double> agent_share;  ///< Agent's CPU time / the program's
  double paused_seconds = 0;          ///< CPU time that fell into pauses: neither judged nor lost
  /// Wall time in which no thread ran, at least: wall time less all CPU time. Samples of CPU time
  /// say nothing of it: threads were blocked, or had no core.
  double idle_seconds = 0;
  std::uint64_t bad_stacks = 0;   ///< Call chains that were cut
  std::vector<ProcessWall> wall;  ///< WallOffCpu
  std::vector<ModuleProblem> modules_without_symbols;
  std::vector<ShortThreadsByRoutine> short_threads;
  std::vector<std::string> notes;  ///< Further lines for people
};

/// CPU time below this is not compared with getrusage's user/system split, which
/// some kernels make from ticks of 4 to 10 ms.
inline constexpr double kLeastJudgedSeconds = 0.1;

/// CPU time of all processes. Exec generations of one process share one clock,
/// so the latest counts; `csink run` may know more than the spools.
struct CpuSeconds {
  double user = 0;
  double system = 0;
};
CpuSeconds TotalCpu(const Profile& profile);  ///< Of processes that left a spool.

/// Whether the profile's clock column counts kernel time too (":k" in its name,
/// or a CPU timer, which cannot leave it out).
bool SystemIsSampled(const Profile& profile);

/// Everything but modules_without_symbols and short_threads, which need names.
Verdict Judge(const Profile& profile);

}  // namespace csink::report
