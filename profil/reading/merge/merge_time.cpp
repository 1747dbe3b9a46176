#include "profil/reading/merge/merge_time.h"

/// File: rows of the time line are copied and not added up: each has its own begin and width.

namespace csink {

void TimeTable::Add(const spool::Spool& spool, const SpoolProcesses& processes,
                    std::span<const std::size_t> threads, SpoolCode& code) {
  // The places of a merged file are sums of many processes, which have no common time.
  if (!spool.processes.empty()) return;
  // Slices of different processes have different begins and widths, so rows are never added up.
  const std::uint64_t origin_ns = spool.header.slices_start_ns;
  for (const spool::ThreadSlices& row : spool.thread_slices) {
    if (row.thread >= threads.size()) continue;
    const std::size_t thread = threads[row.thread];
    // Beyond the limit of rows all threads have the same one.
    if (!threads_.empty() && thread == last_thread_) continue;
    last_thread_ = thread;
    threads_.push_back({.process = processes.OfThread(row.thread),
                        .thread = thread,
                        .flags = row.flags,
                        .origin_ns = origin_ns,
                        .start_ns = row.start_ns,
                        .end_ns = row.end_ns,
                        .width_ns = row.width_ns,
                        .slices = row.slices});
  }
  for (const spool::PlaceSlices& row : spool.place_slices) {
    // Places keep their process: the same place of two processes has two rows.
    places_.push_back({.process = processes.own,
                       .address = code.AddressOrUnknown(row.region, row.pc),
                       .origin_ns = origin_ns,
                       .width_ns = row.width_ns,
                       .samples = row.samples});
  }
}

void TimeTable::RenumberProcesses(std::span<const std::size_t> new_index) {
  for (ThreadTime& row : threads_) row.process = new_index[row.process];
  for (PlaceTime& row : places_) row.process = new_index[row.process];
}

}  // namespace csink
