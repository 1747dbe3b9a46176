#include "core/signals/thread_signals.h"
#include "core/util/parse.h"
#include "core/util/small_file.h"
#include "core/util/text.h"

namespace csink {
namespace {

using StatusText = SmallFile<4096>;  // the file has about 1,500 bytes

}  // namespace

bool IsTraced() noexcept {
  const StatusText status("/proc/thread-self/status");
  const std::string_view tracer = FieldOf(status.view(), "TracerPid");
  return !tracer.empty() && tracer != "0";
}

Result<std::uint64_t> PendingSignals(pid_t tid) noexcept {
  Text<64> path;
  path.Add("/proc/self/task/").Signed(tid).Add("/status");
  const StatusText status(path.c_str());
  if (status.error() != 0) {
    return Error{ErrcFromErrno(status.error()), status.error(),
                 "the thread's status in /proc cannot be read"};
  }
  const auto bits = ParseHex(FieldOf(status.view(), "SigPnd"));
  if (!bits) return Error{Errc::kCorrupt, 0, "the thread's status has no SigPnd line"};
  return *bits;
}

}  // namespace csink
