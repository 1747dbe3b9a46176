#pragma once

#include <cstdint>
#include <vector>

/// File: what a recorder notes of threads that wait for each other, as flat records in any order.
/// Times are CLOCK_MONOTONIC in ns; log.h makes a log of them.

namespace csink::critical {

/// What a moment is: the kinds of the spool, which are described there, and two that are inferred.
/// A wait lasts from start_ns to end_ns; a point has one time.
enum class MomentKind : std::uint32_t {
#define CSINK_MOMENT(kind, number) kind = number,  // NOLINT(bugprone-macro-parentheses)
#include "profil/format/moment_kinds.inc"
#undef CSINK_MOMENT
  kUnseenWait = 60,  ///< Blocked as the switches say, without a hook; made by AddUnseenWaits
  kSpinWait = 61,    ///< Samples in a spinning loop; made by MakeLog
};

/// Kinds from this number on are points.
inline constexpr std::uint32_t kFirstPoint = 64;
inline bool IsPoint(MomentKind kind) noexcept {
  return static_cast<std::uint32_t>(kind) >= kFirstPoint;
}

/// Flags of a wait: the thread left it by cancellation or a jump; it still waited when its process
/// ended. No waker ended such a wait.
inline constexpr std::uint32_t kMomentCut = 1;
inline constexpr std::uint32_t kMomentOpen = 2;

/// One wait or point of a thread.
struct Moment {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;   ///< Of a point: start_ns
  std::uint64_t object = 0;  ///< Unique in a process; inodes and pids in the machine
  std::uint64_t value = 0;
  std::uint32_t thread = 0;  ///< Index into RawLog::threads
  MomentKind kind = MomentKind::kMutexWait;
  std::uint32_t flags = 0;

  /// Whether a waker ended the wait, or something outside.
  bool WasEnded() const noexcept { return (flags & (kMomentCut | kMomentOpen)) == 0; }
};

/// A sample with its time.
struct RawSample {
  std::int64_t time_ns = 0;
  std::uint32_t thread = 0;
  std::uint32_t chain = 0;  ///< Index into RawLog::chains
};

enum class SwitchKind : std::uint32_t { kIn = 1, kOutBlocked = 2, kOutPreempted = 3 };

/// A thread took or left a processor.
struct RawSwitch {
  std::int64_t time_ns = 0;
  std::uint32_t thread = 0;
  SwitchKind kind = SwitchKind::kIn;
};

/// Time in which switches of a thread were lost: those that are left say nothing there.
struct LostSwitches {
  std::uint32_t thread = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

struct Process {
  std::uint32_t pid = 0;
};

struct RawThread {
  std::uint32_t process = 0;  ///< Index into RawLog::processes
  std::uint32_t tid = 0;
  std::uint64_t handle = 0;   ///< pthread_t; 0: not known
  std::int64_t start_ns = 0;  ///< 0: not known; its first record, then
  std::int64_t end_ns = 0;    ///< 0: not known; its last record, then
};

/// The code of a sample: ids of places, the innermost first. A place is what the caller of this
/// room wants to know the shares of: a function, or a line. Ids are numbers from 0 on; 0xffffffff
/// is no place.
using Chain = std::vector<std::uint32_t>;

/// All records of a run and of all its processes.
struct RawLog {
  std::vector<Process> processes;
  std::vector<RawThread> threads;
  std::vector<Moment> moments;
  std::vector<RawSample> samples;
  std::vector<RawSwitch> switches;
  std::vector<LostSwitches> lost_switches;
  std::vector<Chain> chains;
  /// For each chain whether its innermost code spins: waits in a loop with the instruction `pause`.
  /// May be shorter than `chains`.
  std::vector<bool> spins;
  std::int64_t period_ns = 0;    ///< CPU time between two samples; 0: from the log
  std::uint32_t processors = 0;  ///< That the program may use; 0 counts as 1
};

}  // namespace csink::critical
