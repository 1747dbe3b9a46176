#include "core/machine/thread_times.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/small_file.h"
#include "core/util/text.h"

namespace csink {

Result<ThreadTimes> ParseThreadTimes(std::string_view text) noexcept {
  std::string_view rest = Trimmed(text);
  std::uint64_t numbers[3] = {};
  for (std::uint64_t& number : numbers) {
    const Result<std::uint64_t> value = ParseUnsigned(NextToken(rest, ' '));
    if (!value) return Error{Errc::kInvalid};
    number = *value;
  }
  if (!rest.empty()) return Error{Errc::kInvalid};
  // A kernel without CONFIG_SCHED_INFO prints zeros. A new thread has them before its first turn,
  // too, and they say nothing then either.
  if (numbers[0] == 0 && numbers[1] == 0 && numbers[2] == 0) return Error{Errc::kUnsupported};
  return ThreadTimes{numbers[0], numbers[1], numbers[2]};
}

Result<ThreadTimes> ReadThreadTimes(std::uint32_t tid) noexcept {
  Text<64> path;
  if (static_cast<long>(tid) == RawSyscall(SYS_getpid)) {
    // The process's own file has the numbers of its main thread. Below task/ the kernel would have
    // to create another folder (15 us, once).
    path.Add("/proc/self/schedstat");
  } else if (tid == 0 || static_cast<long>(tid) == RawSyscall(SYS_gettid)) {
    // Also where /proc belongs to another pid namespace, in which the thread has another number.
    path.Add("/proc/thread-self/schedstat");
  } else {
    path.Add("/proc/self/task/").Number(tid).Add("/schedstat");
  }
  const SmallFile<80> file(path.c_str());
  if (file.error() != 0)
    return Error{ErrcFromErrno(file.error()), file.error(), "cannot read schedstat"};
  return ParseThreadTimes(file.view());
}

}  // namespace csink
