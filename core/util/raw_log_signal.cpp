#include <atomic>

#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"

namespace csink {
namespace {
std::atomic<LogLevel> g_level{LogLevel::kWarn};
constexpr std::string_view kNames[] = {"error", "warn", "info", "debug"};
}  // namespace

void SetLogLevel(LogLevel level) noexcept { g_level.store(level, std::memory_order_relaxed); }
LogLevel GetLogLevel() noexcept { return g_level.load(std::memory_order_relaxed); }

void RawLog(LogLevel level, std::string_view text) noexcept {
  if (level > GetLogLevel()) return;
  Text<1024> line;
  line.Add("csink: ").Add(kNames[static_cast<unsigned>(level)]).Add(": ").Add(text).Add('\n');
  if (line.size() == 1023) line.data()[1022] = '\n';
  RawSyscall(SYS_write, 2, SyscallArg(line.c_str()), static_cast<long>(line.size()));
}

}  // namespace csink
