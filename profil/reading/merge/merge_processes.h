#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profil/reading/merge/merge_columns.h"
#include "profil/reading/model/profile.h"
#include "profil/reading/reader/reader.h"

namespace csink {

/// Follows the program's name and the command in the row of a child process that has called no exec
/// yet.
inline constexpr char kBeforeExecSuffix[] = " (child before exec)";

/// The rows of the processes of one spool.
struct SpoolProcesses {
  std::size_t own = 0;               ///< Row of the spool of one process; 0 for a merged file
  std::vector<std::size_t> records;  ///< Row by process of a merged file; else empty
  /// Row by thread, where the spool has children (Thread::is_child); else empty
  std::vector<std::size_t> by_thread;

  /// The row for a thread of a spool of one process: that of a child, or `own`.
  std::size_t OfThread(std::uint32_t thread) const noexcept {
    return thread < by_thread.size() ? by_thread[thread] : own;
  }

  /// The row for Region::process_plus_one.
  std::size_t RowOf(std::uint32_t process_plus_one) const noexcept {
    return process_plus_one == 0 ? own : records[process_plus_one - 1];
  }
};

/// The process rows of a merge, one for each image of a process. Beyond `max_rows` rows, one
/// further row ("more processes") has the sum of the rest.
/// Owns:    its rows until Take.
/// Threads: one owner.
class ProcessTable {
 public:
  explicit ProcessTable(std::size_t max_rows) noexcept : max_rows_(max_rows) {}

  /// Adds the process of a spool, found in `state` at `path`, or all processes of a merged file.
  /// The counts of a merged file's processes are added, too, unless `one_mark`: they are not
  /// divided by mark. The counts of a spool of one process come with its hits.
  SpoolProcesses Add(const spool::Spool& spool, ProcessState state, const std::string& path,
                     const ColumnMap& columns, bool one_mark);
  /// Adds a row, or its numbers (not its counts) to the row for the rest. Returns the row's index.
  std::size_t Add(ProcessRow row);

  /// A row that Add returned. Valid until the next Add.
  ProcessRow& operator[](std::size_t row) noexcept { return rows_[row]; }
  const ProcessRow& operator[](std::size_t row) const noexcept { return rows_[row]; }
  std::span<const ProcessRow> rows() const noexcept { return rows_; }
  /// Sorts the rows by (start time, pid, generation), the row for the rest last. Returns the new
  /// index by former index. The owner translates the indices that other tables hold.
  std::vector<std::size_t> Sort();
  /// The rows. Call this last.
  std::vector<ProcessRow> Take() noexcept { return std::move(rows_); }

 private:
  std::size_t max_rows_;
  std::vector<ProcessRow> rows_;
  bool has_rest_ = false;  // The last row is the sum of many
};

}  // namespace csink
