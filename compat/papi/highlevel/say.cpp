#include "compat/papi/highlevel/say.h"

#include <unistd.h>

#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"

namespace csink::papi {

void SayWarning(std::string_view text) { RawLog(LogLevel::kWarn, text); }

void SayInfo(std::string_view text) {
  // Not RawLog: its level for information is off by default, and PAPI_HL_VERBOSE asks for these
  // lines.
  std::string line = "csink: info: ";
  line.append(text).push_back('\n');
  RawSyscall(SYS_write, STDERR_FILENO, SyscallArg(line.c_str()), static_cast<long>(line.size()));
}

}  // namespace csink::papi
