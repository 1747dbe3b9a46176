#include <fcntl.h>

#include "agent/results/outer_number.h"
#include "core/machine/clocks.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "profil/inside/spool/small_writer.h"
#include "profil/inside/spool/tree_place.h"

namespace csink::agent {

void RecordOuterNumber(const Config& config, const StartState& state, pid_t parent) noexcept {
  // The kernel gives 0 for a parent without a number in this namespace.
  if (state.parent_pid != 0 || config.tree == 0 || config.spool_dir.c_str()[0] != '/') return;
  // The link has the number of the namespace that /proc was mounted in. A new namespace gets a
  // /proc of its own later, if at all: unshare --mount-proc and container runtimes fork before.
  char text[24];
  const long n =
      RawSyscall(SYS_readlinkat, AT_FDCWD, SyscallArg("/proc/self"), SyscallArg(text), sizeof text);
  if (n <= 0) return;
  const Result<std::uint64_t> outer =
      ParseUnsigned(std::string_view(text, static_cast<std::size_t>(n)));
  spool::SmallNumbers row = {};
  row.pid = static_cast<std::uint32_t>(RawSyscall(SYS_getpid));
  if (!outer || *outer == row.pid) return;
  row.outer_pid = static_cast<std::uint32_t>(*outer);
  row.parent_pid = static_cast<std::uint32_t>(parent);
  row.start_ticks = ProcessStartTicks();
  row.monotonic_ns = MonotonicNs();
  alignas(8) unsigned char bytes[sizeof(spool::SmallHead) + sizeof row];
  SmallRecordWriter record(bytes, sizeof bytes);
  record.Begin(spool::SmallKind::kNumbers);
  record.Put(&row, sizeof row);
  // An error is ignored: the record is for the report alone.
  (void)AppendInTree(record, config.spool_dir.view(), config.tree);
}

}  // namespace csink::agent
