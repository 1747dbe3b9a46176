#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "agent/control/control_handover.h"
#include "agent/process/start_state.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"
#include "core/util/unique_fd.h"

namespace csink::agent {
namespace {

// The path of the control fifo (640 bytes at most) with ".next".
using Path = Text<648>;

// PATH.next; empty if the name is too long.
Path NameFor(std::string_view fifo) noexcept {
  constexpr std::string_view kNext = ".next";
  Path path;
  path.Add(fifo).Add(kNext);
  if (path.size() != fifo.size() + kNext.size()) path.Clear();
  return path;
}

// The beginning of the line, which identifies the process. A process number alone may be used again
// by another process; the start time in clock ticks is kept over exec.
void Describe(Text<128>& line) noexcept {
  line.Add("csink ").Number(static_cast<std::uint64_t>(RawSyscall(SYS_getpid)));
  line.Add(' ').Number(ProcessStartTicks()).Add(' ');
}

void Unlink(const Path& path) noexcept {
  RawSyscall(SYS_unlinkat, AT_FDCWD, SyscallArg(path.c_str()), 0);
}

}  // namespace

bool LeaveHandover(std::string_view fifo, const Handover& handover) noexcept {
  const Path path = NameFor(fifo);
  if (path.size() == 0) return false;
  Text<128> line;
  Describe(line);
  line.Add(handover.by_hand ? SamplingName(handover.sampling) : "as-set").Add(' ');
  line.Add(handover.made_commands ? 'c' : '-').Add(handover.made_answers ? 'a' : '-').Add('\n');
  Unlink(path);
  const long r = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path.c_str()),
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (r < 0) return false;
  const UniqueFd fd(static_cast<int>(r));
  const long size = static_cast<long>(line.size());
  if (RawSyscall(SYS_write, fd.get(), SyscallArg(line.c_str()), size) == size) return true;
  Unlink(path);
  return false;
}

bool TakeHandover(std::string_view fifo, Handover& handover) noexcept {
  const Path path = NameFor(fifo);
  if (path.size() == 0) return false;
  const long r = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path.c_str()),
                            O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (r < 0) return false;
  const UniqueFd fd(static_cast<int>(r));
  struct stat64 st = {};
  // O_NONBLOCK above: the open of a fifo under this name must not wait. Only a regular file of this
  // user is believed.
  if (RawSyscall(SYS_newfstatat, fd.get(), SyscallArg(""), SyscallArg(&st), AT_EMPTY_PATH) != 0 ||
      !S_ISREG(st.st_mode) || st.st_uid != static_cast<unsigned>(RawSyscall(SYS_geteuid))) {
    return false;
  }
  char bytes[128];
  const long n = RawSyscall(SYS_read, fd.get(), SyscallArg(bytes), sizeof bytes);
  std::string_view text(bytes, n > 0 ? static_cast<std::size_t>(n) : 0);
  Text<128> ours;
  Describe(ours);
  if (!text.starts_with(ours.view())) return false;
  Unlink(path);
  text.remove_prefix(ours.size());
  handover = {};
  for (const Sampling sampling : {Sampling::kRunning, Sampling::kPaused, Sampling::kStopped}) {
    if (!text.starts_with(SamplingName(sampling))) continue;
    handover.by_hand = true;
    handover.sampling = sampling;
  }
  handover.made_commands = text.find(" c") != std::string_view::npos;
  handover.made_answers = text.ends_with("a\n");
  return true;
}

void DropHandover(std::string_view fifo) noexcept {
  Handover ignored;
  TakeHandover(fifo, ignored);
}

}  // namespace csink::agent
