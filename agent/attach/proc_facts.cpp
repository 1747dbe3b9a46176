#include "agent/attach/proc_facts.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "core/machine/clocks.h"
#include "core/machine/thread_times.h"
#include "core/util/maps_line.h"
#include "core/util/parse.h"
#include "core/util/text_file.h"

/// File: see the header. Sources: proc(5) and the kernel's fs/proc/array.c.

namespace csink::attach {
namespace {

// PF_KTHREAD of include/linux/sched.h, in the field `flags`.
constexpr std::uint64_t kKernelThread = 0x00200000;
// Fields of /proc/PID/stat, counted from 1 as in proc(5).
constexpr std::size_t kState = 3;
constexpr std::size_t kParent = 4;
constexpr std::size_t kFlags = 9;
constexpr std::size_t kUserTicks = 14;
constexpr std::size_t kSystemTicks = 15;
constexpr std::size_t kStartTicks = 22;
constexpr std::size_t kExitStatus = 52;

std::uint64_t Number(const std::vector<std::string_view>& fields, std::size_t field) {
  // The first field of the list is the state.
  const std::size_t index = field - kState;
  if (index >= fields.size()) return 0;
  const auto number = ParseUnsigned(fields[index]);
  return number ? *number : 0;
}

std::uint64_t Nanoseconds(std::uint64_t ticks) {
  static const long a_second = sysconf(_SC_CLK_TCK);
  return a_second > 0 ? ticks * (1'000'000'000u / static_cast<std::uint64_t>(a_second)) : 0;
}

// The number of the innermost pid namespace in the text of a status file.
std::optional<pid_t> LastNumberIn(const std::string& status) {
  // "NSpid: outer ... inner", separated by tabs (Linux 4.1).
  std::string_view numbers = FieldOf(status, "NSpid");
  std::string_view inner;
  while (!numbers.empty()) inner = NextToken(numbers, '\t');
  const auto number = ParseUnsigned(inner);
  if (!number || *number > 0x7fffffff) return std::nullopt;
  return static_cast<pid_t>(*number);
}

}  // namespace

std::uint64_t StartRealtimeNs(const ProcessStat& stat) {
  const std::uint64_t realtime = RealtimeNs();
  const std::uint64_t boot = BootNs();
  const std::uint64_t start = Nanoseconds(stat.start_ticks);
  if (start == 0 || start > boot || boot - start > realtime) return 0;
  return realtime - (boot - start);
}

std::optional<ProcessStat> ParseProcessStat(std::string_view text) {
  // The name is in parentheses and may contain parentheses and blanks: the last ')' ends it.
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  std::vector<std::string_view> fields;
  std::string_view rest = Trimmed(text.substr(close + 1));
  while (!rest.empty()) fields.push_back(NextToken(rest, ' '));
  if (fields.size() <= kStartTicks - kState || fields[0].size() != 1) return std::nullopt;
  ProcessStat stat;
  stat.name = std::string(text.substr(open + 1, close - open - 1));
  stat.state = fields[0][0];
  stat.parent_pid = static_cast<std::uint32_t>(Number(fields, kParent));
  stat.is_kernel_thread = (Number(fields, kFlags) & kKernelThread) != 0;
  stat.user_ns = Nanoseconds(Number(fields, kUserTicks));
  stat.system_ns = Nanoseconds(Number(fields, kSystemTicks));
  stat.start_ticks = Number(fields, kStartTicks);
  stat.exit_status = static_cast<std::uint32_t>(Number(fields, kExitStatus));
  return stat;
}

std::optional<ProcessStat> ReadProcessStat(const std::string& folder) {
  return ParseProcessStat(ReadTextFile(folder + "/stat"));
}

std::optional<TaskTimes> ReadTaskTimes(const std::string& folder, pid_t tid) {
  const auto times =
      ParseThreadTimes(ReadTextFile(folder + "/task/" + std::to_string(tid) + "/schedstat"));
  if (!times) return std::nullopt;
  return TaskTimes{times->run_ns, times->wait_ns, times->turns};
}

std::vector<pid_t> ThreadsOf(const std::string& folder) {
  std::vector<pid_t> threads;
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir((folder + "/task").c_str()), closedir);
  if (!tasks) return threads;
  while (const dirent* entry = readdir(tasks.get())) {
    const auto tid = ParseUnsigned(entry->d_name);
    if (tid && *tid <= 0x7fffffff) threads.push_back(static_cast<pid_t>(*tid));
  }
  std::sort(threads.begin(), threads.end());
  return threads;
}

std::string ThreadName(const std::string& folder, pid_t tid) {
  std::string name = ReadTextFile(folder + "/task/" + std::to_string(tid) + "/comm");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

std::optional<pid_t> InnerTid(const std::string& folder, pid_t tid) {
  return LastNumberIn(ReadTextFile(folder + "/task/" + std::to_string(tid) + "/status"));
}

std::optional<std::uint32_t> InnerPid(const std::string& folder) {
  const auto number = LastNumberIn(ReadTextFile(folder + "/status"));
  return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

std::string CommandOf(const std::string& folder) {
  std::string command = ReadTextFile(folder + "/cmdline");
  while (!command.empty() && command.back() == '\0') command.pop_back();
  std::replace(command.begin(), command.end(), '\0', ' ');
  return command;
}

std::string LinkOf(const std::string& folder, const char* name) {
  const std::string link = folder + "/" + name;
  char path[PATH_MAX];
  const ssize_t n = readlink(link.c_str(), path, sizeof path - 1);
  if (n <= 0) return "";
  NamedFile file;
  struct stat status;
  if (stat(link.c_str(), &status) == 0) {
    file = {status.st_ino, major(status.st_dev), minor(status.st_dev), /*escaped=*/false};
  }
  const std::string root = folder + "/root";
  return {path, DecodeFileName(path, static_cast<std::size_t>(n), file, root.c_str()).bytes};
}

std::optional<std::uint32_t> UserOf(const std::string& folder) {
  const std::string status = ReadTextFile(folder + "/status");
  // "Uid: real effective saved file system", separated by tabs.
  std::string_view ids = FieldOf(status, "Uid");
  NextToken(ids, '\t');
  const auto effective = ParseUnsigned(NextToken(ids, '\t'));
  if (!effective) return std::nullopt;
  return static_cast<std::uint32_t>(*effective);
}

bool HasAgentMapped(const std::string& folder) {
  return ReadTextFile(folder + "/maps").find("/libagent.so") != std::string::npos;
}

}  // namespace csink::attach
