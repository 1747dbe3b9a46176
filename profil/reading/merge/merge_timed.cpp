#include "profil/reading/merge/merge_timed.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "profil/reading/model/saturating.h"

namespace csink {
namespace {

void AddCounts(spool::TimedCounts& sum, const spool::TimedCounts& more) {
  sum.recorded += more.recorded != 0 ? 1 : 0;
  sum.hooked += more.hooked != 0 ? 1 : 0;
  using Member = std::uint64_t spool::TimedCounts::*;
  for (const Member member :
       {&spool::TimedCounts::moments_left_out, &spool::TimedCounts::samples_left_out,
        &spool::TimedCounts::switches_left_out, &spool::TimedCounts::lost_stretches,
        &spool::TimedCounts::lost_ns}) {
    AddTo(sum.*member, more.*member);
  }
  if (more.full_monotonic_ns != 0 &&
      (sum.full_monotonic_ns == 0 || more.full_monotonic_ns < sum.full_monotonic_ns)) {
    sum.full_monotonic_ns = more.full_monotonic_ns;
  }
}

/// The process of a tid: a child between vfork and exec is a process of its own.
class ProcessOfThread {
 public:
  ProcessOfThread(const spool::Spool& spool, const SpoolProcesses& processes)
      : own_(static_cast<std::uint32_t>(processes.own)) {
    for (std::uint32_t i = 0; i < spool.threads.size(); ++i) {
      if (!spool.threads[i].is_child) continue;
      children_[spool.threads[i].tid] = static_cast<std::uint32_t>(processes.OfThread(i));
    }
  }
  std::uint32_t operator()(std::uint32_t tid) const {
    const auto child = children_.find(tid);
    return child == children_.end() ? own_ : child->second;
  }

 private:
  std::uint32_t own_;
  std::map<std::uint32_t, std::uint32_t> children_;
};

}  // namespace

void TimedTable::Add(const spool::Spool& spool, const SpoolProcesses& processes, SpoolCode& code,
                     const SpoolPython& python, const std::vector<std::uint32_t>& callers,
                     const ColumnMap& columns) {
  // Processes of a merged file may be of several machines.
  if (!spool.processes.empty()) return;
  AddCounts(timed_.counts, spool.header.timed);
  const ProcessOfThread process_of(spool, processes);
  for (const spool::MomentRecord& record : spool.timed.moments) {
    timed_.moments.push_back({record.start_ns, record.end_ns, record.object, record.value,
                              process_of(record.thread), record.thread, record.kind, record.flags});
  }
  for (const spool::TimedSampleRecord& record : spool.timed.samples) {
    const std::size_t column = columns[record.event];
    if (column == kNoColumn) continue;
    const SpoolPython::Sample sample = python.Of(record.region, record.pc, record.chain, code);
    timed_.samples.push_back(
        {record.time_ns, sample.address, callers.empty() ? 0 : callers[sample.chain],
         process_of(record.thread), record.thread, static_cast<std::uint32_t>(column)});
  }
  for (const spool::SwitchRecord& record : spool.timed.switches) {
    timed_.switches.push_back(
        {record.time_ns, process_of(record.thread), record.thread, record.kind});
  }
}

void TimedTable::RenumberProcesses(std::span<const std::size_t> new_index) {
  const auto renumber = [&](auto& records) {
    for (auto& record : records) {
      record.process = static_cast<std::uint32_t>(new_index[record.process]);
    }
  };
  renumber(timed_.moments);
  renumber(timed_.samples);
  renumber(timed_.switches);
}

TimedProfile TimedTable::Take() {
  // Stable: what has one time stays in the order of its thread.
  std::stable_sort(timed_.moments.begin(), timed_.moments.end(),
                   [](const Moment& a, const Moment& b) { return a.start_ns < b.start_ns; });
  const auto by_time = [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; };
  std::stable_sort(timed_.samples.begin(), timed_.samples.end(), by_time);
  std::stable_sort(timed_.switches.begin(), timed_.switches.end(), by_time);
  return std::move(timed_);
}

}  // namespace csink
