#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "profil/reading/merge/merge_columns.h"
#include "profil/reading/merge/merge_modules.h"
#include "profil/reading/merge/merge_processes.h"
#include "profil/reading/merge/merge_python.h"
#include "profil/reading/model/profile.h"
#include "profil/reading/reader/reader.h"

namespace csink {

/// The records with times of a merge: they are put together and sorted.
/// Owns:    its records until Take.
/// Threads: one owner.
class TimedTable {
 public:
  /// Adds those of a spool. `callers`: nodes by chain id; empty: not kept. `columns`: events of the
  /// profile by those of the spool.
  void Add(const spool::Spool& spool, const SpoolProcesses& processes, SpoolCode& code,
           const SpoolPython& python, const std::vector<std::uint32_t>& callers,
           const ColumnMap& columns);
  /// Replaces the processes of all records (ProcessTable::Sort).
  void RenumberProcesses(std::span<const std::size_t> new_index);
  /// Call this last.
  TimedProfile Take();

 private:
  TimedProfile timed_;
};

}  // namespace csink
