#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profil/reading/model/profile.h"
#include "symbolizer/report/ledger/ledger.h"
#include "symbolizer/report/verdict/explained.h"
#include "symbolizer/report/verdict/wall_division.h"
#include "symbolizer/report/verdict/wall_time.h"

/// File: the verdict, which says how far a profile can be trusted. It is computed from the
/// profile's own counters only: what the kernel measured (CPU time, event times) against what the
/// samples represent. docs/json.md has the same numbers for programs.

namespace csink::report {

/// From best to worst, except kShort, which is no judgement. The values are compared.
enum class Grade {
  /// At least 95 % of the CPU time and of each event explained, at most 1 % of the samples lost, at
  /// least 100 samples, and no other finding.
  kGood,
  /// At least 80 %, or few samples, or up to 10 % lost.
  kFair,
  /// Everything below kFair, and every profile without samples.
  kPoor,
  /// Too little CPU time (kLeastJudgedSeconds) to compare it with the kernel's tick-based split.
  /// Other findings do not change this grade, except that no samples at all are kPoor.
  kShort,
};

/// A module whose functions or lines have no names.
struct ModuleProblem {
  /// Display name.
  std::string module;
  std::string build_id;  ///< Hexadecimal; empty: none
  /// What was wrong, as text for the user. Empty if the module only lacks symbols.
  std::string problem;
  /// Share of the first event's weight, 0..1.
  double share = 0;
  /// The part of `share` in functions without a name.
  double unnamed = 0;
  std::string path = {};     ///< As it was mapped
  std::string package = {};  ///< That contains the names, if the machine's packages are known
};

/// Threads that ended before their first sample, by start routine.
struct ShortThreadsByRoutine {
  std::string start_routine;  ///< Name, or "unknown"
  std::uint64_t threads = 0;
  double cpu_seconds = 0;
};

/// Everything that the end of a report says. Times are seconds of CPU time unless a comment says
/// otherwise.
struct Verdict {
  /// The account of the CPU time, which the members in seconds below repeat
  Ledger ledger;
  /// The best grade that all findings allow.
  Grade grade = Grade::kPoor;
  /// Sampled CPU time / CPU time after the agent was ready, at most 1. Without a clock event, the
  /// smallest share in `counters`. nullopt if there was too little CPU time to compare, or nothing
  /// to compare with.
  std::optional<double> explained_share;
  /// One for each event that needs a hardware counter, if something is known about it.
  std::vector<Explained> counters;
  /// The CPU time in the denominator, without pauses.
  double judged_seconds = 0;
  /// The denominator is user time. If false, it is user and system time together.
  bool of_user_time = true;
  /// explained_share is that of a clock event.
  bool of_clock = false;
  /// Sum over all events.
  std::uint64_t samples = 0;
  /// Samples that the kernel dropped.
  std::uint64_t lost_records = 0;
  /// Times that the kernel throttled an event.
  std::uint64_t throttled = 0;
  /// Samples for which the spool's table had no bucket.
  std::uint64_t unplaced = 0;
  /// Smallest running/enabled of an event, below 0.999. nullopt if no event was multiplexed.
  std::optional<double> multiplexed;
  /// CPU time without samples, indexed by spool::Loss; kUnexplained: of unknown cause
  std::array<double, spool::kLossCauses> lost_seconds{};
  /// CPU time of threads that no hook saw, before a search found them; not in lost_seconds
  double unseen_seconds = 0;
  /// CPU time that no profile contains (Where::kOutside); not in lost_seconds. 0: less than 1 % or
  /// 10 ms
  double unprofiled_seconds = 0;
  /// CPU time while the program had its events disabled (PR_TASK_PERF_EVENTS_DISABLE, prctl(2));
  /// not in lost_seconds.
  double switched_off_seconds = 0;
  /// Estimated cost of context switches (verdict.cpp); not in lost_seconds
  double switching_seconds = 0;
  std::uint64_t switches = 0;  ///< How often threads left a CPU, sum of all processes
  /// Threads that the agents knew, and those of them that were sampled. Sums over all images.
  std::uint64_t threads_seen = 0;
  std::uint64_t threads_sampled = 0;
  /// CPU time of the agent / of the program, at most 1. The interrupts that take samples are not in
  /// it.
  std::optional<double> agent_share;
  /// Ledger::interrupt_seconds / CPU time of the program, at most 1
  std::optional<double> interrupt_share;
  double paused_seconds = 0;  ///< CPU time during pauses: neither judged nor lost
  /// Lower bound for the wall time in which no thread ran: wall time less all CPU time. Samples of
  /// CPU time say nothing about it: threads were blocked, or had no CPU. 0 for a report of one
  /// mark.
  double idle_seconds = 0;
  std::uint64_t bad_stacks = 0;   ///< Call chains that were cut
  std::vector<ProcessWall> wall;  ///< WallOffCpu
  /// DivideWall: of the whole run, also in a profile of one mark
  std::optional<WallDivision> division;
  /// By share, the largest first. Filled in by BuildReport, as short_threads.
  std::vector<ModuleProblem> modules_without_symbols;
  std::vector<ShortThreadsByRoutine> short_threads;
  /// Where the packages with names come from, as a clause for the user; empty: not known.
  std::string debug_archive;
  /// Further lines for the user, in the order in which they were found. They may contain names from
  /// files and are not safe for a terminal.
  std::vector<std::string> notes;
};

/// Less CPU time, in seconds, is not compared with getrusage(2)'s split into user and system time,
/// which some kernels estimate from ticks of 4 to 10 ms.
inline constexpr double kLeastJudgedSeconds = 0.1;

/// Computes everything except modules_without_symbols, short_threads and idle_seconds, which need
/// names and the report's wall time (BuildReport). A profile of one mark is not judged by CPU time,
/// because CPU time and losses are those of the whole run.
Verdict Judge(const Profile& profile);

}  // namespace csink::report
