#pragma once

#include "profil/format/evidence.h"

namespace csink {

/// Adds the evidence of a process to that of others, saturating. What cannot be added (moments,
/// errno, limits) is that of the last process that has any.
/// Threads: any.
void AddTo(spool::Evidence& sum, const spool::Evidence& more) noexcept;
/// The CPU times and numbers since an earlier state of the same process. Moments, errno, limits and
/// what was known at the start stay.
void TakeOff(spool::Evidence& now, const spool::Evidence& before) noexcept;

}  // namespace csink
