#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// File: processes that atime did not start (-p, --cgroup), and the CPU time that they use.

namespace csink::atime {

/// Processes whose CPU time is counted while the machine's energy is measured.
/// Threads: one at a time.
class Job {
 public:
  virtual ~Job() = default;
  /// Looks at the job. Called at the beginning and the end of the measurement, and about every
  /// 100 ms between. False: the job has ended; its CPU time is that of the looks before.
  virtual bool Look() = 0;
  /// CPU time in s that the job has used between the first look and the last one.
  virtual double CpuSeconds() const = 0;
  /// "process 42", "processes 42, 43", "cgroup /sys/fs/cgroup/a"
  virtual std::string Name() const = 0;
};

/// Makes a job of processes and their descendants. nullptr: one of them does not exist, or is not a
/// process (a thread); `complaint` says so. `root`: the folder that holds /proc; "": the machine's.
///
/// The time of descendants is found in /proc: those that exist are looked for once a second, and
/// those that their parents waited for are in the times of the parents. A descendant that starts
/// and ends between two searches, and that no process of the job waits for, is not counted. A
/// process that ends has the time of the look before. Times have steps of 10 ms (clock ticks).
std::unique_ptr<Job> OpenProcesses(const std::vector<pid_t>& pids, std::string& complaint,
                                   const std::string& root = {});

/// Makes a job of a control group (v2: cpu.stat; v1: cpuacct.usage), which contains the groups
/// below it. `path`: the folder of the group, or its name below /sys/fs/cgroup. nullptr: there is
/// none, it does not count CPU time, or it has no process; `complaint` says so.
std::unique_ptr<Job> OpenControlGroup(const std::string& path, std::string& complaint,
                                      const std::string& root = {});

/// The CPU time in s that all processes and the kernel have used since the start of the machine:
/// the first line of /proc/stat without idle, iowait and steal. nullopt: it cannot be read.
std::optional<double> MachineCpuSeconds(const std::string& root = {});

}  // namespace csink::atime
