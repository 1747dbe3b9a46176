#include "agent/start/batch_job.h"

#include <unistd.h>

#include "tests/agent/settings/config_fixture.h"

namespace csink::agent {
namespace {

BatchJob Read(std::vector<std::string> variables) {
  testing::FakeEnvironment environment(std::move(variables));
  BatchJob job;
  ReadBatchJob(environment.data(), job);
  return job;
}

TEST(ReadBatchJob, FindsNothingOutsideOfOne) {
  const BatchJob job = Read({"PATH=/bin"});
  EXPECT_EQ(job.rank_plus_one, 0u);
  EXPECT_EQ(job.job.size(), 0u);
}

TEST(ReadBatchJob, KnowsEveryLauncher) {
  for (const char* name : {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID",
                           "MV2_COMM_WORLD_RANK", "FLUX_TASK_RANK"}) {
    EXPECT_EQ(Read({std::string(name) + "=3"}).rank_plus_one, 4u) << name;
    EXPECT_EQ(Read({std::string(name) + "=0"}).rank_plus_one, 1u) << name;
  }
  for (const char* name :
       {"SLURM_JOB_ID", "SLURM_JOBID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "JOB_ID"}) {
    EXPECT_EQ(Read({std::string(name) + "=4711.host"}).job.view(), "4711.host") << name;
  }
}

TEST(ReadBatchJob, AsksTheOneThatKnowsMostFirst) {
  EXPECT_EQ(Read({"SLURM_PROCID=9", "PMIX_RANK=2"}).rank_plus_one, 3u);
  EXPECT_EQ(Read({"PBS_JOBID=b", "SLURM_JOB_ID=a"}).job.view(), "a");
}

TEST(ReadBatchJob, PassesOverWhatIsNoRank) {
  for (const char* value : {"", "-1", "one", "0x1", "4294967295", "99999999999999999999", "\xff"}) {
    const std::string bad = std::string("PMIX_RANK=") + value;
    EXPECT_EQ(Read({bad}).rank_plus_one, 0u) << value;
    EXPECT_EQ(Read({bad, "PMI_RANK=5"}).rank_plus_one, 6u) << value;
  }
  EXPECT_EQ(Read({"PBS_JOBID=" + std::string(300, 'x')}).job.size(), 63u);
}

TEST(ReadBatchJob, MakesASpawnedWorldAJobOfItsOwn) {
  const std::string port = "OMPI_PARENT_PORT=1537671169.0:2650871960";
  EXPECT_EQ(Read({"PMIX_RANK=0", "PMIX_NAMESPACE=1537671169"}).job.view(), "");
  EXPECT_EQ(Read({port, "PMIX_RANK=0", "PMIX_NAMESPACE=1537671170"}).job.view(),
            "spawn.1537671170");
  EXPECT_EQ(
      Read({port, "PMIX_RANK=0", "PMIX_NAMESPACE=1537671171", "SLURM_JOB_ID=4711"}).job.view(),
      "4711.spawn.1537671171");
  // Not a rank: the launcher itself, or a variable that was left over.
  EXPECT_EQ(Read({port, "PMIX_NAMESPACE=1537671170"}).job.view(), "");
  EXPECT_EQ(Read({"PMI_SPAWNED=0", "PMI_RANK=1"}).job.view(), "");
  const std::string parent = std::to_string(getppid());
  EXPECT_EQ(Read({"PMI_SPAWNED=1", "PMI_RANK=1"}).job.view(), "spawn." + parent);
  // The world is never cut off.
  const std::string job(300, 'x');
  EXPECT_EQ(Read({port, "PMIX_RANK=0", "PMIX_NAMESPACE=prterun-node0007-4711@2", "JOB_ID=" + job})
                .job.view(),
            std::string(36, 'x') + ".spawn.erun-node0007-4711@2");
}

}  // namespace
}  // namespace csink::agent
