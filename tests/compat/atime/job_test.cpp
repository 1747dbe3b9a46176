#include "compat/atime/job.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace csink::atime {
namespace {

namespace fs = std::filesystem;

/// A tree of /proc and /sys in a folder of its own.
class JobTree : public ::testing::Test {
 protected:
  JobTree() {
    std::string name = (fs::temp_directory_path() / "csink-job-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  ~JobTree() override { fs::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  /// `ticks`: of the process itself; `waited`: of the children that it waited for.
  void Process(int pid, int parent, int ticks, int waited, char state = 'S', int started = 5) {
    const std::string folder = "/proc/" + std::to_string(pid);
    Write(folder + "/stat", std::to_string(pid) + " (a b) 1) " + state + " " +
                                std::to_string(parent) + " 1 1 0 -1 0 0 0 0 0 " +
                                std::to_string(ticks) + " 0 " + std::to_string(waited) +
                                " 0 20 0 1 0 " + std::to_string(started) + " 0 0\n");
    Write(folder + "/status", "Name:\ta\nTgid:\t" + std::to_string(pid) + "\nPid:\t1\n");
  }
  void Gone(int pid) { fs::remove_all(root_ + "/proc/" + std::to_string(pid)); }
  std::unique_ptr<Job> Open(const std::vector<pid_t>& pids) {
    return OpenProcesses(pids, complaint_, root_);
  }
  static double Ticks(const Job& job) {
    return job.CpuSeconds() * static_cast<double>(sysconf(_SC_CLK_TCK));
  }

  std::string root_, complaint_;
};

TEST_F(JobTree, AProcessHasItsTimeSinceTheFirstLook) {
  Process(10, 1, 1000, 50);
  Process(11, 1, 7000, 0);  // of somebody else
  const auto job = Open({10});
  ASSERT_TRUE(job) << complaint_;
  Process(10, 1, 1100, 50);
  EXPECT_TRUE(job->Look()) << "counting begins here";
  EXPECT_EQ(Ticks(*job), 0);
  Process(10, 1, 1130, 54);
  EXPECT_TRUE(job->Look());
  EXPECT_NEAR(Ticks(*job), 34, 1e-6);
  EXPECT_EQ(job->Name(), "process 10");
}

TEST_F(JobTree, DescendantsCountAndChildrenThatWereWaitedForCountOnce) {
  Process(10, 1, 100, 0);
  Process(20, 10, 500, 0);
  Process(30, 20, 40, 0);
  const auto job = Open({10});
  ASSERT_TRUE(job) << complaint_;
  job->Look();
  Process(20, 10, 510, 0);
  Process(30, 20, 43, 0);
  EXPECT_TRUE(job->Look());
  EXPECT_NEAR(Ticks(*job), 13, 1e-6);
  Gone(30);
  Process(20, 10, 510, 43);  // it waited for 30, with the time before the measurement
  EXPECT_TRUE(job->Look());
  EXPECT_NEAR(Ticks(*job), 13, 1e-6);
}

TEST_F(JobTree, AnOrphanThatEndsKeepsItsLastTime) {
  Process(10, 1, 100, 0);
  Process(20, 10, 10, 0);
  const auto job = Open({10});
  ASSERT_TRUE(job) << complaint_;
  job->Look();
  Process(20, 1, 17, 0);  // its parent is init now
  job->Look();
  Gone(20);
  EXPECT_TRUE(job->Look());
  EXPECT_NEAR(Ticks(*job), 7, 1e-6);
}

TEST_F(JobTree, EndsWithTheLastNamedProcess) {
  Process(10, 1, 100, 0);
  Process(11, 1, 100, 0);
  const auto job = Open({10, 11});
  ASSERT_TRUE(job) << complaint_;
  EXPECT_EQ(job->Name(), "processes 10, 11");
  job->Look();
  Process(10, 1, 104, 0, 'Z');
  EXPECT_TRUE(job->Look());
  Process(11, 1, 105, 0, 'S', 6);  // another process with this number
  EXPECT_FALSE(job->Look());
  EXPECT_NEAR(Ticks(*job), 4, 1e-6);
}

TEST_F(JobTree, WhatIsNoProcessIsRefused) {
  EXPECT_FALSE(Open({10}));
  EXPECT_EQ(complaint_, "there is no process 10");
  Process(10, 1, 1, 0, 'Z');
  EXPECT_FALSE(Open({10}));
  Process(10, 1, 1, 0);
  Write("/proc/10/status", "Name:\ta\nTgid:\t9\n");
  EXPECT_FALSE(Open({10}));
  EXPECT_EQ(complaint_, "10 is a thread, not a process");
  Write("/proc/10/stat", "10 (a");
  EXPECT_FALSE(Open({10}));
}

TEST_F(JobTree, AControlGroupOfVersion2CountsUntilItIsEmpty) {
  Write("/sys/fs/cgroup/a/cgroup.procs", "10\n");
  Write("/sys/fs/cgroup/a/cgroup.events", "populated 1\nfrozen 0\n");
  Write("/sys/fs/cgroup/a/cpu.stat",
        "usage_usec 5000000\nuser_usec 4000000\nsystem_usec 1000000\n");
  const auto job = OpenControlGroup("a", complaint_, root_);
  ASSERT_TRUE(job) << complaint_;
  EXPECT_EQ(job->Name(), "cgroup /sys/fs/cgroup/a");
  EXPECT_TRUE(job->Look());
  Write("/sys/fs/cgroup/a/cpu.stat", "usage_usec 5750000\n");
  EXPECT_TRUE(job->Look());
  EXPECT_DOUBLE_EQ(job->CpuSeconds(), 0.75);
  Write("/sys/fs/cgroup/a/cgroup.events", "populated 0\nfrozen 0\n");
  EXPECT_FALSE(job->Look());
  fs::remove_all(root_ + "/sys/fs/cgroup/a");
  EXPECT_FALSE(job->Look());
  EXPECT_DOUBLE_EQ(job->CpuSeconds(), 0.75);
}

TEST_F(JobTree, AControlGroupOfVersion1Counts) {
  const std::string folder = "/sys/fs/cgroup/cpuacct/a";
  Write(folder + "/cgroup.procs", "10\n");
  Write(folder + "/cpu.stat", "nr_periods 0\nnr_throttled 0\n");
  Write(folder + "/cpuacct.usage", "3000000000\n");
  const auto job = OpenControlGroup(folder, complaint_, root_);
  ASSERT_TRUE(job) << complaint_;
  job->Look();
  Write(folder + "/cpuacct.usage", "3500000000\n");
  EXPECT_TRUE(job->Look());
  EXPECT_DOUBLE_EQ(job->CpuSeconds(), 0.5);
  Write(folder + "/cgroup.procs", "");
  EXPECT_FALSE(job->Look());
}

TEST_F(JobTree, AControlGroupThatCannotBeMeasuredIsRefused) {
  EXPECT_FALSE(OpenControlGroup("a", complaint_, root_));
  EXPECT_EQ(complaint_, "/sys/fs/cgroup/a is not a control group");
  Write("/sys/fs/cgroup/a/cgroup.procs", "");
  EXPECT_FALSE(OpenControlGroup("a", complaint_, root_));
  EXPECT_EQ(complaint_,
            "/sys/fs/cgroup/a does not count CPU time (neither cpu.stat nor cpuacct.usage)");
  Write("/sys/fs/cgroup/a/cpu.stat", "usage_usec 0\n");
  EXPECT_FALSE(OpenControlGroup("a", complaint_, root_));
  EXPECT_EQ(complaint_, "/sys/fs/cgroup/a has no processes");
}

TEST_F(JobTree, TheMachinesTimeHasNoIdleNoWaitingAndNoStolenTime) {
  Write("/proc/stat", "cpu  100 20 30 5000 400 3 7 900 50 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(MachineCpuSeconds(root_).value(), 160 / ticks);
  Write("/proc/stat", "cpu  100 x\n");
  EXPECT_FALSE(MachineCpuSeconds(root_).has_value());
  fs::remove(root_ + "/proc/stat");
  EXPECT_FALSE(MachineCpuSeconds(root_).has_value());
}

}  // namespace
}  // namespace csink::atime
