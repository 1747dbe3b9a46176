#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/sampling/ring_source.h"

namespace csink {

/// CPU time of the process that no known thread has used.
///
/// A thread that was created past every hook of the agent is found by the sweeps of the agent
/// thread. A process whose only known thread waits has no sweeps: the drain timer counts that
/// thread's CPU time, and a timer of wall time would interrupt the program's waits. But the kernel
/// adds up all threads: at the end the clock of the process shows what the clocks of the known
/// threads do not.
///
/// Threads: set_own_thread any; the rest one at a time (the collector's lock).
/// Signals: safe (process_clock_signal.cpp). UnseenNs reads the clock of the agent's own thread.
class ProcessClock {
 public:
  /// The main thread is armed: the process has used `process_ns`, the main thread `known_ns` of it.
  /// exec keeps the process clock, and with it the time of threads that no longer exist.
  void Begin(std::uint64_t process_ns, std::uint64_t known_ns) noexcept;
  /// True after Begin.
  bool known() const noexcept { return known_; }

  /// Adds CPU time of a thread of the agent: one that has ended, or a part of its work.
  void AddOwnThread(std::uint64_t ns) noexcept { own_threads_ns_ += ns; }
  /// A thread of the agent that lives on: its clock is read when it is needed. 0: none.
  void set_own_thread(pid_t tid) noexcept { __atomic_store_n(&own_thread_, tid, __ATOMIC_RELAXED); }

  /// The clocks when the process ends.
  struct Times {
    std::uint64_t process_ns;     ///< CPU time of the process
    std::uint64_t known_ns;       ///< CPU time of all threads that the registry knows or knew
    std::uint64_t paused_ns;      ///< CPU time of the process in pauses: nothing lost
    std::uint64_t known_threads;  ///< Each may use a little after its clock was read last
  };
  /// CPU time in ns of unknown threads; 0 if it is less than 20 ms or half a percent, which is the
  /// inaccuracy of the comparison. Requires known().
  std::uint64_t UnseenNs(Kernel& kernel, const Times& now) const noexcept;

  /// The accounts begin anew; the agent's own thread lives on.
  void Clear() noexcept {
    own_threads_ns_ = 0;
    known_ = false;
  }
  /// In a forked child: the agent's own thread does not exist there.
  void ResetAfterFork() noexcept { own_thread_ = 0; }

 private:
  bool known_ = false;                ///< Begin was called
  pid_t own_thread_ = 0;              ///< Accessed atomically
  std::uint64_t own_threads_ns_ = 0;  ///< CPU time of threads of the agent
  std::uint64_t foreign_ns_ = 0;      ///< CPU time of threads of earlier images
};

}  // namespace csink
