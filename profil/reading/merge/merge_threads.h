#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "profil/reading/merge/merge_columns.h"
#include "profil/reading/merge/merge_modules.h"
#include "profil/reading/merge/merge_processes.h"
#include "profil/reading/model/profile.h"
#include "profil/reading/reader/reader.h"

namespace csink {

/// The thread rows of a merge, and the sums of threads that ended without a sample. Threads of
/// different spools are never the same. Beyond `max_rows` rows, one further row ("more threads")
/// has the sum of the rest.
/// Owns:    its rows until they are taken.
/// Threads: one owner.
class ThreadTable {
 public:
  /// Row of a thread whose samples belong to no row.
  static constexpr std::size_t kNobody = ~std::size_t{0};

  explicit ThreadTable(std::size_t max_rows) noexcept : max_rows_(max_rows) {}

  /// Adds the threads of a spool and returns their rows by thread id. For a merged file that does
  /// not keep its places apart by thread, the answer is empty. The counts of a merged file's
  /// threads are added, too, unless `one_mark`: they are not divided by mark.
  std::vector<std::size_t> Add(const spool::Spool& spool, const SpoolProcesses& processes,
                               const SpoolCode& code, const ColumnMap& columns, bool one_mark);
  /// Adds a row, or its numbers (not its counts) to the row for the rest. Returns the row's index.
  std::size_t Add(ThreadRow row);
  /// Adds the threads of a spool that ended without a sample, by start routine.
  void AddShort(const spool::Spool& spool, const SpoolCode& code);

  /// A row that Add returned. Valid until the next Add.
  ThreadRow& operator[](std::size_t row) noexcept { return rows_[row]; }
  /// Replaces the processes of all rows (ProcessTable::Sort).
  void RenumberProcesses(std::span<const std::size_t> new_index);
  /// The rows, in the order of the spools. Call these last.
  std::vector<ThreadRow> Take() noexcept { return std::move(rows_); }
  std::vector<ShortThreads> TakeShort() noexcept { return std::move(short_rows_); }

 private:
  // Add for a merged file, whose threads have ThreadTotalRecords.
  std::vector<std::size_t> AddTotals(const spool::Spool& spool, const SpoolProcesses& processes,
                                     const SpoolCode& code, const ColumnMap& columns,
                                     bool one_mark);

  std::size_t max_rows_;
  std::vector<ThreadRow> rows_;
  bool has_rest_ = false;  // The last row is the sum of many
  std::vector<ShortThreads> short_rows_;
  // By module and offset of the start routine
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> short_index_;
};

}  // namespace csink
