#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "agent/exec/exec_target.h"
#include "core/util/fnv1a.h"
#include "core/util/parse.h"
#include "core/util/preloadable.h"
#include "core/util/raw_syscall.h"
#include "core/util/unique_fd.h"

namespace csink::agent {
namespace {

using spool::Refusal;

// Absolute paths that were found good, by hash: a make runs the same ten programs all day.
constexpr std::size_t kGood = 64;
std::atomic<std::uint64_t> g_good[kGood];

std::uint64_t Hash(const char* text) noexcept { return Fnv1a(text) | 1; }

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

UniqueFd Open(int folder, const char* path) noexcept {
  const long r = RawSyscall(SYS_openat, folder, SyscallArg(path),
                            O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  return UniqueFd(r >= 0 ? static_cast<int>(r) : -1);
}

// What the kernel calls an open file.
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

const char* PathList() noexcept {
  for (char** variable = environ; variable && *variable; ++variable) {
    if (std::strncmp(*variable, "PATH=", 5) == 0) return *variable + 5;
  }
  return "/bin:/usr/bin";
}

// Along PATH of this process, the first file that may be executed.
bool Search(const char* name, Text<512>& path) noexcept {
  std::string_view rest = PathList();
  while (!rest.empty()) {
    const std::string_view folder = NextToken(rest, ':');
    path.Clear();
    path.Add(folder.empty() ? "." : folder).Add('/').Add(name);
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
  // A name that is not there, or not in memory, is the exec's own business.
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
  std::atomic<std::uint64_t>& good = g_good[key % kGood];
  const bool absolute = path.c_str()[0] == '/';
  if (absolute && good.load(std::memory_order_relaxed) == key) return Refusal::kNone;
  const UniqueFd fd = Open(target.folder, path.c_str());
  if (!fd) return Refusal::kNone;
  const Refusal why = RefusalOf(FindPreloadObstacle(fd.get(), path.view()));
  if (why == Refusal::kNone && absolute) good.store(key, std::memory_order_relaxed);
  return why;
}

}  // namespace csink::agent
