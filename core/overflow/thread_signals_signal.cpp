#include <errno.h>
#include <fcntl.h>

#include "core/overflow/thread_signals.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"

namespace csink {
namespace {

/// A thread's status file; it has some 1,500 bytes.
class StatusText {
 public:
  explicit StatusText(const char* path) noexcept {
    const long fd = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path), O_RDONLY | O_CLOEXEC);
    length_ = fd;
    if (fd < 0) return;
    length_ = RawSyscall(SYS_read, fd, SyscallArg(text_), sizeof text_);
    RawSyscall(SYS_close, fd);
  }
  /// 0, or an errno.
  int error() const noexcept { return length_ < 0 ? static_cast<int>(-length_) : 0; }
  std::string_view view() const noexcept {
    return {text_, length_ < 0 ? 0 : static_cast<std::size_t>(length_)};
  }

 private:
  char text_[4096];
  long length_ = 0;
};

bool IsBlank(char c) noexcept { return c == ' ' || c == '\t'; }

}  // namespace

std::string_view StatusWord(std::string_view status, std::string_view key) noexcept {
  while (!status.empty()) {
    std::string_view line = NextToken(status, '\n');
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    while (!line.empty() && IsBlank(line.front())) line.remove_prefix(1);
    std::size_t end = 0;
    while (end < line.size() && !IsBlank(line[end])) ++end;
    return line.substr(0, end);
  }
  return {};
}

bool IsTraced() noexcept {
  const StatusText status("/proc/thread-self/status");
  const std::string_view tracer = StatusWord(status.view(), "TracerPid:");
  return !tracer.empty() && tracer != "0";
}

Result<std::uint64_t> PendingSignals(pid_t tid) noexcept {
  Text<64> path;
  path.Add("/proc/self/task/").Signed(tid).Add("/status");
  const StatusText status(path.c_str());
  if (status.error() != 0) {
    return Error{ErrcFromErrno(status.error()), status.error(), "no status of the thread"};
  }
  const auto bits = ParseHex(StatusWord(status.view(), "SigPnd:"));
  if (!bits) return Error{Errc::kCorrupt, 0, "no SigPnd in the status of the thread"};
  return *bits;
}

}  // namespace csink
