#include "agent/events/batch_job.h"

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

}  // namespace
}  // namespace csink::agent
