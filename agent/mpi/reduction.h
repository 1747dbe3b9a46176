#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/mpi/mpi_calls.h"

/// File: the ranks' profiles become one file, over MPI itself.
///
/// Each rank has a parent (rank_tree.h). A rank with children receives their profiles and lets
/// csink add them to its own; a rank without children sends its spool as it is. The messages of one
/// parent and child, in this order:
///
///   child  -> parent   Hello    size of the profile, how many ranks are in it and how many failed
///   parent -> child    Go       the parent takes it
///   child  -> parent   profile  the bytes of a spool or merged file
///   parent -> child    Result   whether the file of the job was written
///
/// A message of fixed size needs no partner at the time of sending, so that a rank whose partner is
/// not there (it was started without libcsink-mpi.so) goes on after kPartnerNs instead of waiting
/// for ever. A profile is sent only when the partner has said that it takes it.

namespace csink::mpi {

/// The calls of libagent.so (agent/control/rank_calls.h).
struct AgentCalls {
  int (*Begin)() noexcept;
  int (*Settle)(std::uint32_t rank, char* path, std::size_t bytes) noexcept;
  int (*Merge)(const int* received, std::size_t count, int output) noexcept;
  int (*Delivered)() noexcept;
  int (*Report)() noexcept;
  int (*Resume)() noexcept;

  /// Finds them among the libraries of the process. False without an agent.
  bool Load() noexcept;
};

/// What a subtree says about itself.
struct Hello {
  std::uint64_t magic = 0;
  std::uint64_t bytes = 0;         ///< Of the profile; 0: there is none
  std::uint32_t ranks = 0;         ///< With their samples in it
  std::uint32_t failed = 0;        ///< Without
  std::uint32_t first_failed = 0;  ///< One of these
  std::int32_t error = 0;          ///< Why, an errno
};

/// The sum over the ranks so far, and why some are missing.
/// Threads: one. Signals: safe.
class Outcome {
 public:
  /// `count` ranks that were to be in the sum are not; `rank` is one of them. The first one is
  /// kept.
  void Fail(std::uint32_t rank, std::uint32_t count, int error) noexcept {
    if (failed_ == 0) {
      first_failed_ = rank;
      error_ = error;
    }
    failed_ += count;
  }
  void Add(std::uint32_t ranks) noexcept { ranks_ += ranks; }
  /// No profile can go on: all that were in the sum fail.
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
