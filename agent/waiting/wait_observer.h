#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "agent/process/process_state.h"
#include "agent/waiting/blocked_account.h"
#include "agent/waiting/look_clock.h"
#include "agent/waiting/thread_files.h"
#include "agent/waiting/wait_kind.h"
#include "agent/waiting/wait_tables.h"
#include "core/machine/own_memory.h"
#include "core/machine/syscall_line.h"
#include "core/perf/stack_sample.h"
#include "core/sampling/thread_registry.h"
#include "profil/chains/caller_walk.h"
#include "profil/collector/collector.h"
#include "profil/regions/region_index.h"
#include "profil/spool/writer.h"

namespace csink::agent {

/// Observes blocked threads (CSINK_WAIT): at random moments it looks at each thread of the
/// registry, finds where the blocked ones are, on which lock, and where the lock's holder is, and
/// adds that to the spool (WaitSiteRecord, LockRecord, HolderRecord; Header::waits).
///
/// No signal is sent and no thread is woken: a look reads /proc/self/task/TID/schedstat and, if the
/// thread has had a turn since the last look, /proc/self/task/TID/syscall, and copies the thread's
/// stack. A blocked thread stands still; schedstat and the line are read again afterwards to prove
/// it.
///
/// Owns:    a mapping with its state, made by Begin; descriptors in the control thread's own table.
/// Threads: the control thread, which has a table of descriptors of its own; a constructor runs
///          anywhere. Each look holds the collector's lock, so that no look is under way when the
///          process enters a sandbox (Restrictions::BeforeSeccomp).
/// Signals: safe (wait_observer_signal.cpp); raw system calls only.
class WaitObserver {
 public:
  WaitObserver(const ProcessState& process, ThreadRegistry& registry, SpoolWriter& spool,
               RegionIndex& regions, Collector& collector) noexcept
      : process_(process),
        registry_(registry),
        spool_(spool),
        regions_(regions),
        collector_(collector) {}

  /// The answer of NextNs where nothing is due any more.
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  /// On the control thread, before the first moment; also in a forked child, which forgets the
  /// state of its parent. `tid`: the calling thread. Without memory nothing is observed.
  void Begin(pid_t tid) noexcept;
  /// Time until the next moment at the time `now_ns`, in ns; 0: it is due.
  std::uint64_t NextNs(std::uint64_t now_ns) const noexcept;
  /// Looks at all threads. Does nothing while sampling is paused, while the process ends and in a
  /// sandbox.
  void Moment() noexcept;
  /// In a sandbox: notes in the spool that the observation has stopped. No system call.
  void NoteSandbox() noexcept;
  /// A line about why nothing can be observed, to be printed once; nullptr: nothing to say.
  const char* TakeComplaint() noexcept {
    const char* line = complaint_;
    complaint_ = nullptr;
    return line;
  }

 private:
  /// A process that has lived for less than this under observation gets no spool for its waits: 50
  /// ms. A spool costs about 500 us.
  static constexpr std::uint64_t kSpoolAfterNs = 50'000'000;
  /// Bytes of a blocked thread's stack that are copied: at first as many as most stacks need, then,
  /// if the chain is cut, as many as a second copy may take. Deeper frames are cut.
  static constexpr std::size_t kFirstStackBytes = 4 * 1024;
  static constexpr std::size_t kStackBytes = 64 * 1024;
  /// Locks of one moment whose holders are looked up; further ones have no holder then.
  static constexpr std::size_t kMostTouched = 512;

  /// What is known of one thread; all zero: not looked at yet.
  struct Watched {
    pid_t tid;
    ThreadFiles files;
    BlockedAccount account;
    std::uint64_t turns;   ///< As of the last look
    bool stands;           ///< That look found it blocked, and the following members are of it
    std::uint32_t lock;    ///< Number of its lock in the tables + 1; 0: none
    std::uint64_t moment;  ///< Of the last look
    enum class Found : std::uint8_t { kNothing, kRunning, kBlocked } found;
    spool::WaitSiteRecord site;  ///< The key of its place
    FutexWaitCall call;          ///< Where it waits for a futex
    std::uint64_t stands_since_ns;
  };
  /// The mapping.
  struct State {
    Watched watched[ThreadRegistry::kSlots];
    WaitTables tables;
    std::uint32_t touched[kMostTouched];  ///< Numbers of the locks of this moment
    StackSample sample;
    Callers callers;
    alignas(8) unsigned char stack[kStackBytes];
    OwnMemory memory;  ///< Constructed by Begin
  };

  /// Takes the collector's lock. Returns false, without the lock, if it is held for long, or if
  /// nothing may be looked at now.
  bool Enter() noexcept;
  void Leave() noexcept { collector_.lock().Unlock(); }
  /// Forgets records of a spool that is gone.
  void ForgetRecords() noexcept;
  /// Each thread's account begins anew: after a pause.
  void Rebase() noexcept;
  /// One look; under the lock.
  void Look(std::size_t index, ThreadSlot& slot, pid_t tid) noexcept;
  /// Reads schedstat. Returns false if the thread is gone or cannot be read.
  bool ReadTimes(Watched& watched, ThreadTimes& times) noexcept;
  bool ReadLine(Watched& watched, SyscallLine& line) noexcept;
  /// A file of a thread could not be read: `error` is a negative errno.
  void NoteFailure(Watched& watched, long error) noexcept;
  /// The thread is blocked as `line` says: finds its place. Returns false if the thread moved on
  /// meanwhile. `times` and `now_ns` become those after the look if it did not.
  bool FindPlace(ThreadSlot& slot, Watched& watched, const SyscallLine& line, ThreadTimes& times,
                 std::uint64_t& now_ns) noexcept;
  /// The chain of callers from the copied stack; its first `bytes` are valid.
  /// `cut`: the chain ends before a root.
  std::uint32_t ChainOf(const SyscallLine& line, std::size_t bytes, bool& cut) noexcept;
  /// The chain that says that no callers are known.
  std::uint32_t NoChain() noexcept;
  /// Reads the memory at a futex word and judges it.
  FutexObject ReadFutex(const FutexWaitCall& call) noexcept;
  /// Adds the thread's blocked time to its place. `exact`: it had no turn since the last look.
  void Count(ThreadSlot& slot, Watched& watched, std::uint64_t now_ns, bool exact) noexcept;
  /// Counts a waiter of a lock at this moment.
  void Touch(Watched& watched, std::uint64_t taken_ns, bool exact) noexcept;
  /// Adds the locks of this moment and their holders to the spool.
  void SettleLocks() noexcept;
  void SettleHolder(WaitTables::Lock& lock) noexcept;
  /// For a lock that keeps no holder in memory: notes the only thread that ran at this moment.
  void SettleRunner(WaitTables::Lock& lock) noexcept;
  /// Where a running thread was last seen, into `key`; leaves it 0 if that is not known.
  void PlaceOfRunner(ThreadSlot& slot, spool::HolderRecord& key) noexcept;
  /// Adds the time of the lock's waiters to the record with this key. Returns false: no room.
  bool AddHolder(const WaitTables::Lock& lock, const spool::HolderRecord& key) noexcept;
  /// Looks up the module of one lock for which that was not done yet.
  void PlaceOneLock() noexcept;
  void Drop(Watched& watched) noexcept;
  void Stop(int error) noexcept;
  /// Chooses the next moment.
  void Schedule() noexcept;
  void StoreHeader() noexcept;
  static bool IsOurs(pid_t tid, void* arg) noexcept;

  const ProcessState& process_;
  ThreadRegistry& registry_;
  SpoolWriter& spool_;
  RegionIndex& regions_;
  Collector& collector_;

  State* state_ = nullptr;
  pid_t tid_ = 0;  ///< The control thread
  LookClock clock_;
  spool::WaitObserver sums_ = {};  ///< As stored in the header
  std::uint32_t epoch_ = 0;        ///< Collector::epoch of the records
  std::uint64_t moment_ = 0;
  std::uint64_t begin_ns_ = 0;
  std::uint64_t next_ns_ = kNever;
  std::uint64_t cpu_ns_ = 0;    ///< CPU time of the control thread at the last moment
  std::size_t kept_files_ = 0;  ///< Descriptors that are open
  std::size_t most_files_ = 0;
  std::size_t touched_ = 0;
  std::uint32_t runners_ = 0;  ///< Threads that ran, or waited for a processor, at this moment
  std::size_t runner_ = 0;     ///< Index of the last one
  std::uint32_t unplaced_from_ = 0;  ///< All locks before this number are placed
  bool rebase_ = false;
  // To see that nothing can be read at all:
  bool read_any_ = false;  ///< In this moment
  int last_error_ = 0;
  unsigned failed_moments_ = 0;
  const char* complaint_ = nullptr;
};

}  // namespace csink::agent
