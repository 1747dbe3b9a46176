#include <fcntl.h>

#include "agent/results/left_out.h"
#include "core/machine/clocks.h"
#include "core/util/raw_syscall.h"
#include "profil/inside/spool/small_writer.h"
#include "profil/inside/spool/tree_place.h"

namespace csink::agent {

void RecordLeftOut(const Config& config, spool::LeftOut why, int error) noexcept {
  if (config.tree == 0 || config.spool_dir.c_str()[0] != '/') return;
  char program[512];
  const long n = RawSyscall(SYS_readlinkat, AT_FDCWD, SyscallArg("/proc/self/exe"),
                            SyscallArg(program), sizeof program);
  spool::SmallLeftOut row = {};
  row.pid = static_cast<std::uint32_t>(RawSyscall(SYS_getpid));
  row.why = why;
  row.error = error;
  row.path_bytes = n > 0 ? static_cast<std::uint32_t>(n) : 0;
  ProcessCpuNs(&row.user_ns, &row.system_ns);
  row.monotonic_ns = MonotonicNs();
  alignas(8) unsigned char bytes[sizeof(spool::SmallHead) + sizeof row + sizeof program + 8];
  SmallRecordWriter record(bytes, sizeof bytes);
  record.Begin(spool::SmallKind::kLeftOut);
  record.Put(&row, sizeof row);
  record.Put(program, row.path_bytes);
  // An error is ignored: the record is for the report alone.
  (void)AppendInTree(record, config.spool_dir.view(), config.tree);
}

}  // namespace csink::agent
