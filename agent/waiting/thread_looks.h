#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "agent/waiting/observed_process.h"
#include "agent/waiting/wait_tables.h"
#include "core/machine/process_memory.h"
#include "core/machine/thread_times.h"
#include "core/perf/stack_sample.h"
#include "profil/inside/chains/caller_walk.h"
#include "profil/inside/regions/region_index.h"
#include "profil/inside/spool/writer.h"

namespace csink::agent {

/// Looks at the threads of one process: finds where the blocked ones are, on which lock, and where
/// the lock's holder is, and adds that to the spool (WaitSiteRecord, LockRecord, HolderRecord;
/// Header::waits).
///
/// No signal is sent and no thread is woken: a look reads schedstat of the thread in /proc and, if
/// the thread has had a turn since the last look, its line of syscall, and copies its stack. A
/// blocked thread stands still; schedstat is read again afterwards, and the same number of turns
/// proves it.
///
/// A moment is BeginMoment, a Look for each thread, and EndMoment.
///
/// Owns:    0.8 MiB; all zero before Start (keep the object in mapped memory). The descriptors are
///          in WatchedThread, which the caller keeps; Drop closes them.
/// Threads: one at a time. Signals: safe (thread_looks_signal.cpp); raw system calls only.
class ThreadLooks {
 public:
  /// A process that has lived for less than this under observation gets no spool for its waits: 50
  /// ms. A spool costs about 500 us.
  static constexpr std::uint64_t kSpoolAfterNs = 50'000'000;

  /// Call once in zeroed memory. `glibc`: as spool::WaitObserver::glibc. `folder`: the folder of
  /// the process in /proc, "/proc/self" for this process; borrowed. `is_own`: it is this process.
  /// `spool` may be closed; the looks before it is open only begin the threads' accounts.
  void Start(ObservedProcess& process, SpoolWriter& spool, RegionIndex& regions, const char* folder,
             bool is_own, std::uint32_t glibc) noexcept;

  /// `most_files`: how many descriptors of threads may stay open.
  void BeginMoment(std::size_t most_files) noexcept;
  /// One look at thread `tid`, which may be another one than at the last look at `watched`.
  void Look(WatchedThread& watched, pid_t tid) noexcept;
  /// Adds the locks of this moment and their holders to the spool. `threads`: how many were looked
  /// at; `cost_ns`: the CPU time of the observer since the moment before. Returns 0, or an errno if
  /// no file of any thread could be read at this and the last moments: then the observation ends.
  int EndMoment(std::uint32_t threads, std::uint64_t cost_ns) noexcept;

  /// The thread is gone.
  void Drop(WatchedThread& watched) noexcept;
  /// The thread's account begins anew.
  static void Rebase(WatchedThread& watched) noexcept;
  /// Forgets records of a spool that is gone. The caller rebases its `threads` threads.
  void ForgetRecords(std::uint32_t threads) noexcept;
  /// The observation has stopped early.
  void NoteStopped(int error) noexcept;
  /// Writes the sums into the header of an open spool. No system call.
  void StoreHeader() noexcept;
  /// Descriptors that are open.
  std::size_t kept_files() const noexcept { return kept_files_; }

 private:
  /// Bytes of a blocked thread's stack that are copied: at first as many as most stacks need, then,
  /// if the chain is cut, as many as a second copy may take. Deeper frames are cut.
  static constexpr std::size_t kFirstStackBytes = 4 * 1024;
  static constexpr std::size_t kStackBytes = 64 * 1024;
  /// Locks of one moment whose holders are looked up; further ones have no holder then.
  static constexpr std::size_t kMostTouched = 512;

  /// The memory of the process is read through this thread from now on.
  void ReadThrough(pid_t tid) noexcept;
  /// Reads schedstat. Returns false if the thread is gone or cannot be read.
  bool ReadTimes(WatchedThread& watched, ThreadTimes& times) noexcept;
  bool ReadLine(WatchedThread& watched, SyscallLine& line) noexcept;
  /// A file of a thread could not be read: `error` is a negative errno.
  void NoteFailure(WatchedThread& watched, long error) noexcept;
  /// The thread is blocked as `line` says: finds its place. Returns false if the thread moved on
  /// meanwhile. `times` and `now_ns` become those after the look if it did not.
  bool FindPlace(WatchedThread& watched, const SyscallLine& line, ThreadTimes& times,
                 std::uint64_t& now_ns) noexcept;
  /// Reads the files of a thread that has moved on. Returns whether it is blocked in the call of
  /// `line` again, at the same place on its stack; `line` and `times` are then those of this wait.
  bool SeeAgain(WatchedThread& watched, SyscallLine& line, ThreadTimes& times) noexcept;
  /// The lock of the thread that waits at `watched.call` for `object`.
  void FindLock(WatchedThread& watched, const FutexObject& object,
                spool::WaitSiteRecord& key) noexcept;
  /// The first waiter of its lock at this moment. `holder`: of the lock; 0: none, or not known.
  void BeginLock(const WatchedThread& watched, pid_t holder) noexcept;
  /// The chain of callers from the copied stack; its first `bytes` are valid.
  /// `stop`: how the chain ended.
  std::uint32_t ChainOf(const SyscallLine& line, std::size_t bytes, ChainStop& stop) noexcept;
  /// The chain that says that no callers are known, because the thread has moved on.
  std::uint32_t NoChain(ChainStop& stop) noexcept;
  /// Reads the memory at a futex word and judges it.
  FutexObject ReadFutex(const FutexWaitCall& call) noexcept;
  /// Adds the thread's blocked time to its place. `exact`: it had no turn since the last look.
  void Count(WatchedThread& watched, std::uint64_t now_ns, bool exact) noexcept;
  /// Counts a waiter of a lock at this moment.
  void Touch(WatchedThread& watched, std::uint64_t taken_ns, bool exact) noexcept;
  void SettleLocks() noexcept;
  void SettleHolder(WaitTables::Lock& lock) noexcept;
  /// The record of the thread that alone ran at this moment, for locks that keep no holder in
  /// memory. Returns false: there is no such thread, or no lock with waiters.
  bool FindOnlyRunner(spool::HolderRecord& key) noexcept;
  /// The record of a thread in this state; without its lock and place.
  spool::HolderRecord HolderKey(const WatchedThread& thread, std::uint32_t state) noexcept;
  /// Where a running thread was last seen, into `key`; leaves it 0 if that is not known.
  void PlaceOfRunner(const WatchedThread& thread, spool::HolderRecord& key) noexcept;
  /// Adds the time of the lock's waiters to the record with this key and the lock. Returns false:
  /// no room.
  bool AddHolder(const WaitTables::Lock& lock, spool::HolderRecord key) noexcept;
  /// Looks up the module of one lock for which that was not done yet.
  void PlaceOneLock() noexcept;
  static bool IsOurs(pid_t tid, void* arg) noexcept;

  ObservedProcess* process_;
  SpoolWriter* spool_;
  RegionIndex* regions_;
  const char* folder_;
  bool is_own_;
  std::uint32_t glibc_;
  pid_t through_;             ///< The thread of ReadThrough; 0: this process
  spool::WaitObserver sums_;  ///< As stored in the header
  std::uint64_t moment_;
  std::size_t kept_files_;  ///< Descriptors that are open
  std::size_t most_files_;
  std::size_t touched_count_;
  std::uint32_t runners_;        ///< Threads that ran, or waited for a processor, at this moment
  pid_t runner_;                 ///< The last of them
  std::uint32_t unplaced_from_;  ///< All locks before this number are placed
  // To see that nothing can be read at all:
  bool read_any_;  ///< In this moment
  int last_error_;
  unsigned failed_moments_;
  WaitTables tables_;
  std::uint32_t touched_[kMostTouched];  ///< Numbers of the locks of this moment
  StackSample sample_;
  Callers callers_;
  alignas(8) unsigned char stack_[kStackBytes];
  ProcessMemory memory_;  ///< Constructed by Start
};

}  // namespace csink::agent
