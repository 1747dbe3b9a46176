#pragma once

#include <cstdint>
#include <string>

/// File: the causes of CPU time that samples do not explain. A cause is a value with its evidence;
/// texts are made of it here and nowhere else. Threads: any.

namespace csink::report {

/// What CPU time without samples was used for. A cause other than kUnknown needs recorded evidence;
/// none is chosen because no other fits.
enum class Cause {
  // Processes without a profile.
  kStatic,         ///< A program without a dynamic linker was executed.
  kSetId,          ///< A setuid or setgid program was executed.
  kCapabilities,   ///< A program with file capabilities was executed.
  kOtherMachine,   ///< A program of another architecture was executed.
  kNoEnvironment,  ///< A program was executed without the agent in its environment.
  kMusl,           ///< A program of another C library was executed.
  kExcluded,       ///< The settings exclude the process.
  kSpoolRefused,   ///< No spool could be made; Evidence::error.
  // Before, beside and behind the samples of a process.
  kBeforeAgent,       ///< From exec until the agent was ready: the kernel's exec, dynamic linking
  kAfterLastReading,  ///< From the agent's last reading to the end: the process's exit
  kKilled,            ///< Likewise, of a process that a signal ended; Evidence::status
  kExited,            ///< Likewise, of a process whose exit the agent did not see; Evidence::status
  kSandbox,           ///< After the process entered a sandbox
  kProfiler,          ///< The profiler's own work where no event samples it
  kPaused,            ///< In a pause that was asked for
  kSystemTime,        ///< Kernel mode, which the events exclude
  /// The samples are no time: no clock event was sampled, or only those after the mark
  /// Evidence::program are in the profile
  kNotCompared,
  // Losses within the samples of a process.
  kNoRing,        ///< In threads without a ring buffer
  kFullRing,      ///< While ring buffers were full
  kShortThreads,  ///< In threads that ended before a sample was due
  kLateThreads,   ///< In threads that no hook saw, before a search found them
  kSwitchedOff,   ///< While the program had its events switched off
  kSwitches,      ///< Work of the kernel at context switches that is counted as user time
  kFewSamples,    ///< In processes with fewer samples than kFewSamplesOfAProcess
  kUnknown,       ///< What remains
};

/// A process with fewer samples is too short to say by samples how much CPU time it used.
inline constexpr std::uint64_t kFewSamplesOfAProcess = 10;

/// What was recorded for a cause. Members that do not belong to the cause are empty or 0.
struct Evidence {
  std::string program = {};  ///< Path as executed, or the process's program
  int error = 0;             ///< errno
  int status = -1;           ///< Of a wait call; -1: none
  std::uint64_t count = 0;   ///< Samples, threads, context switches: by the cause
};

/// Which part of the CPU time a remainder is of.
enum class Where {
  kSampled,  ///< Processes with a profile, while they were sampled
  kBeside,   ///< Processes with a profile, in their readings, while they were not sampled
  kOutside,  ///< What no profile has
};

/// A part of the CPU time, with its cause.
struct Remainder {
  Cause cause = Cause::kUnknown;
  Evidence evidence;
  double seconds = 0;
  std::uint64_t processes = 0;  ///< Number of processes that it is of; 0: not known
  Where where = Where::kOutside;
};

/// "SIGKILL", or "signal 40" for a signal without a name.
std::string SignalName(int signal);
/// The word of docs/report.schema.json: "static-program".
const char* WordFor(Cause cause);
/// Words behind an amount of time, without the number of processes: "in /bin/busybox, which is
/// statically linked". They may contain names from files and are not safe for a terminal.
std::string WordsFor(const Remainder& remainder);

}  // namespace csink::report
