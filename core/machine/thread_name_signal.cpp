#include <fcntl.h>

#include <cstring>

#include "core/machine/thread_name.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"
#include "core/util/unique_fd.h"

namespace csink {

void ReadThreadName(pid_t tid, char (&name)[16]) noexcept {
  Text<64> path;
  path.Add("/proc/self/task/").Number(static_cast<std::uint64_t>(tid)).Add("/comm");
  long r = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path.c_str()), O_RDONLY | O_CLOEXEC);
  if (r < 0) return;
  const UniqueFd fd(static_cast<int>(r));
  char text[16];
  r = RawSyscall(SYS_read, fd.get(), SyscallArg(text), sizeof text);
  if (r <= 0) return;
  if (text[r - 1] == '\n') --r;
  if (r > 15) r = 15;
  std::memcpy(name, text, static_cast<std::size_t>(r));
  name[r] = 0;
}

}  // namespace csink
