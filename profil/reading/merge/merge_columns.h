#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "profil/format/format.h"
#include "profil/reading/model/profile.h"
#include "profil/reading/model/saturating.h"

namespace csink {

/// Event columns of a profile. More would need processes with entirely different event lists;
/// further columns are left out.
inline constexpr std::size_t kMaxColumns = 32;
/// In a ColumnMap: the profile has no column for this event.
inline constexpr std::size_t kNoColumn = ~std::size_t{0};

/// The column of the profile by event of one spool.
using ColumnMap = std::vector<std::size_t>;

/// Adds to counts[column], saturating; the vector grows if needed.
inline void AddCount(std::vector<EventCount>& counts, std::size_t column, const EventCount& count) {
  if (counts.size() <= column) counts.resize(column + 1);
  AddTo(counts[column], count);
}
/// Adds the counts of a record, one for each event of its spool. Events without a column and
/// counts without samples are left out.
void AddCounts(std::vector<EventCount>& counts, const ColumnMap& columns,
               std::span<const spool::Count> more);

/// The event columns of a merge. Events are matched by name and mode (period or frequency); their
/// order is that in which the spools brought them.
/// Owns:    its rows until Take.
/// Threads: one owner.
class ColumnTable {
 public:
  /// Adds the events of a spool and the numbers that belong to no sample (lost records, times).
  /// Samples and weights are not added: each hit does that. With `one_mark` (MergeOptions::
  /// only_phase) numbers that cannot be divided by mark are left out: weight_squared, due_ns,
  /// throttled_ns, unsampled and rate_limit_hz.
  ColumnMap Add(const spool::Header& header, bool one_mark);

  /// A column that Add returned; not kNoColumn.
  EventTotals& operator[](std::size_t column) noexcept { return rows_[column]; }
  /// The rows. Call this last.
  std::vector<EventTotals> Take() noexcept { return std::move(rows_); }

 private:
  // The column of `event`, added if it is new; kNoColumn: there is no room.
  std::size_t IndexOf(const spool::EventColumn& event);

  std::vector<EventTotals> rows_;
};

}  // namespace csink
