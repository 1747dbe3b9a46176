#include "profil/reading/merge/merge_processes.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "profil/reading/model/evidence_sums.h"
#include "profil/reading/model/saturating.h"

/// File: process rows of a merge. A row comes from the header of a spool, or from a process record
/// of a merged file.

namespace csink {
namespace {

/// The times of all threads, with what is needed to judge them.
void SetWall(ProcessRow& row, const spool::WallTotals& wall) {
  row.wall = PartsOf(wall);
  row.processors = wall.processors;
  row.wall_errno = wall.read_errno;
}

/// What a header or a merged file's record says beyond `row`; both fields are 0 in older files.
void SetIdentity(ProcessRow& row, std::uint64_t image_realtime_ns, std::uint32_t namespace_pid) {
  row.image_realtime_ns = image_realtime_ns != 0 ? image_realtime_ns : row.start_realtime_ns;
  row.namespace_pid = namespace_pid != 0 ? namespace_pid : row.pid;
}

/// Copies the fields that a spool's header and a merged file's process record have under the same
/// names.
template <class Facts>
ProcessRow RowOfFacts(const Facts& facts) {
  ProcessRow row;
  row.pid = facts.pid;
  row.parent_pid = facts.parent_pid;
  row.end = facts.end;
  row.end_detail = facts.end_detail;
  row.source = facts.source;
  row.start_realtime_ns = facts.start_realtime_ns;
  row.start_monotonic_ns = facts.start_monotonic_ns;
  row.update_monotonic_ns = facts.update_monotonic_ns;
  row.user_ns = facts.user_ns;
  row.system_ns = facts.system_ns;
  row.start_user_ns = facts.start_user_ns;
  row.start_system_ns = facts.start_system_ns;
  row.agent_ns = facts.agent_ns;
  row.lost_ns = std::to_array(facts.lost_ns);
  row.threads_seen = facts.threads_seen;
  row.threads_sampled = facts.threads_sampled;
  row.frozen = facts.frozen != 0;
  // -1: the process has no rank.
  row.rank = static_cast<std::int64_t>(facts.rank_plus_one) - 1;
  row.depth = facts.depth;
  row.uid = facts.uid;
  row.paused_ns = facts.paused_ns;
  row.bad_stacks = facts.bad_stacks;
  return row;
}

// The row of a spool of one process.
ProcessRow RowOf(const spool::Spool& spool, ProcessState state, const std::string& path) {
  const spool::Header& header = spool.header;
  ProcessRow row = RowOfFacts(header);
  row.spool_path = path;
  row.host = header.host;
  row.program = header.program;
  row.command = header.command;
  row.generation = header.exec_generation;
  row.start_ticks = header.process_start_ticks;
  row.state = state;
  row.source_reason = header.source_reason;
  row.job = header.job;
  row.unseen_ns = header.unseen_ns;
  row.switched_off_ns = header.switched_off_ns;
  row.evidence = header.evidence;
  // The numbers of getrusage go on over exec, as the CPU clock does.
  row.switches = SaturatingSubtract(header.switches, header.start_switches);
  SetIdentity(row, header.image_realtime_ns, header.namespace_pid);
  row.tree_id = header.tree_id;
  SetWall(row, header.wall);
  row.configuration = std::string(spool.configuration);
  return row;
}

// The row of a child between vfork and exec, whose samples are in its parent's spool. The child had
// the program and the settings of `parent`.
ProcessRow RowOfChild(const spool::Thread& child, const ProcessRow& parent) {
  ProcessRow row;
  row.spool_path = parent.spool_path;
  row.host = parent.host;
  row.program = parent.program + kBeforeExecSuffix;
  row.command = parent.command + kBeforeExecSuffix;
  row.pid = child.tid;
  row.parent_pid = parent.pid;
  row.state = child.ended ? ProcessState::kComplete : parent.state;
  row.end = child.child_end;
  row.end_detail = child.child_end_detail;
  row.source = parent.source;
  row.source_reason = parent.source_reason;
  row.start_monotonic_ns = child.start_monotonic_ns;
  // CLOCK_REALTIME is known for the parent's start only.
  row.start_realtime_ns =
      SaturatingAdd(parent.start_realtime_ns,
                    SaturatingSubtract(child.start_monotonic_ns, parent.start_monotonic_ns));
  row.update_monotonic_ns = child.end_monotonic_ns;
  row.user_ns = SaturatingSubtract(child.cpu_ns, child.child_system_ns);
  row.system_ns = child.child_system_ns;
  row.threads_seen = row.threads_sampled = 1;
  row.rank = parent.rank;
  row.tree_id = parent.tree_id;
  row.job = parent.job;
  row.depth = parent.depth + 1;
  row.uid = parent.uid;
  row.wall = PartsOf(child.wall);
  row.configuration = parent.configuration;
  row.evidence.flags = spool::kBeforeExec;
  row.processes = std::max<std::uint64_t>(1, child.sharing);
  return row;
}

// ProcessRecord::state.
ProcessState StateOf(std::uint32_t written) {
  switch (written) {
    case 0:
      return ProcessState::kComplete;
    case 1:
      return ProcessState::kLive;
    case 3:
      return ProcessState::kKilled;
    case 4:
      return ProcessState::kExited;
    default:  // also "killed" of older files, which had no evidence
      return ProcessState::kUnknown;
  }
}

// The row of a process of a merged file.
ProcessRow RowOf(const spool::Process& process) {
  const spool::ProcessRecord& record = process.record;
  ProcessRow row = RowOfFacts(record);
  row.switches = record.switches;
  SetIdentity(row, process.identity.image_realtime_ns, process.identity.namespace_pid);
  row.tree_id = process.further.tree_id;
  row.unseen_ns = process.further.unseen_ns;
  row.switched_off_ns = process.further.switched_off_ns;
  SetWall(row, process.wall);
  row.evidence = process.evidence;
  row.spool_path = std::string(process.spool_path);
  row.host = std::string(process.host);
  row.program = std::string(process.program);
  row.command = std::string(process.command);
  row.generation = record.generation;
  row.start_ticks = record.start_ticks;
  row.state = StateOf(record.state);
  row.source_reason = std::string(process.source_reason);
  row.job = std::string(process.job);
  row.configuration = std::string(process.configuration);
  // 0 in a damaged file: a row is one process at least.
  row.processes = std::max<std::uint64_t>(1, record.processes);
  return row;
}

RunFacts FactsOf(const spool::RunFacts& facts) {
  return {true, std::string(facts.surroundings), facts.record};
}

/// Whether `kept` has a later image of the same process. That image's CPU clock includes the time
/// of `row`.
bool IsContinued(const ProcessRow& row, std::span<const ProcessRow> kept) {
  // Only an image that has ended by exec is continued by another one.
  if (row.end != spool::End::kExec) return false;
  return std::any_of(kept.begin(), kept.end(), [&](const ProcessRow& other) {
    return other.pid == row.pid && other.generation > 0 &&
           other.start_monotonic_ns >= row.start_monotonic_ns &&
           (other.start_ticks == 0 || row.start_ticks == 0 ||
            other.start_ticks == row.start_ticks) &&
           other.host == row.host;
  });
}

/// Adds a row's CPU time to the sum row. Images after the first one share the process's clock: the
/// time before them is counted by the earlier images, except for about a millisecond between the
/// exec and the moment when the agent was ready.
void AddCpuToRest(ProcessRow& rest, const ProcessRow& row) {
  const bool first = row.generation == 0;
  AddTo(rest.user_ns, first ? row.user_ns : SaturatingSubtract(row.user_ns, row.start_user_ns));
  AddTo(rest.system_ns,
        first ? row.system_ns : SaturatingSubtract(row.system_ns, row.start_system_ns));
  if (first) AddTo(rest.start_user_ns, row.start_user_ns);
  if (first) AddTo(rest.start_system_ns, row.start_system_ns);
}

/// Adds a row to the row for processes beyond the limit. `kept` are the rows before it.
void AddToRest(ProcessRow& rest, const ProcessRow& row, std::span<const ProcessRow> kept) {
  // The CPU clock of a process goes on over exec. If a later image has a row of its own, that row
  // has this row's time already.
  if (!IsContinued(row, kept)) AddCpuToRest(rest, row);
  AddTo(rest.agent_ns, row.agent_ns);
  AddTo(rest.paused_ns, row.paused_ns);
  AddTo(rest.bad_stacks, row.bad_stacks);
  AddTo(rest.unseen_ns, row.unseen_ns);
  AddTo(rest.switched_off_ns, row.switched_off_ns);
  AddTo(rest.switches, row.switches);
  AddTo(rest.evidence, row.evidence);
  AddTo(rest.wall, row.wall);
  // Processes of a machine share its processors, so these are not added up.
  rest.processors = std::max(rest.processors, row.processors);
  if (row.wall_errno != 0) rest.wall_errno = row.wall_errno;
  for (std::size_t i = 0; i < rest.lost_ns.size(); ++i) AddTo(rest.lost_ns[i], row.lost_ns[i]);
  // Numbers of threads have 32 bits in the format and saturate there.
  const auto add = [](std::uint32_t& sum, std::uint32_t more) {
    sum =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(0xffffffffu, std::uint64_t{sum} + more));
  };
  add(rest.threads_seen, row.threads_seen);
  add(rest.threads_sampled, row.threads_sampled);
  AddTo(rest.processes, row.processes);
  rest.start_realtime_ns = std::min(rest.start_realtime_ns, row.start_realtime_ns);
  rest.start_monotonic_ns = std::min(rest.start_monotonic_ns, row.start_monotonic_ns);
  rest.update_monotonic_ns = std::max(rest.update_monotonic_ns, row.update_monotonic_ns);
  // The state of a killed or running process must stay visible in the sum.
  if (rest.state == ProcessState::kComplete) rest.state = row.state;
  // A timer in one process stays visible in the sum.
  if (rest.source != spool::Source::kTimer) rest.source = row.source;
  rest.frozen = rest.frozen || row.frozen;
}

}  // namespace

std::size_t ProcessTable::Add(ProcessRow row) {
  if (rows_.size() < max_rows_) {
    rows_.push_back(std::move(row));
    return rows_.size() - 1;
  }
  if (!has_rest_) {
    has_rest_ = true;
    ProcessRow rest;
    rest.program = "more processes";
    rest.host = row.host;
    rest.start_realtime_ns = row.start_realtime_ns;
    rest.start_monotonic_ns = row.start_monotonic_ns;
    // AddToRest adds the number of processes of each row, 1 for most.
    rest.processes = 0;
    rows_.push_back(std::move(rest));
  }
  AddToRest(rows_.back(), row, std::span(rows_).first(rows_.size() - 1));
  return rows_.size() - 1;
}

SpoolProcesses ProcessTable::Add(const spool::Spool& spool, ProcessState state,
                                 const std::string& path, const ColumnMap& columns, bool one_mark) {
  SpoolProcesses added;
  if (spool.processes.empty()) {
    ProcessRow own = RowOf(spool, state, path);
    if (!spool.run_facts.empty()) own.facts = FactsOf(spool.run_facts[0]);
    added.own = Add(own);
    for (std::size_t i = 0; i < spool.threads.size(); ++i) {
      if (!spool.threads[i].is_child) continue;
      added.by_thread.resize(spool.threads.size(), added.own);
      added.by_thread[i] = Add(RowOfChild(spool.threads[i], own));
    }
    return added;
  }
  for (const spool::Process& process : spool.processes) {
    // Rows beyond the limit share the index of the row for the rest.
    const std::size_t row = Add(RowOf(process));
    added.records.push_back(row);
    if (!one_mark) AddCounts(rows_[row].counts, columns, spool.CountsOf(process));
  }
  for (const spool::RunFacts& facts : spool.run_facts) {
    if (facts.record.process >= added.records.size()) continue;
    ProcessRow& row = rows_[added.records[facts.record.process]];
    if (row.processes == 1) row.facts = FactsOf(facts);
  }
  return added;
}

std::vector<std::size_t> ProcessTable::Sort() {
  std::vector<std::size_t> order(rows_.size());
  // Indices are sorted and not rows, because threads and modules refer to the old indices.
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    const ProcessRow& a = rows_[x];
    const ProcessRow& b = rows_[y];
    // A sum of many is sorted last, so that it is not reported as the first program.
    const bool a_rest = a.processes > 1;
    const bool b_rest = b.processes > 1;
    return std::tie(a_rest, a.start_realtime_ns, a.pid, a.generation, x) <
           std::tie(b_rest, b.start_realtime_ns, b.pid, b.generation, y);
  });
  std::vector<ProcessRow> sorted;
  sorted.reserve(order.size());
  std::vector<std::size_t> new_index(order.size());
  for (const std::size_t old : order) {
    new_index[old] = sorted.size();
    sorted.push_back(std::move(rows_[old]));
  }
  rows_ = std::move(sorted);
  return new_index;
}

}  // namespace csink
