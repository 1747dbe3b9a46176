#pragma once

#include <cstdint>

#include "core/util/text.h"

namespace csink::agent {

/// Which part of a larger run this process is, as its launcher says.
struct BatchJob {
  std::uint32_t rank_plus_one = 0;  ///< MPI rank + 1; 0: none
  Text<64> job;                     ///< Id of the batch job; empty: none
};

/// Reads the variables of MPI launchers (PMIx, Open MPI, PMI, Slurm, MVAPICH, Flux: the first
/// that holds a number is the rank) and of batch systems. Threads: before there are any.
/// Signals: not safe.
void ReadBatchJob(char* const* environment, BatchJob& job) noexcept;

}  // namespace csink::agent
