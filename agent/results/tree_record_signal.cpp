#include <cstddef>
#include <cstring>

#include "agent/process/task_list.h"
#include "agent/results/tree_record.h"
#include "profil/format/file_view.h"
#include "profil/inside/spool/tree_place.h"

/// File: the record of a small process. A spool costs 300 to 500 us, a record 25 to 45 us
/// (docs/design/profil.md), and a build under `csink run` has thousands of small processes.

namespace csink::agent {
namespace {

// Static, because the end of a process may be handled on a small signal stack. Protected by the
// collector's lock.
alignas(8) unsigned char g_record_bytes[spool::kMaxSmallBytes];
constinit SmallRecordWriter g_record(g_record_bytes, sizeof g_record_bytes);
spool::Header g_header;

}  // namespace

bool TreeRecord::InTree() const noexcept {
  return config_.tree != 0 && config_.spool_dir.c_str()[0] == '/';
}

bool TreeRecord::Leave(spool::End end, int detail) noexcept {
  // IsAlone: another thread of the program could close our descriptor and open a file under the
  // same number between our open and our write. The record would then go into that file.
  if (process_.sandboxed() || spool_.open() || !InTree() || !IsAlone()) return false;
  // A forked child that calls exec at once and has no samples leaves nothing: the next image
  // reports itself, under the same process number.
  if (end == spool::End::kExec && process_.forked() && collector_.accounts().Significance() == 0) {
    return true;
  }
  // csink can keep files for a spool only.
  if (collector_.accounts().Significance() != 0 && SeesOtherFiles(config_.spool_dir.view())) {
    return false;
  }
  // Clears only the part of the header that a record holds, so that the other pages of .bss are
  // never touched.
  std::memset(&g_header, 0,
              offsetof(spool::Header, events) + events_.list().count * sizeof(spool::EventColumn));
  maker_.Describe(g_header, /*brief=*/true);
  g_header.end = end;
  g_header.end_detail = static_cast<std::uint32_t>(detail);
  return collector_.DescribeSmall(g_record, g_header) &&
         AppendInTree(g_record, config_.spool_dir.view(), config_.tree) == 0;
}

}  // namespace csink::agent
