#include <fcntl.h>
#include <sys/resource.h>

#include "agent/waiting/thread_files.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"

/// File: reads files of /proc through descriptors that stay open, as far as the limit of
/// descriptors allows. A thread that ends leaves a descriptor that gives ESRCH, so a reused TID
/// cannot be mistaken.

namespace csink::agent {
namespace {

constexpr std::size_t kMostFiles = 2048;
// Descriptors for everything else on the control thread: fifos, lists of mappings, snapshots.
constexpr std::size_t kOtherFiles = 64;

}  // namespace

long ThreadFiles::Read(int& kept, bool may_keep, std::string_view folder, pid_t tid,
                       std::string_view name, char* out, std::size_t size) noexcept {
  const long bytes = static_cast<long>(size);
  // A read at offset 0 makes the kernel compose the contents of the file anew.
  if (kept != 0) return RawSyscall(SYS_pread64, kept - 1, SyscallArg(out), bytes, 0);
  Text<128> path;
  path.Add(folder).Add("/task/").Signed(tid).Add('/').Add(name);
  const long fd = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path.c_str()), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fd;
  const long got = RawSyscall(SYS_pread64, fd, SyscallArg(out), bytes, 0);
  // A file that cannot be read is not kept: the thread is gone, or the file is refused.
  if (may_keep && got >= 0) {
    kept = static_cast<int>(fd) + 1;
  } else {
    RawSyscall(SYS_close, fd);
  }
  return got;
}

void ThreadFiles::Close() noexcept {
  for (int* kept : {&syscall_plus_one, &times_plus_one}) {
    if (*kept != 0) RawSyscall(SYS_close, *kept - 1);
    *kept = 0;
  }
}

std::size_t MostKeptFiles() noexcept {
  rlimit limit = {};
  if (RawSyscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, SyscallArg(&limit)) != 0) return 0;
  // 0: each look opens the files and closes them again.
  if (limit.rlim_cur <= 2 * kOtherFiles) return 0;
  const std::size_t room = static_cast<std::size_t>(limit.rlim_cur) - kOtherFiles;
  return room < kMostFiles ? room : kMostFiles;
}

}  // namespace csink::agent
