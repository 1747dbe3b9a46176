#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/mpi/mpi_calls.h"

/// File: the ranks' profiles become one file, over MPI itself.
///
/// Each rank has a parent (rank_tree.h). A rank with children receives their profiles and lets
/// csink add them to its own; a rank without children sends a copy of its spool. The messages of
/// one parent and child, in this order:
///
///   child  -> parent   Hello    size of the profile, how many ranks are in it and how many failed
///   parent -> child    Go       the parent accepts the profile
///   child  -> parent   profile  the bytes of a spool or merged file
///   parent -> child    Result   whether the file of the job was written
///
/// Messages of fixed size are sent without waiting for the partner. So a rank whose partner was
/// started without libcsink-mpi.so goes on after kPartnerNs instead of waiting for ever. A profile
/// is sent only after the partner has accepted it.

namespace csink::mpi {

/// The calls of libagent.so (agent/control/rank_calls.h).
struct AgentCalls {
  int (*Begin)() noexcept;
  int (*Settle)(std::uint32_t rank, char* path, std::size_t bytes, int copy) noexcept;
  int (*Merge)(const int* profiles, std::size_t count, int output) noexcept;
  int (*Delivered)() noexcept;
  int (*Report)() noexcept;
  int (*Resume)() noexcept;

  /// Finds the functions among the libraries of the process. False: the process has no agent.
  bool Load() noexcept;
};

/// The first message of a child: the profile of its subtree, and the ranks in it.
struct Hello {
  std::uint64_t magic = 0;         ///< Of this version of the messages
  std::uint64_t bytes = 0;         ///< Size of the profile; 0: there is no profile
  std::uint32_t ranks = 0;         ///< Ranks whose samples are in the profile
  std::uint32_t failed = 0;        ///< Ranks of the subtree whose samples are not in it
  std::uint32_t first_failed = 0;  ///< One of the failed ranks
  std::int32_t error = 0;          ///< Why first_failed failed, an errno
};

/// The sum over the ranks so far, and why some are missing.
/// Threads: one. Signals: safe.
class Outcome {
 public:
  /// Notes that `count` ranks are missing in the sum; `rank` is one of them. Only the rank and the
  /// error of the first call are kept.
  void Fail(std::uint32_t rank, std::uint32_t count, int error) noexcept {
    if (failed_ == 0) {
      first_failed_ = rank;
      error_ = error;
    }
    failed_ += count;
  }
  /// Notes that the samples of `ranks` more ranks are in the sum.
  void Add(std::uint32_t ranks) noexcept { ranks_ += ranks; }
  /// Notes that the sum is lost: all ranks that were in it fail.
  void LoseAll(std::uint32_t rank, int error) noexcept {
    const std::uint32_t lost = ranks_;
    ranks_ = 0;
    if (lost > 0) Fail(rank, lost, error);
  }
  std::uint32_t ranks() const noexcept { return ranks_; }
  std::uint32_t failed() const noexcept { return failed_; }
  std::uint32_t first_failed() const noexcept { return first_failed_; }
  int error() const noexcept { return error_; }

 private:
  std::uint32_t ranks_ = 0;
  std::uint32_t failed_ = 0;
  std::uint32_t first_failed_ = 0;
  int error_ = 0;
};

/// Reduces the profiles of all ranks. Every rank calls it once, between MPI_Init and MPI_Finalize.
/// Prints on rank 0 one line if ranks are missing in the file. Returns true on rank 0 if the file
/// was written and its report is to be made. Never waits for ever, allocates no heap, and closes
/// what it opens. Threads: the one that calls MPI_Finalize. Signals: not safe.
bool Reduce(const MpiCalls& mpi, const AgentCalls& agent, bool has_agent) noexcept;

}  // namespace csink::mpi
