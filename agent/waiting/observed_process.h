#pragma once

#include <sys/types.h>

#include <cstdint>

#include "agent/waiting/blocked_account.h"
#include "agent/waiting/thread_files.h"
#include "agent/waiting/wait_kind.h"
#include "core/machine/syscall_line.h"
#include "profil/format/format.h"
#include "profil/inside/chains/caller_chains.h"

namespace csink::agent {

/// What is known of one thread; all zero: not looked at yet.
struct WatchedThread {
  pid_t tid;
  ThreadFiles files;
  BlockedAccount account;
  std::uint64_t turns;   ///< As of the last look
  bool stands;           ///< That look found it blocked, and the following members are of it
  std::uint32_t lock;    ///< Number of its lock in the tables + 1; 0: none
  std::uint64_t moment;  ///< Of the last look
  enum class Found : std::uint8_t { kNothing, kRunning, kBlocked } found;
  spool::WaitSiteRecord site;  ///< The key of its place
  ChainStop chain_stop;        ///< How the chain of its callers ended
  std::uint32_t stack_bytes;   ///< What was copied of its stack for that
  FutexWaitCall call;          ///< Where it waits for a futex
  std::uint64_t stands_since_ns;
  std::uint64_t disk_bytes;  ///< That it had read at its last look outside of a system call
};

/// What ThreadLooks needs of the process whose threads it looks at: this process in libagent.so,
/// another one in csink-attach.
/// Threads: as ThreadLooks. Signals: implementations in libagent.so are safe.
class ObservedProcess {
 public:
  /// Where a running thread was at its last sample; pc 0: not known.
  struct LastPlace {
    std::uint64_t pc = 0;
    std::uint32_t region = spool::kNone;
    std::uint32_t chain = 0;
  };

  /// The region of `pc` in the open spool, as for a sample.
  virtual std::uint32_t RegionFor(std::uint64_t pc) noexcept = 0;
  /// The record of the thread in the open spool.
  virtual std::uint32_t ThreadRecordOf(const WatchedThread& thread) noexcept = 0;
  /// The present PhaseRecord; 0: none.
  virtual std::uint32_t Phase() noexcept = 0;
  /// Finds callers; nullptr: they are not recorded.
  virtual CallerChains* Chains() noexcept = 0;
  /// Whether a thread of the process has this number in the process's own pid namespace.
  virtual bool HasThread(pid_t tid) noexcept = 0;
  /// That thread, if it has been looked at; nullptr: none.
  virtual const WatchedThread* FindThread(pid_t tid) noexcept = 0;
  virtual LastPlace LastPlaceOf(const WatchedThread& thread) noexcept = 0;
  /// The line with the number that the system call has in a program of this process's word size.
  virtual SyscallLine NativeCall(const SyscallLine& line) noexcept = 0;
  /// The begin of a thread that is looked at for the first time: CLOCK_MONOTONIC, and its times
  /// then. Returns false if the thread did not begin under observation.
  virtual bool BeginOf(const WatchedThread&, std::uint64_t&, ThreadTimes&) noexcept {
    return false;
  }
  /// A look has found a blocked thread.
  virtual void CountLook() noexcept = 0;

 protected:
  ~ObservedProcess() = default;
};

}  // namespace csink::agent
