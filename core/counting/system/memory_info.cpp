#include "core/counting/system/memory_info.h"

#include <unistd.h>

#include "core/util/parse.h"

namespace csink {
namespace {

constexpr long long kLargest = 1LL << 52;  // KiB; more is not a size

long long NumberIn(std::string_view text) noexcept {
  const Result<std::uint64_t> number = ParseUnsigned(text);
  if (!number || *number > static_cast<std::uint64_t>(kLargest)) return MemoryInfo::kUnknown;
  return static_cast<long long>(*number);
}

// The number in a line "VmRSS:  1234 kB" of status.
long long Kib(std::string_view status, std::string_view key) noexcept {
  std::string_view value = FieldOf(status, key);
  return NumberIn(NextToken(value, ' '));
}

}  // namespace

Result<MemoryInfo> ReadMemoryInfo(const SystemTree& tree) {
  // Why not /proc/self: it is that of the main thread, which has no memory once it has left by
  // pthread_exit.
  const std::string status = tree.Read("/proc/thread-self/status");
  if (status.empty()) return Error{Errc::kNotFound, 0, "/proc/thread-self/status cannot be read"};
  MemoryInfo info;
  info.peak_kib = Kib(status, "VmPeak");
  info.size_kib = Kib(status, "VmSize");
  info.resident_kib = Kib(status, "VmRSS");
  info.high_water_mark_kib = Kib(status, "VmHWM");
  info.text_kib = Kib(status, "VmExe");
  info.library_kib = Kib(status, "VmLib");
  info.heap_kib = Kib(status, "VmData");
  info.locked_kib = Kib(status, "VmLck");
  info.stack_kib = Kib(status, "VmStk");
  info.page_table_kib = Kib(status, "VmPTE");
  // A page of the machine that runs this code: 4, 16 or 64 KiB on Arm.
  info.page_bytes = sysconf(_SC_PAGESIZE);

  // Shared memory is in statm only; RssFile and RssShmem of status came with Linux 4.5 and are not
  // what PAPI shows.
  const std::string statm = tree.Line("/proc/thread-self/statm");  // size resident shared ...
  std::string_view rest = statm;
  NextToken(rest, ' ');
  NextToken(rest, ' ');
  const long long pages = NumberIn(NextToken(rest, ' '));
  // statm counts pages; the limit keeps the product from overflowing.
  if (pages >= 0 && pages < kLargest / 64) info.shared_kib = pages * (info.page_bytes / 1024);
  return info;
}

}  // namespace csink
