#include "symbolizer/report/wording/openmp_words.h"

#include <gtest/gtest.h>

namespace csink::report {
namespace {

TEST(IsOutlined, KnowsTheNamesOfBothCompilers) {
  for (const char* name :
       {"main._omp_fn.0", "_Z5solvei._omp_fn.1", "solve(int) [clone ._omp_fn.1]", ".omp_outlined.",
        ".omp_outlined..3", ".omp_outlined._debug__", "main.omp_outlined", ".omp_task_entry."}) {
    EXPECT_TRUE(IsOutlined(name)) << name;
  }
  for (const char* name : {"main", "omp_fn", "GOMP_parallel", "outlined", "omp_outlined"}) {
    EXPECT_FALSE(IsOutlined(name)) << name;
  }
  EXPECT_TRUE(IsOutlinedTask(".omp_task_entry..5"));
  EXPECT_FALSE(IsOutlinedTask(".omp_outlined.."));
}

TEST(EnclosingFunction, IsWhatStandsBeforeTheSuffix) {
  EXPECT_EQ(EnclosingFunction("main._omp_fn.0"), "main");
  EXPECT_EQ(EnclosingFunction("solve(int) [clone ._omp_fn.1]"), "solve(int)");
  EXPECT_EQ(EnclosingFunction("relax.omp_outlined.2"), "relax");
  EXPECT_EQ(EnclosingFunction(".omp_outlined..3"), "");
  EXPECT_EQ(EnclosingFunction("main"), "");
}

TEST(RoleOf, TellsBarriersLocksAndIdleThreads) {
  EXPECT_EQ(RoleOf("gomp_team_barrier_wait_end"), OpenMpRole::kBarrier);
  EXPECT_EQ(RoleOf("gomp_barrier_wait_end"), OpenMpRole::kIdle);
  EXPECT_EQ(RoleOf("GOMP_loop_end"), OpenMpRole::kBarrier);
  EXPECT_EQ(RoleOf("GOMP_loop_end_nowait"), OpenMpRole::kNone);
  EXPECT_EQ(RoleOf("GOMP_parallel"), OpenMpRole::kParallel);
  EXPECT_EQ(RoleOf("GOMP_parallel_end"), OpenMpRole::kBarrier);
  EXPECT_EQ(RoleOf("GOMP_critical_name_start"), OpenMpRole::kLock);
  EXPECT_EQ(RoleOf("__kmp_fork_barrier(int, int)"), OpenMpRole::kForkBarrier);
  EXPECT_EQ(RoleOf("__kmp_join_barrier(int)"), OpenMpRole::kBarrier);
  EXPECT_EQ(RoleOf("__kmpc_for_static_fini"), OpenMpRole::kNone);
}

TEST(IsOpenMpFunction, KnowsTheBeginningsOfBothRuntimes) {
  EXPECT_TRUE(IsOpenMpFunction("gomp_thread_start"));
  EXPECT_TRUE(IsOpenMpFunction("GOMP_barrier@plt"));
  EXPECT_TRUE(IsOpenMpFunction("__kmp_launch_thread"));
  EXPECT_FALSE(IsOpenMpFunction("omp_get_wtime_of_mine"));
}

}  // namespace
}  // namespace csink::report
