#pragma once

/// File: a part of the spool's format: facts about the CPU time of a process that its samples do
/// not show. Each was recorded where it happened, so that a report can name a cause. The same
/// structure is in the header of a spool, behind the record of a small process, and behind the
/// record of a process in a merged file. Older files have zeros, or no such structure.

#include <cstdint>

namespace csink::spool {

/// Evidence::growth_limit: no limit
inline constexpr std::uint64_t kNoFileLimit = ~std::uint64_t{0};

/// Flags of Evidence: the row is of a child process between vfork and exec, or its end
/// (ThreadRecord, kThreadIsChild). Not in the header of a spool.
inline constexpr std::uint32_t kBeforeExec = 1;

/// All fields are [live], as in format.h. CPU times are user and system time together unless the
/// name says otherwise. 152 bytes.
struct Evidence {
  /// CPU time of the agent's start until its events were armed: a part of Header::start_user_ns +
  /// start_system_ns, and not in agent_ns
  std::uint64_t start_agent_ns;
  /// Part of Header::agent_ns that threads of the agent used, which no event samples
  std::uint64_t agent_thread_ns;
  /// What the interrupt of one sample costs on this machine, as measured; 0: not measured
  std::uint64_t interrupt_ns;
  /// CLOCK_MONOTONIC at which the process entered a sandbox that forbids system calls of the agent;
  /// 0: none
  std::uint64_t sandbox_monotonic_ns;
  std::uint64_t sandbox_user_ns;  ///< CPU time of the process then, as in Header::user_ns
  std::uint64_t sandbox_system_ns;
  /// CPU time (samples x period, clock events) of samples that were taken in the sandbox
  std::uint64_t sandbox_sampled_ns;
  /// Children that shared the memory until their exec or end: by vfork or clone, and by posix_spawn
  std::uint32_t vfork_children;
  std::uint32_t spawned_children;
  std::uint64_t vfork_child_ns;  ///< CPU time of vfork_children until their exec or end
  /// Part of vfork_child_ns of children that ended without an exec: no later image has it
  std::uint64_t vfork_ended_ns;
  /// CPU time of spawned_children when posix_spawn returned; it includes the begin of the new image
  std::uint64_t spawned_child_ns;
  /// Threads that a search found, because no hook saw their begin
  std::uint32_t late_threads;
  /// Executable mappings that found no room in the table of mappings or in the spool
  std::uint32_t lost_mappings;
  std::uint64_t late_thread_ns;   ///< CPU time of late_threads before they were found
  std::uint32_t growth_errno;     ///< errno of the last growth that was refused; 0: none was
  std::uint32_t growth_refusals;  ///< How often the spool could not grow
  /// RLIMIT_FSIZE in bytes when the last growth was refused; kNoFileLimit: none
  std::uint64_t growth_limit;
  std::uint32_t flags;  ///< kBeforeExec
  std::uint32_t reserved0;
  std::uint64_t reserved[3];
};
static_assert(sizeof(Evidence) == 152);

}  // namespace csink::spool
