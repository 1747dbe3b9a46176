#pragma once

#include "profil/model/profile.h"

namespace csink {

/// What came to a profile since an earlier state of the same processes: the later one with the
/// earlier one's counts taken off. Modules meet by what they are, places by address, mark and
/// thread name no more than that (profiles without callers, marks and threads), threads and
/// processes by who they are. What did not grow has counts of 0 and its place goes; so does a count
/// that shrank, as a live spool caught in the middle of a change may have. Times of a process begin
/// at the earlier state's last update.
Profile Since(Profile now, const Profile& before);

}  // namespace csink
