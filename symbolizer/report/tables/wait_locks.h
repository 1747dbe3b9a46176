#pragma once

#include <cstddef>
#include <vector>

#include "profil/reading/model/profile.h"
#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/wait_places.h"
#include "symbolizer/report/tables/wait_sum.h"
#include "symbolizer/report/tables/waits.h"

/// File: the locks that threads waited for, and who held them.

namespace csink::report {

/// The locks of a profile in rows. Locks without a symbol are told apart by the place where a
/// thread first waited for them: a table of 1,000 of them is one row.
struct WaitLocks {
  std::vector<LockRow> rows;        ///< By time; LockRow::is_lock is not set
  std::vector<std::size_t> row_of;  ///< Index into `rows`, by index into Waits::locks
};

/// Makes the rows. `places`: of Waits::sites, as PlacesOfWaits returns them; the kind of a lock is
/// what most of its time was waited for there. `all`: the sum of Waits::sites.
WaitLocks MakeWaitLocks(const Profile& profile, const Names& names,
                        const std::vector<WaitPlace>& places, const WaitSum& all);

/// Whether the lock keeps threads from running, unless it is a queue of work. Joins are in the
/// tables of the threads alone, and so are most condition variables.
bool KeepsThreadsFromRunning(const LockRow& lock);

}  // namespace csink::report
