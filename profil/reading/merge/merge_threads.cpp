#include "profil/reading/merge/merge_threads.h"

#include <algorithm>

#include "profil/reading/model/saturating.h"

/// File: rows of threads. In a spool, a thread's counts are in its hits; in a merged file they are
/// in a record of their own, because the places of a merged file may have no thread.

namespace csink {

std::size_t ThreadTable::Add(ThreadRow row) {
  if (rows_.size() < max_rows_) {
    rows_.push_back(std::move(row));
    return rows_.size() - 1;
  }
  if (!has_rest_) {
    has_rest_ = true;
    ThreadRow rest;
    // The rest may be of many processes; the row needs one of them.
    rest.process = row.process;
    rest.name = "more threads";
    rest.is_merged = true;
    // AddTo below adds the number of threads of each row.
    rest.threads = 0;
    rows_.push_back(std::move(rest));
  }
  ThreadRow& rest = rows_.back();
  // The counts of the row are added by the caller, through the index.
  AddTo(rest.threads, row.threads);
  AddTo(rest.cpu_ns, row.cpu_ns);
  AddTo(rest.sampled_ns, row.sampled_ns);
  AddTo(rest.lost_records, row.lost_records);
  AddTo(rest.wall, row.wall);
  return rows_.size() - 1;
}

std::vector<std::size_t> ThreadTable::Add(const spool::Spool& spool,
                                          const SpoolProcesses& processes, const SpoolCode& code,
                                          const ColumnMap& columns, bool one_mark) {
  // Only a merged file has rows of processes.
  if (!spool.processes.empty()) return AddTotals(spool, processes, code, columns, one_mark);
  std::vector<std::size_t> row_of;
  row_of.reserve(spool.threads.size());
  for (std::size_t i = 0; i < spool.threads.size(); ++i) {
    const spool::Thread& thread = spool.threads[i];
    CodeAddress start_routine;
    // Main and threads that the agent adopted have none.
    if (thread.start_routine != 0) {
      start_routine = code.AddressOf(thread.start_region, thread.start_routine);
    }
    row_of.push_back(Add({.process = processes.OfThread(static_cast<std::uint32_t>(i)),
                          .tid = thread.tid,
                          .name = thread.name,
                          // Thread 0 of a spool stands for all threads without a record.
                          .is_merged = i == 0 || thread.sharing != 0,
                          .threads = i == 0 ? 0 : std::max<std::uint64_t>(1, thread.sharing),
                          .ended = thread.ended,
                          .cpu_ns = thread.cpu_ns,
                          .sampled_ns = thread.sampled_ns,
                          .lost_records = thread.lost_records,
                          .wall = PartsOf(thread.wall),
                          .start_routine = start_routine,
                          .counts = {}}));
  }
  return row_of;
}

std::vector<std::size_t> ThreadTable::AddTotals(const spool::Spool& spool,
                                                const SpoolProcesses& processes,
                                                const SpoolCode& code, const ColumnMap& columns,
                                                bool one_mark) {
  std::vector<std::size_t> row_of;
  // A file that keeps places of threads apart has one thread record for each total, after thread 0
  // for all.
  const bool apart = spool.threads.size() == spool.thread_totals.size() + 1;
  if (apart) row_of.push_back(kNobody);
  for (const spool::ThreadTotal& thread : spool.thread_totals) {
    const spool::ThreadTotalRecord& record = thread.record;
    CodeAddress start_routine;
    if (record.start_region != spool::kNone) {
      start_routine = code.AddressOf(record.start_region, record.start_routine);
    }
    const bool is_merged = (record.flags & spool::kThreadIsMerged) != 0;
    const std::size_t row = Add({.process = processes.records[record.process],
                                 .tid = record.tid,
                                 .name = record.name,
                                 .is_merged = is_merged,
                                 .threads = is_merged ? record.threads : 1,
                                 .ended = (record.flags & spool::kThreadHasEnded) != 0,
                                 .cpu_ns = record.cpu_ns,
                                 .sampled_ns = record.sampled_ns,
                                 .lost_records = record.lost_records,
                                 .wall = PartsOf(thread.wall),
                                 .start_routine = start_routine,
                                 .counts = {}});
    if (apart) row_of.push_back(row);
    if (!one_mark) AddCounts(rows_[row].counts, columns, spool.CountsOf(thread));
  }
  return row_of;
}

void ThreadTable::AddShort(const spool::Spool& spool, const SpoolCode& code) {
  for (const spool::Routine& routine : spool.routines) {
    // A record of a running process that was added just now has no numbers yet.
    if (routine.threads == 0 && routine.cpu_ns == 0) continue;
    CodeAddress address;
    if (routine.start_routine != 0) {
      address = code.AddressOf(routine.start_region, routine.start_routine);
    }
    const auto [it, is_new] =
        short_index_.emplace(std::make_pair(address.module, address.offset), short_rows_.size());
    // By the place in its module: the same routine of several processes is one row.
    if (is_new) short_rows_.push_back({address, 0, 0});
    ShortThreads& row = short_rows_[it->second];
    AddTo(row.threads, routine.threads);
    AddTo(row.cpu_ns, routine.cpu_ns);
  }
}

void ThreadTable::RenumberProcesses(std::span<const std::size_t> new_index) {
  for (ThreadRow& thread : rows_) thread.process = new_index[thread.process];
}

}  // namespace csink
