#include "agent/events/batch_job.h"

#include "agent/settings/config.h"
#include "core/util/parse.h"

namespace csink::agent {
namespace {

// A launcher that knows more comes first: under Slurm, Open MPI's own rank is the one that
// MPI_Comm_rank gives.
constexpr const char* kRanks[] = {"PMIX_RANK",    "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                  "SLURM_PROCID", "MV2_COMM_WORLD_RANK",  "FLUX_TASK_RANK"};
constexpr const char* kJobs[] = {"SLURM_JOB_ID", "SLURM_JOBID", "PBS_JOBID",   "LSB_JOBID",
                                 "FLUX_JOB_ID",  "JOB_ID",      "COBALT_JOBID"};

}  // namespace

void ReadBatchJob(char* const* environment, BatchJob& job) noexcept {
  // rank_plus_one must not wrap to 0, so the largest number is refused.
  for (const char* name : kRanks) {
    const char* value = FindVariable(environment, name);
    if (!value) continue;
    const Result<std::uint64_t> rank = ParseUnsigned(value);
    if (!rank || *rank >= 0xffffffffu) continue;
    job.rank_plus_one = static_cast<std::uint32_t>(*rank) + 1;
    break;
  }
  for (const char* name : kJobs) {
    const char* value = FindVariable(environment, name);
    if (!value || !value[0]) continue;
    job.job.Add(value);
    break;
  }
}

}  // namespace csink::agent
