#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "profil/reading/merge/merge_modules.h"
#include "profil/reading/merge/merge_processes.h"
#include "profil/reading/model/profile.h"
#include "profil/reading/reader/reader.h"

namespace csink {

/// The rows of the time line of a merge. Rows of different spools stay apart: they have different
/// origins and widths.
/// Owns:    its rows until they are taken.
/// Threads: one owner.
class TimeTable {
 public:
  /// Adds the rows of a spool; `threads`: row by thread id (ThreadTable::Add). A merged file has
  /// none. Threads that share a row with others (MergeOptions::max_threads) are left out.
  void Add(const spool::Spool& spool, const SpoolProcesses& processes,
           std::span<const std::size_t> threads, SpoolCode& code);
  /// Replaces the processes of all rows (ProcessTable::Sort).
  void RenumberProcesses(std::span<const std::size_t> new_index);
  /// The rows, in the order of the spools. Call these last.
  std::vector<ThreadTime> TakeThreads() noexcept { return std::move(threads_); }
  std::vector<PlaceTime> TakePlaces() noexcept { return std::move(places_); }

 private:
  std::vector<ThreadTime> threads_;
  std::vector<PlaceTime> places_;
  std::size_t last_thread_ = ~std::size_t{0};  // Row of the last thread that was added
};

}  // namespace csink
