#pragma once

#include <cstddef>
#include <cstdint>

/// File: what libcsink-mpi.so asks of libagent.so. Both are of one build, and the first finds these
/// functions with dlsym, so that it works without an agent, too. No interface for programs.
///
/// All return 0, or an errno as Controller's requests do. Threads: the one that calls MPI_Init and
/// MPI_Finalize. Signals: not used in handlers.

extern "C" {

/// The process is a rank of an MPI job whose profiles become one: it leaves its spool at the end
/// instead of a report of its own. ENOTSUP: csink run makes the report of all processes.
int csink_agent_rank_begin(void) noexcept;

/// Samples nothing more, drains everything and makes the spool complete, with `rank` in its header.
/// Its path is copied to `path`, and its bytes to the empty file `copy`: the spool itself may still
/// grow, by regions and threads. ENOTSUP as above; ENOSPC: no spool, or no memory for the copy;
/// E2BIG: `bytes` are too few.
int csink_agent_rank_settle(std::uint32_t rank, char* path, std::size_t bytes, int copy) noexcept;

/// Runs `csink merge`: writes the sum of the profiles in these descriptors to the descriptor
/// `output`; -1: to a file beside the spool, <spool>.ranks.csink. At most kMostRankProfiles.
/// ENOENT: no csink program; EACCES: the spool cannot be read any more; EIO: csink failed.
int csink_agent_rank_merge(const int* profiles, std::size_t count, int output) noexcept;

/// The spool's samples are in the file of the job: the process removes its spool at the end, unless
/// CSINK_KEEP=1.
int csink_agent_rank_delivered(void) noexcept;

/// Runs `csink report` on <spool>.ranks.csink as for a report at the end; unless CSINK_KEEP=1 the
/// file is removed then. Does nothing with CSINK_REPORT=0. Call it before the process ends. Errors
/// as csink_agent_rank_merge.
int csink_agent_rank_report(void) noexcept;

}  // extern "C"

namespace csink::agent {

/// Profiles that one `csink merge` adds up, the own one among them.
inline constexpr std::size_t kMostRankProfiles = 17;

}  // namespace csink::agent
