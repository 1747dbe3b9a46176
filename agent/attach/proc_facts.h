#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/util/result.h"

/// File: what /proc says of another process. All paths are folders such as "/proc/4711", so that
/// tests can make their own. Files of /proc are text of the kernel, but the names in them are the
/// program's: no length is trusted.
/// Threads: any. Signals: not safe (heap).

namespace csink::attach {

/// The fields of /proc/PID/stat that are needed (proc(5)).
struct ProcessStat {
  std::string name;  ///< comm; may contain any byte
  char state = 0;    ///< 'Z', 'X': ended, and not waited for
  bool HasEnded() const { return state == 'Z' || state == 'X'; }
  std::uint32_t parent_pid = 0;
  bool is_kernel_thread = false;
  /// CPU time of all threads, those that ended included, in ns. The kernel counts in clock ticks.
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  std::uint64_t start_ticks = 0;  ///< In clock ticks since boot; with the pid identifies a process
  /// As waitpid(2) gives it, of a zombie; 0 where the caller may not trace the process
  std::uint32_t exit_status = 0;
};

/// CLOCK_REALTIME of the process's start in ns, computed from its start ticks and the clocks of
/// this moment; 0: not known. The kernel counts the ticks in the time namespace of the reader, so
/// the namespace of the process does not matter. A clock that was set meanwhile moves the result.
std::uint64_t StartRealtimeNs(const ProcessStat& stat);

/// Parses a line of /proc/PID/stat. nullopt: not such a line.
std::optional<ProcessStat> ParseProcessStat(std::string_view text);
/// Reads `folder`/stat. nullopt: there is no such process.
std::optional<ProcessStat> ReadProcessStat(const std::string& folder);

/// Times of one thread from `folder`/task/TID/schedstat; empty where the thread is gone or the
/// kernel does not keep them.
struct TaskTimes {
  std::uint64_t run_ns = 0;
  std::uint64_t wait_ns = 0;
  std::uint64_t turns = 0;
};
std::optional<TaskTimes> ReadTaskTimes(const std::string& folder, pid_t tid);

/// The threads in `folder`/task, sorted. Empty: the process has ended.
std::vector<pid_t> ThreadsOf(const std::string& folder);
/// The name of a thread (`folder`/task/TID/comm); empty: it has ended.
std::string ThreadName(const std::string& folder, pid_t tid);
/// The number that the thread has in its own pid namespace; nullopt: not readable.
std::optional<pid_t> InnerTid(const std::string& folder, pid_t tid);
/// The number that the process has in its own pid namespace, from `folder`/status; nullopt: not
/// readable.
std::optional<std::uint32_t> InnerPid(const std::string& folder);
/// The arguments with a blank between them, as a spool has them.
std::string CommandOf(const std::string& folder);
/// Where a symbolic link of the folder points ("exe", "cwd"); empty: not readable. " (deleted)" at
/// the end is cut off unless the file's name ends so.
std::string LinkOf(const std::string& folder, const char* name);
/// The effective user of the process; nullopt: it has ended.
std::optional<std::uint32_t> UserOf(const std::string& folder);
/// Whether the process has libagent.so mapped.
bool HasAgentMapped(const std::string& folder);

}  // namespace csink::attach
