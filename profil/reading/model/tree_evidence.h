#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profil/format/small_record.h"
#include "profil/reading/reader/small_reader.h"

/// File: what the processes of a tree recorded of each other: how children ended, and why programs
/// have no profile. Times ending in monotonic_ns are CLOCK_MONOTONIC, 0: unknown. Threads: any,
/// read only.

namespace csink {

/// A wait call that returned the end of a child.
struct ChildEnd {
  std::uint32_t pid = 0;
  std::uint32_t waiter_pid = 0;  ///< 0: csink run itself
  int status = 0;                ///< As waitpid(2) returns it
  /// CPU time of the child and of the descendants that were waited for (wait4(2))
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  std::uint64_t monotonic_ns = 0;  ///< When the wait returned
};

/// What a process used by its children that were waited for, up to a moment.
struct ChildrenUse {
  std::uint32_t pid = 0;
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  std::uint64_t monotonic_ns = 0;
};

/// A program that was executed and that cannot load the agent.
struct RefusedExec {
  std::uint32_t pid = 0;  ///< The process that executed it
  spool::Refusal why = spool::Refusal::kNone;
  std::string program;             ///< Path as executed
  std::uint64_t monotonic_ns = 0;  ///< Before the exec
};

/// A process with the agent that left neither a spool nor a record of its samples.
struct LeftOutProcess {
  std::uint32_t pid = 0;
  spool::LeftOut why = spool::LeftOut::kNone;
  int error = 0;  ///< errno, for LeftOut::kSpoolRefused
  std::string program;
  std::uint64_t user_ns = 0;  ///< CPU time of the process when this was recorded
  std::uint64_t system_ns = 0;
  std::uint64_t monotonic_ns = 0;
};

/// A process that its parent knows by another number: its parent is in another pid namespace.
struct OuterNumber {
  std::uint32_t pid = 0;  ///< In its own namespace, as it records itself
  std::uint32_t outer_pid = 0;
  std::uint32_t parent_pid = 0;    ///< 0: not known
  std::uint64_t start_ticks = 0;   ///< 0: not known
  std::uint64_t monotonic_ns = 0;  ///< When it was recorded: soon after its start, or an exec
};

/// Everything of this kind that a tree has.
struct TreeEvidence {
  std::uint64_t tree_id = 0;  ///< Of `csink run`; 0: not known
  std::vector<ChildEnd> ends;
  std::vector<ChildrenUse> children;
  std::vector<RefusedExec> refused;
  std::vector<LeftOutProcess> left_out;
  std::vector<OuterNumber> outer_numbers;
  std::uint64_t dropped_ends = 0;  ///< Ends that were seen and found no room
};

/// That of the tree `tree_id`, added if it is new.
TreeEvidence& EvidenceOf(std::vector<TreeEvidence>& trees, std::uint64_t tree_id);

/// Adds what a tree's file of records has.
void AddEvidence(const spool::SmallRecords& records, TreeEvidence& evidence);

/// A tree's records that are of no process, as they were written (profil/format/small_record.h):
/// for merged files. Each record is there once.
struct TreeFacts {
  std::uint64_t tree_id = 0;
  std::vector<std::byte> records;
};

}  // namespace csink
