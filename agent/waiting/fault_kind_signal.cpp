#include "agent/waiting/fault_kind.h"
#include "agent/waiting/thread_files.h"

/// File: three facts that an unprivileged process may read of its own threads. The number of major
/// faults in /proc/PID/task/TID/stat is no evidence of a disk: the kernel also counts faults that
/// userfaultfd serves, and faults that it had to try twice (mm_account_fault, mm/memory.c).

namespace csink::agent {
namespace {

using spool::WaitKind;

// Reads a file of the thread once. Returns an empty text if that fails.
template <std::size_t kBytes>
std::string_view ReadOnce(char (&text)[kBytes], std::string_view folder, pid_t tid,
                          std::string_view name) noexcept {
  int kept = 0;
  const long got = ThreadFiles::Read(kept, false, folder, tid, name, text, kBytes);
  return {text, got > 0 ? static_cast<std::size_t>(got) : 0};
}

// Whether the state letter, behind the name in brackets, is that of a stopped or traced thread.
// The name may contain brackets.
bool IsStopped(std::string_view stat) noexcept {
  const std::size_t end = stat.rfind(')');
  if (end == std::string_view::npos || end + 2 >= stat.size()) return false;
  return stat[end + 2] == 'T' || stat[end + 2] == 't';
}

}  // namespace

WaitKind KindOfKernelFunction(std::string_view function) noexcept {
  if (function.starts_with("handle_userfault")) return WaitKind::kUserFault;
  // folio_wait_bit_common, __folio_lock_or_retry; before Linux 5.16 wait_on_page_bit_common,
  // __lock_page_or_retry, __lock_page_killable.
  for (const std::string_view part : {"folio_wait", "folio_lock", "wait_on_page", "lock_page"}) {
    if (function.find(part) != std::string_view::npos) return WaitKind::kDiskFault;
  }
  return WaitKind::kFault;
}

std::uint64_t DiskBytesOf(std::string_view text) noexcept {
  constexpr std::string_view kKey = "\nread_bytes: ";
  const std::size_t at = text.find(kKey);
  if (at == std::string_view::npos) return 0;
  std::uint64_t bytes = 0;
  // Not substr, which may throw.
  text.remove_prefix(at + kKey.size());
  for (const char c : text) {
    if (c < '0' || c > '9') break;
    bytes = bytes * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return bytes;
}

WaitKind FaultKind(std::string_view folder, pid_t tid, std::uint64_t& disk_bytes) noexcept {
  char text[512];
  const WaitKind kind = KindOfKernelFunction(ReadOnce(text, folder, tid, "wchan"));
  if (kind == WaitKind::kDiskFault) {
    // The thread itself lets the page be read before it waits for the page. A page that another
    // thread reads is no evidence, because pages are also locked while they are moved.
    const std::uint64_t bytes = DiskBytesOf(ReadOnce(text, folder, tid, "io"));
    const bool has_read = bytes > disk_bytes;
    disk_bytes = bytes;
    return has_read ? WaitKind::kDiskFault : WaitKind::kFault;
  }
  if (kind == WaitKind::kFault && IsStopped(ReadOnce(text, folder, tid, "stat"))) {
    return WaitKind::kStopped;
  }
  return kind;
}

}  // namespace csink::agent
