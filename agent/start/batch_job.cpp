#include "agent/start/batch_job.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "agent/settings/config.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"

namespace csink::agent {
namespace {

// A launcher that knows more comes first: under Slurm, Open MPI's own rank is the one that
// MPI_Comm_rank gives.
constexpr const char* kRanks[] = {"PMIX_RANK",    "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                  "SLURM_PROCID", "MV2_COMM_WORLD_RANK",  "FLUX_TASK_RANK"};
constexpr const char* kJobs[] = {"SLURM_JOB_ID", "SLURM_JOBID", "PBS_JOBID",   "LSB_JOBID",
                                 "FLUX_JOB_ID",  "JOB_ID",      "COBALT_JOBID"};

// Open MPI and Hydra (MPICH) set one of these for ranks that MPI_Comm_spawn started.
constexpr const char* kSpawned[] = {"OMPI_PARENT_PORT", "PMI_SPAWNED"};

// The first world of a job keeps the job's name, so that nothing changes for programs that spawn
// none.
void AddSpawnedWorld(char* const* environment, BatchJob& job) noexcept {
  bool is_spawned = false;
  for (const char* name : kSpawned) {
    const char* value = FindVariable(environment, name);
    is_spawned = is_spawned || (value && value[0] && std::strcmp(value, "0") != 0);
  }
  if (!is_spawned || job.rank_plus_one == 0) return;
  // The world must not be cut off.
  Text<32> world;
  world.Add(".spawn.");
  const char* name = FindVariable(environment, "PMIX_NAMESPACE");
  std::string_view last = name ? std::string_view(name) : std::string_view();
  // The end of a name tells worlds apart: "1537671170", "prterun-host-4711@2". Not substr, which
  // may throw.
  constexpr std::size_t kMost = 20;
  if (last.size() > kMost) last.remove_prefix(last.size() - kMost);
  if (!last.empty()) {
    world.Add(last);
  } else {
    world.Number(static_cast<std::uint64_t>(RawSyscall(SYS_getppid)));
  }
  std::string_view whole = world.view();
  if (job.job.size() == 0) whole.remove_prefix(1);
  const Text<64> batch = job.job;
  job.job.Clear();
  job.job.Add({batch.view().data(), std::min(batch.size(), 63 - whole.size())}).Add(whole);
}

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
  AddSpawnedWorld(environment, job);
}

}  // namespace csink::agent
