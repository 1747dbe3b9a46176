#include <errno.h>
#include <signal.h>

#include <atomic>

#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"

namespace csink {
namespace {
// Atomics and constants only: they need no constructor, so RawLog works before the start-up code of
// this library has run.
std::atomic<LogLevel> g_level{LogLevel::kWarn};
std::atomic<bool> g_silent{false};
std::atomic<LogSink> g_sink{nullptr};
constexpr std::string_view kNames[] = {"error", "warn", "info", "debug"};

constexpr bool IsControl(char c) noexcept {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// Writes `line`, and takes back the signal that a failing write raises. A closed pipe (SIGPIPE) or
// a file-size limit (SIGXFSZ) must not kill a program that has written nothing itself.
void WriteQuietly(const char* line, std::size_t bytes) noexcept {
  constexpr unsigned long kRaised = 1ul << (SIGPIPE - 1) | 1ul << (SIGXFSZ - 1);
  unsigned long before = 0;
  unsigned long waiting = 0;  // pending before our write: the program's own signals, left pending
  // The order: block, look what is pending, write, take back only a signal that was not pending
  // before, so that the program's own is not lost. The kernel raises both signals for the writing
  // thread alone, which is why blocking them here is enough.
  RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, SyscallArg(&kRaised), SyscallArg(&before), 8);
  RawSyscall(SYS_rt_sigpending, SyscallArg(&waiting), 8);
  const long r = RawSyscall(SYS_write, 2, SyscallArg(line), static_cast<long>(bytes));
  if (r == -EPIPE || r == -EFBIG) {
    const unsigned long raised = 1ul << ((r == -EPIPE ? SIGPIPE : SIGXFSZ) - 1);
    const long nothing[2] = {0, 0};  // a timespec: do not wait
    if (!(waiting & raised)) {
      RawSyscall(SYS_rt_sigtimedwait, SyscallArg(&raised), 0, SyscallArg(nothing), 8);
    }
  }
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, SyscallArg(&before), 0, 8);
}
}  // namespace

void SetLogLevel(LogLevel level) noexcept { g_level.store(level, std::memory_order_relaxed); }
LogLevel GetLogLevel() noexcept { return g_level.load(std::memory_order_relaxed); }
void SetLogSilent(bool silent) noexcept { g_silent.store(silent, std::memory_order_relaxed); }
void SetLogSink(LogSink sink) noexcept { g_sink.store(sink, std::memory_order_relaxed); }

void RawLog(LogLevel level, std::string_view text) noexcept {
  if (level > GetLogLevel() || g_silent.load(std::memory_order_relaxed)) return;
  Text<1024> line;
  line.Add("csink: ").Add(kNames[static_cast<unsigned>(level)]).Add(": ");
  // File names in `text` may hold any bytes. They must neither end our line nor send escape
  // sequences to a terminal.
  for (const char c : text) line.Add(IsControl(c) ? '?' : c);
  line.Add('\n');
  if (line.size() == 1023) line.data()[1022] = '\n';  // a cut line ends in a newline, too
  const LogSink sink = g_sink.load(std::memory_order_relaxed);
  if (sink && sink(line.view())) return;
  WriteQuietly(line.c_str(), line.size());
}

}  // namespace csink
