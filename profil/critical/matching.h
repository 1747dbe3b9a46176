#pragma once

#include <cstdint>
#include <vector>

#include "profil/critical/log.h"
#include "profil/critical/point_index.h"

/// File: which moment belongs to which wait where their order tells: queues of waiters, bytes of
/// pipes.

namespace csink::critical {

/// For each moment of CriticalLog::moments.rows the one that ended it; kNone: not found.
using Matches = std::vector<std::uint32_t>;

/// Matches waits for conditions, semaphores and futexes: a signal wakes the oldest waiter, a
/// broadcast all of them. "The last signal before the end of the wait" would be wrong where a woken
/// thread waits for a processor.
void MatchQueues(const CriticalLog& log, const PointIndex& index, Matches& matches);

/// Matches reads of pipes to the write that brought their last byte, or at the end of the pipe to
/// the close. Counts of a process have their own zero; they are added up over the processes.
void MatchPipes(const CriticalLog& log, const PointIndex& index, Matches& matches);

}  // namespace csink::critical
