#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profil/reading/model/profile.h"

/// File: the CPU time of each process, by what is known of it. Images of one process (execve) share
/// one clock. Threads: any, read only.

namespace csink::report {

/// CPU time, user and system apart.
struct CpuTime {
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;

  std::uint64_t TotalNs() const noexcept;
  void Add(const CpuTime& more) noexcept;
  /// Each part at least 0. Where one part is smaller, the other pays the difference: the kernel
  /// divides time into user and system anew with each reading.
  CpuTime Less(const CpuTime& part) const noexcept;
};

/// One process with a profile, with all its images.
struct ProcessTime {
  std::vector<const ProcessRow*> images;  ///< In the order of their start; at least one
  CpuTime read;                           ///< The agent's last reading
  /// What the wait for the process says of the process alone behind the last reading; 0 where
  /// nobody was seen waiting
  CpuTime behind;
  bool waited = false;

  const ProcessRow& last() const noexcept { return *images.back(); }
};

/// A process of which only a wait is known.
struct UnprofiledTime {
  const TreeEvidence* tree = nullptr;  ///< That of the wait
  const ChildEnd* end = nullptr;
  CpuTime own;  ///< Less what is known of its children
};

/// All processes of a profile.
struct ProcessTimes {
  std::vector<ProcessTime> profiled;
  std::vector<UnprofiledTime> unprofiled;
  CpuTime read;                 ///< Sum of ProcessTime::read
  std::uint64_t processes = 0;  ///< Number of processes; a sum of many counts as these
};

ProcessTimes MakeProcessTimes(const Profile& profile);

/// CPU time of all processes, seconds.
struct CpuSeconds {
  double user = 0;
  double system = 0;
};
/// Of all processes that left a spool, as of their last readings. The ledger may know more.
CpuSeconds TotalCpu(const Profile& profile);

}  // namespace csink::report
