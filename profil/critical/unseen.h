#pragma once

#include "profil/critical/waits.h"

/// File: what switches tell of waits that hooks did not note.

namespace csink::critical {

/// Shorter times off the processor are not taken for waits.
inline constexpr std::int64_t kUnseenWaitNs = 20'000;
/// A thread that ran so shortly before the end of a wait may have ended it.
inline constexpr std::int64_t kRanBeforeNs = 200'000;

/// Adds a wait for each time in which a thread was blocked and no wait covers.
void AddUnseenWaits(const CriticalLog& log, Waits& waits);

/// Gives waits without a waker the only other thread of the log that ran just before their end. If
/// several or none ran, the waker stays unknown. Waits for conditions, semaphores, joins and
/// children are left out: their wakers are hooked, and a time limit may have ended them.
/// Time: n log n.
void InferWakers(const CriticalLog& log, Waits& waits);

}  // namespace csink::critical
