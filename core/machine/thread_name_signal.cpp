#include <sys/prctl.h>

#include <cstring>

#include "core/machine/thread_name.h"
#include "core/util/raw_syscall.h"
#include "core/util/small_file.h"
#include "core/util/text.h"

namespace csink {

void ReadThreadName(pid_t tid, char (&name)[16]) noexcept {
  // prctl for the caller's own name: the first access to a process's /proc folder makes the kernel
  // create it, which takes 15 us.
  if (RawSyscall(SYS_gettid) == tid) {
    RawSyscall(SYS_prctl, PR_GET_NAME, SyscallArg(name));
    return;
  }
  Text<64> path;
  path.Add("/proc/self/task/").Number(static_cast<std::uint64_t>(tid)).Add("/comm");
  // 15 bytes of name and a newline (TASK_COMM_LEN is 16).
  const SmallFile<16> file(path.c_str());
  std::size_t length = file.view().size();
  // The thread has ended, or /proc is not mounted.
  if (length == 0) return;
  if (file.view()[length - 1] == '\n') --length;
  if (length > 15) length = 15;
  std::memcpy(name, file.view().data(), length);
  name[length] = 0;
}

}  // namespace csink
