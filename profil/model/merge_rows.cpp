#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <tuple>

#include "profil/model/merge_state.h"
#include "profil/model/saturating.h"

/// File: the rows of processes and threads of a merge, notes, and the final order of processes.

namespace csink {
namespace {

/// Different programs, with their reasons, in a profile; further ones share a row.
constexpr std::size_t kMaxNotFollowed = 1024;

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
  row.switches = SaturatingSubtract(header.switches, header.start_switches);
  row.configuration = std::string(spool.configuration);
  return row;
}

// ProcessRecord::state.
ProcessState StateOf(std::uint32_t written) {
  return written == 0   ? ProcessState::kComplete
         : written == 1 ? ProcessState::kLive
                        : ProcessState::kKilled;
}

// The row of a process of a merged file.
ProcessRow RowOf(const spool::Process& process) {
  const spool::ProcessRecord& record = process.record;
  ProcessRow row = RowOfFacts(record);
  row.switches = record.switches;
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
  row.processes = std::max<std::uint64_t>(1, record.processes);
  return row;
}

/// Whether `kept` has a later image of the same process. That image's CPU clock includes the time
/// of `row`.
bool IsContinued(const ProcessRow& row, std::span<const ProcessRow> kept) {
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
  if (rest.source != spool::Source::kTimer) rest.source = row.source;
  rest.frozen = rest.frozen || row.frozen;
}

}  // namespace

std::size_t ProfileMerger::State::AddProcess(ProcessRow row) {
  auto& rows = profile.processes;
  if (rows.size() < options.max_processes) {
    rows.push_back(std::move(row));
    return rows.size() - 1;
  }
  if (!has_process_rest) {
    has_process_rest = true;
    ProcessRow rest;
    rest.program = "more processes";
    rest.host = row.host;
    rest.start_realtime_ns = row.start_realtime_ns;
    rest.start_monotonic_ns = row.start_monotonic_ns;
    // AddToRest adds the number of processes of each row, 1 for most.
    rest.processes = 0;
    rows.push_back(std::move(rest));
  }
  AddToRest(rows.back(), row, std::span(rows).first(rows.size() - 1));
  return rows.size() - 1;
}

std::size_t ProfileMerger::State::AddThread(ThreadRow row) {
  auto& rows = profile.threads;
  if (rows.size() < options.max_threads) {
    rows.push_back(std::move(row));
    return rows.size() - 1;
  }
  if (!has_thread_rest) {
    has_thread_rest = true;
    ThreadRow rest;
    rest.process = row.process;
    rest.name = "more threads";
    rest.is_merged = true;
    rows.push_back(std::move(rest));
  }
  ThreadRow& rest = rows.back();
  // The counts of the row are added by the caller, through the index.
  AddTo(rest.cpu_ns, row.cpu_ns);
  AddTo(rest.sampled_ns, row.sampled_ns);
  AddTo(rest.lost_records, row.lost_records);
  return rows.size() - 1;
}

void ProfileMerger::State::AddProcesses(const spool::Spool& spool, ProcessState state,
                                        const std::string& path, Placement& at) {
  for (const std::string& problem : spool.problems) {
    profile.problems.push_back(path + ": " + problem);
  }
  if (spool.processes.empty()) {
    at.process = AddProcess(RowOf(spool, state, path));
    return;
  }
  for (const spool::Process& process : spool.processes) {
    // Rows beyond the limit share the index of the row for the rest.
    at.processes.push_back(AddProcess(RowOf(process)));
    if (!options.only_phase.empty()) continue;  // The counts of processes are not divided by mark
    const auto counts = spool.CountsOf(process);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (at.columns[i] == kMaxColumns || counts[i].samples == 0) continue;
      AddCount(profile.processes[at.processes.back()].counts, at.columns[i],
               {counts[i].samples, counts[i].weight});
    }
  }
}

void ProfileMerger::State::AddThreads(const spool::Spool& spool, Placement& at) {
  if (!spool.processes.empty()) return AddThreadTotals(spool, at);
  at.threads.reserve(spool.threads.size());
  for (std::size_t i = 0; i < spool.threads.size(); ++i) {
    const spool::Thread& thread = spool.threads[i];
    CodeAddress start_routine;
    if (thread.start_routine != 0) {
      start_routine = AddressOf(spool, thread.start_region, thread.start_routine, at);
    }
    at.threads.push_back(AddThread({.process = at.process,
                                    .tid = thread.tid,
                                    .name = thread.name,
                                    .is_merged = i == 0,
                                    .ended = thread.ended,
                                    .cpu_ns = thread.cpu_ns,
                                    .sampled_ns = thread.sampled_ns,
                                    .lost_records = thread.lost_records,
                                    .start_routine = start_routine,
                                    .counts = {}}));
  }
}

void ProfileMerger::State::AddThreadTotals(const spool::Spool& spool, Placement& at) {
  // A file that keeps places of threads apart has one thread record for each total, after thread 0
  // for all.
  const bool apart = spool.threads.size() == spool.thread_totals.size() + 1;
  if (apart) at.threads.push_back(Placement::kNobody);
  for (const spool::ThreadTotal& thread : spool.thread_totals) {
    const spool::ThreadTotalRecord& record = thread.record;
    CodeAddress start_routine;
    if (record.start_region != spool::kNone) {
      start_routine = AddressOf(spool, record.start_region, record.start_routine, at);
    }
    const std::size_t row = AddThread({.process = at.processes[record.process],
                                       .tid = record.tid,
                                       .name = record.name,
                                       .is_merged = (record.flags & spool::kThreadIsMerged) != 0,
                                       .ended = (record.flags & spool::kThreadHasEnded) != 0,
                                       .cpu_ns = record.cpu_ns,
                                       .sampled_ns = record.sampled_ns,
                                       .lost_records = record.lost_records,
                                       .start_routine = start_routine,
                                       .counts = {}});
    if (apart) at.threads.push_back(row);
    if (!options.only_phase.empty()) continue;
    const auto counts = spool.CountsOf(thread);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (at.columns[i] == kMaxColumns || counts[i].samples == 0) continue;
      AddCount(profile.threads[row].counts, at.columns[i], {counts[i].samples, counts[i].weight});
    }
  }
}

void ProfileMerger::State::AddNotes(const spool::Spool& spool) {
  for (const spool::Note& note : spool.notes) {
    // A note without a reason is a problem (spool::NoteRecord).
    if (note.why.empty()) {
      profile.problems.emplace_back(note.text);
    } else {
      AddNotFollowed(std::string(note.text), std::string(note.why), note.times);
    }
  }
}

void ProfileMerger::State::AddNotFollowed(std::string program, std::string why,
                                          std::uint64_t times) {
  // A known row still gets its own count when the table is full.
  if (not_followed.size() >= kMaxNotFollowed && not_followed.count({program, why}) == 0) {
    program = "more programs";
    why = "could not be followed";
  }
  auto& rows = profile.not_followed;
  const auto [it, is_new] = not_followed.emplace(std::make_pair(program, why), rows.size());
  if (is_new) rows.push_back({std::move(program), std::move(why), 0});
  AddTo(rows[it->second].times, times);
}

void ProfileMerger::State::SortProcesses() {
  std::vector<std::size_t> order(profile.processes.size());
  // Indices are sorted and not rows, because threads and modules refer to the old indices.
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    const ProcessRow& a = profile.processes[x];
    const ProcessRow& b = profile.processes[y];
    // A sum of many is sorted last, so that it is not reported as the first program.
    const bool a_rest = a.processes > 1;
    const bool b_rest = b.processes > 1;
    return std::tie(a_rest, a.start_realtime_ns, a.pid, a.generation, x) <
           std::tie(b_rest, b.start_realtime_ns, b.pid, b.generation, y);
  });
  std::vector<ProcessRow> processes;
  processes.reserve(order.size());
  // Threads and modules refer to processes by index, so these are translated.
  std::vector<std::size_t> new_index(order.size());
  for (const std::size_t old : order) {
    new_index[old] = processes.size();
    processes.push_back(std::move(profile.processes[old]));
  }
  profile.processes = std::move(processes);
  for (ThreadRow& thread : profile.threads) thread.process = new_index[thread.process];
  for (Module& module : profile.modules) {
    if (module.is_anonymous) module.process = new_index[module.process];
  }
}

}  // namespace csink
