#include "agent/control/controller.h"
#include "agent/control/report_turn.h"
#include "agent/results/reporter.h"
#include "profil/format/file_view.h"

/// File: csink makes the copies, as it makes reports: it finds a deleted file through /proc, and
/// copies it without the program's memory (docs/design/symbolizer.md).

namespace csink::agent {
namespace {

// The samples of the process for which copies were made last: execvp(3) tries one folder after the
// other, and each attempt is announced as an exec.
std::uint64_t g_samples;
std::uint32_t g_pid;

// Whether the spool has samples of a file that has no name any more.
bool HasDeletedFile(SpoolWriter& spool) noexcept {
  for (std::uint32_t id = 0; id < spool.region_count(); ++id) {
    const auto* region = spool.At<spool::RegionRecord>(id);
    if (region == nullptr || (region->flags & spool::kRegionDeleted) == 0 ||
        (region->flags & spool::kRegionAnonymous) != 0) {
      continue;
    }
    if (spool.HasHit(id)) return true;
  }
  return false;
}

}  // namespace

void Controller::KeepModules() noexcept {
  if (config_.tree == 0 || !spool_.open() || process_.sandboxed()) return;
  // A process that has become another user has its spool elsewhere; csink trusts no other file
  // there.
  if (!std::string_view(spool_.path()).starts_with(config_.spool_dir.view())) return;
  if (!HasDeletedFile(spool_) && !SeesOtherFiles(config_.spool_dir.view())) return;
  const std::uint64_t samples = collector_.accounts().samples();
  if (samples == g_samples && spool_.header().pid == g_pid) return;
  const ReportTurn turn(state_.report_lock);
  if (turn.error() != 0) return;
  g_samples = samples;
  g_pid = spool_.header().pid;
  const char* const arguments[] = {"report", "--keep-modules", spool_.path()};
  (void)RunTool(config_, start_state_, spool_.path(), {arguments, 3, nullptr, 0});
}

}  // namespace csink::agent
