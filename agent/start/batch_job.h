#pragma once

#include <cstdint>

#include "core/util/text.h"

namespace csink::agent {

/// The part of a larger run that this process is, as its launcher's environment variables say.
struct BatchJob {
  /// MPI rank + 1, so that 0 means: not started by an MPI launcher
  std::uint32_t rank_plus_one = 0;
  /// Id of the batch job; empty: none; cut at 63 bytes. The ranks of a world that MPI_Comm_spawn
  /// made are a job of their own, since they have the numbers of other ranks: "4711.spawn.WORLD"
  Text<64> job;
};

/// Reads the variables of MPI launchers (PMIx, Open MPI, PMI, Slurm, MVAPICH, Flux: the first that
/// holds a number is the rank) and of batch systems (Slurm, PBS, LSF, Flux, Grid Engine, Cobalt).
/// A spawned world is named by PMIX_NAMESPACE (Open MPI), else by the number of the process that
/// started the rank (MPICH), which is one for all ranks of a world on one node.
/// Threads: main, at the start. Signals: not safe.
void ReadBatchJob(char* const* environment, BatchJob& job) noexcept;

}  // namespace csink::agent
