#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/util/raw_syscall.h"
#include "core/util/unique_fd.h"
#include "profil/inside/spool/append_file.h"

/// File: the file is opened for each piece and closed at once: the agent keeps no descriptor in the
/// program's table.

namespace csink {

bool MayGrowTo(std::uint64_t bytes) noexcept {
  struct rlimit limit = {};
  if (RawSyscall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, SyscallArg(&limit)) < 0) return false;
  return limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

int AppendToFile(const char* path, const void* bytes, std::size_t count, int flags) noexcept {
  const long r =
      RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path),
                 O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600);
  if (r < 0) return static_cast<int>(-r);
  const UniqueFd fd(static_cast<int>(r));
  struct stat64 st = {};
  if (RawSyscall(SYS_newfstatat, fd.get(), SyscallArg(""), SyscallArg(&st), AT_EMPTY_PATH) < 0 ||
      (st.st_mode & S_IFMT) != S_IFREG) {
    return EINVAL;
  }
  if (!MayGrowTo(static_cast<std::uint64_t>(st.st_size) + count)) return EFBIG;
  const long written = RawSyscall(SYS_write, fd.get(), SyscallArg(bytes), static_cast<long>(count));
  if (written < 0) return static_cast<int>(-written);
  return written == static_cast<long>(count) ? 0 : ENOSPC;
}

}  // namespace csink
