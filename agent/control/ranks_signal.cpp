#include <errno.h>

#include "agent/control/control_holding.h"
#include "agent/control/controller.h"
#include "agent/control/rank_calls.h"
#include "agent/control/report_turn.h"
#include "agent/results/reporter.h"
#include "core/util/static_storage.h"

/// File: a rank of an MPI job whose profiles libcsink-mpi.so reduces to one. The sums are made by
/// the csink program in a process of its own, because the model of a profile needs a heap.

namespace csink::agent {
namespace {

// Under report_lock. Static because it is too much for a small stack.
struct MergeArguments {
  Text<700> job_file;
  Text<40> paths[kMostRankProfiles + 1];
  const char* arguments[kMostRankProfiles + 3];
  int inherited[kMostRankProfiles + 1];
};
constinit StaticStorage<MergeArguments> g_merge;

// The file of the job beside the spool. Its name is not that of a spool, so that csink looks into
// it.
void JobFileOf(std::string_view spool, Text<700>& file) noexcept {
  if (spool.ends_with(spool::kFileSuffix)) {
    spool.remove_suffix(sizeof spool::kFileSuffix - 1);
  }
  file.Clear();
  file.Add(spool).Add(".ranks").Add(spool::kFileSuffix);
}

}  // namespace

int Controller::BeginRank() noexcept {
  // Where csink run waits for the spools, it makes one report of all processes anyway.
  if (config_.tree != 0) return ENOTSUP;
  const Holding holding(*this);
  if (holding.error() != 0) return holding.error();
  state_.rank = RankState::kBegun;
  return 0;
}

int Controller::SettleRank(std::uint32_t rank, char* path, std::size_t bytes, int copy) noexcept {
  if (config_.tree != 0) return ENOTSUP;
  if (const int error = Pause(); error != 0) return error;
  const Holding holding(*this);
  if (holding.error() != 0) return holding.error();
  collector_.DrainAll();
  meter_.CopyTo(spool_);
  collector_.SettleAll();
  // Also without a sample: a rank that did nothing counts in the comparison of ranks.
  if (!collector_.EnsureSpool()) return ENOSPC;
  // Where the launcher has told no rank, MPI has.
  spool_.header().rank_plus_one = rank + 1;
  // The profile ends here, however the process will: csink must not take it for a snapshot of a
  // running program. The end of the process replaces this.
  collector_.MarkEnd(spool::End::kUnknown, 0);
  const std::string_view name = spool_.path();
  if (name.size() + 1 > bytes) return E2BIG;
  for (std::size_t i = 0; i < name.size(); ++i) path[i] = name[i];
  path[name.size()] = 0;
  return spool_.CopyTo(copy);
}

int Controller::MergeRanks(const int* profiles, std::size_t count, int output) noexcept {
  if (count > kMostRankProfiles) return E2BIG;
  if (!process_.active()) return ESHUTDOWN;
  const ReportTurn turn(state_.report_lock);
  if (turn.error() != 0) return turn.error();
  MergeArguments& merge = g_merge.Make();
  std::size_t arguments = 0;
  std::size_t inherited = 0;
  const auto add_descriptor = [&](int fd) {
    Text<40>& path = merge.paths[inherited];
    path.Clear();
    path.Add("/proc/self/fd/").Number(static_cast<std::uint64_t>(fd));
    merge.inherited[inherited++] = fd;
    merge.arguments[arguments++] = path.c_str();
  };
  merge.arguments[arguments++] = "merge";
  merge.arguments[arguments++] = "-o";
  if (output >= 0) {
    add_descriptor(output);
  } else {
    JobFileOf(spool_.path(), merge.job_file);
    merge.arguments[arguments++] = merge.job_file.c_str();
  }
  for (std::size_t i = 0; i < count; ++i) add_descriptor(profiles[i]);
  return ErrorOf(RunTool(config_, start_state_, spool_.path(),
                         {merge.arguments, arguments, merge.inherited, inherited}));
}

int Controller::DeliverRank() noexcept {
  const Holding holding(*this);
  if (holding.error() != 0) return holding.error();
  state_.rank = RankState::kDelivered;
  return 0;
}

int Controller::ReportRanks() noexcept {
  if (!config_.report) return 0;
  if (!process_.active()) return ESHUTDOWN;
  const ReportTurn turn(state_.report_lock);
  if (turn.error() != 0) return turn.error();
  MergeArguments& merge = g_merge.Make();
  JobFileOf(spool_.path(), merge.job_file);
  return ErrorOf(
      RunReporter(config_, start_state_, merge.job_file.c_str(), 0, OutputName::kAsNamed));
}

}  // namespace csink::agent
