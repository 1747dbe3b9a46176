#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "agent/lifecycle/exec_target.h"
#include "core/util/fnv1a.h"
#include "core/util/parse.h"
#include "core/util/preloadable.h"
#include "core/util/raw_syscall.h"
#include "core/util/unique_fd.h"

/// File: finds the file of an exec call as the C library finds it, and asks core/util/preloadable.h
/// about it. Where a step fails the answer is kNone, so that exec itself reports the error.

namespace csink::agent {
namespace {

using spool::Refusal;

// Hashes of absolute paths that were found good, because a make executes the same few programs all
// the time. A collision replaces an entry, which is examined again. A program that is replaced by
// an unfit one under the same path goes unnoticed.
constexpr std::size_t kGood = 64;
std::atomic<std::uint64_t> g_good[kGood];

// Never 0, which marks an unused entry.
std::uint64_t Hash(const char* text) noexcept { return Fnv1a(text) | 1; }

// The number in the tree's record for a reason of core/util/preloadable.h.
Refusal RefusalOf(PreloadObstacle obstacle) noexcept {
  switch (obstacle) {
    case PreloadObstacle::kNone:
      break;
    case PreloadObstacle::kSetId:
      return Refusal::kSetId;
    case PreloadObstacle::kCapabilities:
      return Refusal::kCapabilities;
    case PreloadObstacle::kOtherMachine:
      return Refusal::kOtherMachine;
    case PreloadObstacle::kStatic:
      return Refusal::kStatic;
    case PreloadObstacle::kMusl:
      return Refusal::kMusl;
  }
  return Refusal::kNone;
}

// O_NONBLOCK and O_NOCTTY: a fifo or a terminal under this name must not stop the program.
UniqueFd Open(int folder, const char* path) noexcept {
  const long r = RawSyscall(SYS_openat, folder, SyscallArg(path),
                            O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  return UniqueFd(r >= 0 ? static_cast<int>(r) : -1);
}

// The kernel's name of an open file, or its descriptor number where /proc cannot be read.
void NameOf(int fd, Text<512>& path) noexcept {
  Text<32> link;
  link.Add("/proc/self/fd/").Signed(fd);
  char name[500];
  const long n =
      RawSyscall(SYS_readlinkat, AT_FDCWD, SyscallArg(link.c_str()), SyscallArg(name), sizeof name);
  if (n > 0) {
    path.Add(std::string_view(name, static_cast<std::size_t>(n)));
  } else {
    path.Add("[descriptor ").Signed(fd).Add(']');
  }
}

// From `environ` and not getenv, which programs define themselves. The default is that of execvp.
const char* PathList() noexcept {
  for (char** variable = environ; variable && *variable; ++variable) {
    if (std::strncmp(*variable, "PATH=", 5) == 0) return *variable + 5;
  }
  return "/bin:/usr/bin";
}

// Writes the first executable file along PATH of this process into `path`. Returns false if there
// is none.
bool Search(const char* name, Text<512>& path) noexcept {
  std::string_view rest = PathList();
  while (!rest.empty()) {
    const std::string_view folder = NextToken(rest, ':');
    path.Clear();
    // An empty entry of PATH is the working directory.
    path.Add(folder.empty() ? "." : folder).Add('/').Add(name);
    // execvp also goes on after a file that it may not execute.
    if (RawSyscall(SYS_faccessat, AT_FDCWD, SyscallArg(path.c_str()), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

Refusal WhyNotFollowed(const ExecTarget& target, Text<512>& path) noexcept {
  if (!target.name || !target.name[0]) {
    NameOf(target.folder, path);
    return RefusalOf(FindPreloadObstacle(target.folder, path.view()));
  }
  // A name that does not exist, or an invalid address, is the exec's own error.
  if (!target.search &&
      RawSyscall(SYS_faccessat, target.folder, SyscallArg(target.name), F_OK) < 0) {
    return Refusal::kNone;
  }
  if (target.search && !std::memchr(target.name, '/', std::strlen(target.name))) {
    if (!Search(target.name, path)) return Refusal::kNone;
  } else {
    path.Add(target.name);
  }
  const std::uint64_t key = Hash(path.c_str());
  // Relaxed: an entry is one word, and an outdated one only costs another look.
  std::atomic<std::uint64_t>& good = g_good[key % kGood];
  const bool absolute = path.c_str()[0] == '/';
  if (absolute && good.load(std::memory_order_relaxed) == key) return Refusal::kNone;
  const UniqueFd fd = Open(target.folder, path.c_str());
  // A file that cannot be read may still be executable, and exec decides.
  if (!fd) return Refusal::kNone;
  const Refusal why = RefusalOf(FindPreloadObstacle(fd.get(), path.view()));
  // Only absolute paths: a relative one depends on the working directory.
  if (why == Refusal::kNone && absolute) good.store(key, std::memory_order_relaxed);
  return why;
}

}  // namespace csink::agent
