#include "core/counting/signals/thread_signals.h"
#include "core/util/parse.h"
#include "core/util/small_file.h"
#include "core/util/text.h"

namespace csink {
namespace {

// Both answers come from the file status, since no system call tells them without side effects:
// ptrace would change the tracing, and sigpending(2) reports the caller's signals only.
using StatusText = SmallFile<4096>;  // the file has about 1,500 bytes

}  // namespace

bool IsTraced() noexcept {
  const StatusText status("/proc/thread-self/status");
  // /proc/thread-self is the calling thread: a debugger attaches to single threads. "0" stands for
  // no tracer (proc(5)). A file that cannot be read, as in some sandboxes, counts as no tracer.
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
  // SigPnd has the signals that are directed to this thread; those of the process are in ShdPnd.
  // Ours are sent to threads (F_OWNER_TID, SIGEV_THREAD_ID).
  const auto bits = ParseHex(FieldOf(status.view(), "SigPnd"));
  if (!bits) return Error{Errc::kCorrupt, 0, "the thread's status has no SigPnd line"};
  return *bits;
}

}  // namespace csink
