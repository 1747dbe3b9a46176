#pragma once

#include "profil/reading/model/profile.h"

namespace csink {

/// The growth of a profile since an earlier state of the same processes: `now` with the counts of
/// `before` subtracted. Modules are matched by identity, places by address, callers, mark
/// and thread as far as the profiles keep these apart, threads and processes by identity. Counts
/// that did not grow are 0, and places without counts are removed. A count that decreased is also
/// 0: a live spool may be read in the middle of a change. The times of a process begin at the last
/// update of the earlier state. Threads: any.
Profile Since(Profile now, const Profile& before);

/// Removes processes without samples, their threads, and what such profiles do not show: rows over
/// time. Threads: any.
void DropUnsampled(Profile& profile);

}  // namespace csink
