#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "profil/reading/model/profile.h"

namespace csink::report {

/// One time for all processes of a profile: ns since the first of them began. CLOCK_MONOTONIC has
/// another origin on each machine, so machines are put together by CLOCK_REALTIME.
/// Threads: const functions from any thread. The profile must outlive it.
class RunClock {
 public:
  explicit RunClock(const Profile& profile);

  /// ns from the begin of the run to a CLOCK_MONOTONIC time of the process's machine; 0 if the time
  /// lies before.
  std::uint64_t Since(std::size_t process, std::uint64_t monotonic_ns) const;
  /// The time that a process's row covers.
  std::uint64_t BeginOf(std::size_t process) const;
  std::uint64_t EndOf(std::size_t process) const;  ///< Not before BeginOf
  /// CLOCK_REALTIME at 0; 0 if the profile has no process.
  std::uint64_t start_realtime_ns() const { return start_realtime_ns_; }
  bool one_machine() const { return hosts_.size() < 2; }
  /// The row of the time line of a thread (index into Profile::threads); null: none.
  const ThreadTime* TimeOf(std::uint32_t thread) const;

 private:
  struct Host {
    std::uint64_t monotonic_ns = 0, realtime_ns = 0;  ///< At the begin of its first process
  };
  const Profile& profile_;
  std::unordered_map<std::string, Host> hosts_;
  std::uint64_t start_realtime_ns_ = 0;
  std::vector<std::uint32_t> row_of_thread_;  ///< Into thread_times, plus 1; 0: none
};

/// When a thread ran, as far as it was recorded: parts of its life with the CPU time in each.
/// Without a time line, or with `even`, the life is one part.
/// Threads: const functions from any thread.
class Activity {
 public:
  Activity(const Profile& profile, const RunClock& clock, std::size_t process, std::uint32_t thread,
           bool even);

  std::uint64_t begin_ns() const { return begin_ns_; }
  std::uint64_t end_ns() const { return end_ns_; }
  /// Leaves out the time before `ns`, unless no time is left then.
  void BeginAt(std::uint64_t ns);
  /// Makes the life at least as long.
  void LastAtLeast(std::uint64_t ns);
  /// The time at which a part of the CPU time was used, 0 to 1. Times grow with the part.
  std::uint64_t At(double part) const;

 private:
  struct Part {
    std::uint64_t begin_ns, end_ns;
    double cpu, cpu_before;  ///< In any unit
  };
  void AddUp();
  std::uint64_t begin_ns_ = 0, end_ns_ = 0;
  double cpu_ = 0;           ///< Sum of the parts
  std::vector<Part> parts_;  ///< By time; empty: even
};

}  // namespace csink::report
