#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include <string_view>

#include "compat/marks/the_marks.h"
#include "core/util/raw_syscall.h"
#include "core/util/utf8.h"

/// File: libcsink-marks.so, which `atime --phases` preloads into the program. It defines the
/// function that csink.h looks up for csink_mark, and notes each mark with its time in atime's
/// memory. If libagent.so is preloaded, too, its own function is called as well.

#define CSINK_EXPORT __attribute__((visibility("default")))

namespace csink::marks {

TheMarks g_marks;

namespace {

// Whether this name was the last one to be noted, by any process: a loop that sets the same mark
// again needs no room.
bool IsLast(const MarkFile& file, std::string_view name) noexcept {
  const std::uint32_t count = file.count.load(std::memory_order_acquire);
  if (count == 0 || count > kMostMarks) return false;
  const Mark& last = file.marks[count - 1];
  return last.time_ns.load(std::memory_order_acquire) != 0 &&
         std::string_view(last.name, last.name_bytes) == name;
}

int Note(MarkFile& file, std::string_view name) noexcept {
  if (name.empty() || !IsPrintableText(name)) return EINVAL;
  if (name.size() > kMostNameBytes) return E2BIG;
  if (IsLast(file, name)) return 0;
  timespec now = {};
  RawSyscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, SyscallArg(&now));
  // The number of lost marks is what exceeds kMostMarks; it stops before the counter wraps.
  if (file.count.load(std::memory_order_relaxed) > kMostMarks * 2) return E2BIG;
  const std::uint32_t index = file.count.fetch_add(1, std::memory_order_acq_rel);
  if (index >= kMostMarks) return E2BIG;
  Mark& mark = file.marks[index];
  mark.name_bytes = static_cast<std::uint32_t>(name.size());
  memcpy(mark.name, name.data(), name.size());
  mark.time_ns.store(static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec,
                     std::memory_order_release);
  return 0;
}

}  // namespace
}  // namespace csink::marks

extern "C" {

CSINK_EXPORT int csink_agent_mark(const char* name) noexcept {
  using csink::marks::g_marks;
  if (name == nullptr) return EINVAL;
  const int noted = g_marks.file ? csink::marks::Note(*g_marks.file, name) : ENOSYS;
  const int agent = g_marks.agent ? g_marks.agent(name) : ENOSYS;
  // ENOSYS of both: nobody has taken the mark.
  return agent == ENOSYS ? noted : agent;
}

/// For libagent.so (agent/control): a mark that came by its control fifo, `bytes` long.
CSINK_EXPORT int csink_marks_note(const char* name, size_t bytes) noexcept {
  using csink::marks::g_marks;
  return g_marks.file ? csink::marks::Note(*g_marks.file, {name, bytes}) : ENOSYS;
}

/// For languages without the header, as libagent.so has it.
CSINK_EXPORT int csink_mark(const char* name) noexcept { return csink_agent_mark(name); }

}  // extern "C"
