#include "agent/settings/complain.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>

#include "core/machine/maps.h"
#include "core/util/fnv1a.h"
#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"
#include "core/util/unique_fd.h"

/// File: warnings that only the first process of a tree prints. The parent's settings are compared
/// by a sum over its environment in /proc, and its mappings tell whether the agent is loaded in it.

namespace csink::agent {
namespace {

// A parent's environment of more than 1 MiB counts as different.
constexpr std::size_t kMostEnvironmentBytes = 1 << 20;

// A sum of the hashes of CSINK_* and LD_PRELOAD, independent of their order. Fed byte by byte with
// NUL-ended variables.
class SettingsSum {
 public:
  // The hash of a variable is added to the sum when its NUL comes, if the variable is one of ours.
  void Feed(char c) noexcept {
    if (c != 0) {
      if (length_ < sizeof begin_) begin_[length_++] = c;
      hash_ = Fnv1aAdd(hash_, c);
      return;
    }
    const std::string_view begin(begin_, length_);
    if (begin.starts_with("CSINK_") || begin.starts_with("LD_PRELOAD=")) sum_ += hash_;
    hash_ = kFnv1aBegin;
    length_ = 0;
  }
  std::uint64_t sum() const noexcept { return sum_; }

 private:
  // Longer than both beginnings that are compared.
  char begin_[16];
  std::size_t length_ = 0;
  std::uint64_t hash_ = kFnv1aBegin;
  std::uint64_t sum_ = 0;
};

// The sum over the present environment of this process. The parent's is the one that it was started
// with; a program that changes its CSINK_* makes its children complain again.
std::uint64_t OwnSettings() noexcept {
  SettingsSum settings;
  for (char** variable = environ; variable && *variable; ++variable) {
    for (const char* c = *variable; *c != 0; ++c) settings.Feed(*c);
    settings.Feed(0);
  }
  return settings.sum();
}

// The sum over the environment with which a process was started. `process`: its folder in /proc.
// Returns false if the environment cannot be read or is larger than 1 MiB.
bool SettingsOf(const Text<64>& process, std::uint64_t* sum) noexcept {
  Text<64> path;
  path.Add(process.view()).Add("/environ");
  const long r = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path.c_str()), O_RDONLY | O_CLOEXEC);
  if (r < 0) return false;
  const UniqueFd fd(static_cast<int>(r));
  SettingsSum settings;
  char piece[4096];
  // The environment may have a MiB, so it is read in pieces.
  for (std::size_t done = 0; done < kMostEnvironmentBytes;) {
    const long got = RawSyscall(SYS_read, fd.get(), SyscallArg(piece), sizeof piece);
    if (got < 0) return false;
    if (got == 0) {
      *sum = settings.sum();
      return true;
    }
    for (long i = 0; i < got; ++i) settings.Feed(piece[i]);
    done += static_cast<std::size_t>(got);
  }
  return false;
}

// True if libagent.so is mapped in the process. A statically linked parent has the settings but not
// the agent, and has printed nothing.
bool HasLoadedUs(const Text<64>& process) noexcept {
  Text<64> path;
  path.Add(process.view()).Add("/maps");
  bool found = false;
  const auto visit = [](const MapsLine& line, void* arg) noexcept {
    if (!line.path.ends_with("/libagent.so")) return true;
    *static_cast<bool*>(arg) = true;
    return false;
  };
  (void)ForEachMapping(path.c_str(), visit, &found);
  return found;
}

// Whether the parent runs with the agent and the same settings. What /proc does not tell is "no".
bool ParentHasSaidIt() noexcept {
  const long parent = RawSyscall(SYS_getppid);
  // 0: the parent is in another PID namespace. 1: the parent has ended, or init started the
  // process.
  if (parent <= 1) return false;
  Text<64> process;
  process.Add("/proc/").Number(static_cast<std::uint64_t>(parent));
  std::uint64_t settings = 0;
  return SettingsOf(process, &settings) && settings == OwnSettings() && HasLoadedUs(process);
}

}  // namespace

void Complain(std::string_view line) noexcept {
  // The answer for this process; a forked child has another parent and asks again.
  static long asked_in = 0;
  static bool said = false;
  // At info a user looks for messages, so none is left out.
  if (GetLogLevel() <= LogLevel::kWarn) {
    const long self = RawSyscall(SYS_getpid);
    if (asked_in != self) {
      asked_in = self;
      said = ParentHasSaidIt();
    }
    if (said) return;
  }
  RawLog(LogLevel::kWarn, line);
}

}  // namespace csink::agent
