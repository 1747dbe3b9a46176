#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <cstdint>
#include <string_view>

#include "agent/process/task_list.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/unique_fd.h"

namespace csink::agent {
namespace {

// getdents64(2): the fixed part of an entry.
struct Entry {
  std::uint64_t inode;
  std::int64_t next;
  std::uint16_t bytes;
  std::uint8_t type;
  char name[1];
};

}  // namespace

// The link count of the directory is the number of tasks + 2. No entry is read.
std::size_t CountTasks() noexcept {
  struct stat64 st = {};
  if (RawSyscall(SYS_newfstatat, AT_FDCWD, SyscallArg("/proc/self/task"), SyscallArg(&st), 0) < 0) {
    return 0;
  }
  return st.st_nlink > 2 ? st.st_nlink - 2 : 0;
}

// unshare(CLONE_VM) is refused with EINVAL if another task shares the memory (unshare(2)). Not
// called under a filter, which may kill for it.
bool IsAlone() noexcept {
  return RawSyscall(SYS_prctl, PR_GET_SECCOMP) == 0 && RawSyscall(SYS_unshare, CLONE_VM) == 0;
}

void ForEachName(const char* folder, void (*visit)(const char*, void*), void* arg) noexcept {
  const long r =
      RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (r < 0) return;
  const UniqueFd fd(static_cast<int>(r));
  // A small buffer, because the caller may be a handler; the loop reads as often as needed.
  alignas(8) char buffer[1024];
  for (;;) {
    const long got = RawSyscall(SYS_getdents64, fd.get(), SyscallArg(buffer), sizeof buffer);
    if (got <= 0) return;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
      visit(entry->name, arg);
      at += entry->bytes;
    }
  }
}

void ForEachTask(void (*visit)(pid_t, void*), void* arg) noexcept {
  struct Call {
    void (*visit)(pid_t, void*);
    void* arg;
  } call = {visit, arg};
  ForEachName(
      "/proc/self/task",
      [](const char* name, void* p) {
        const auto* call = static_cast<const Call*>(p);
        const Result<std::uint64_t> tid = ParseUnsigned(std::string_view(name));
        if (tid) call->visit(static_cast<pid_t>(*tid), call->arg);
      },
      &call);
}

}  // namespace csink::agent
