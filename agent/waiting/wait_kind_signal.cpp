#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "agent/waiting/wait_kind.h"

/// File: system calls that may block, and the states of glibc's futex words. JudgeFutex names an
/// object only if a TID of this process stands where glibc keeps the owner. Everything else stays a
/// futex of unknown kind.

namespace csink::agent {
namespace {

using spool::WaitKind;

// futex_waitv, futex_wait: newer than the headers of some build machines. The same number on all
// processors.
constexpr std::int64_t kFutexWaitv = 449;
constexpr std::int64_t kFutexWait = 455;
constexpr int kLockPi2 = 13;  // FUTEX_LOCK_PI2, Linux 5.14

// The value with which lll_lock goes to sleep: locked, with waiters.
constexpr std::uint32_t kContended = 2;
// rwlock: PTHREAD_RWLOCK_FUTEX_USED marks a word with sleepers.
constexpr std::uint32_t kRwlockUsed = 2;
// All bits of __kind that glibc uses (types, robust, protocol, elision, pshared).
constexpr std::uint32_t kMutexKinds = 0x3ff;

// The kernel reads an int argument from the low half of the register; the other half may be
// anything.
int Descriptor(std::uint64_t argument) noexcept {
  return static_cast<int>(static_cast<std::uint32_t>(argument));
}

// The facts of a call that waits for one descriptor, and of a call that waits for none.
CallFacts On(WaitKind kind, std::uint64_t descriptor) noexcept {
  return {kind, false, Descriptor(descriptor), 0};
}

CallFacts Just(WaitKind kind) noexcept { return {kind, false, -1, 0}; }

// poll and ppoll: (list, count, ...).
CallFacts Poll(const SyscallLine& line) noexcept {
  return {WaitKind::kPoll, false, -1, line.arguments[1] == 1 ? line.arguments[0] : 0};
}

}  // namespace

CallFacts FactsOfCall(const SyscallLine& line) noexcept {
  // The numbers in #ifdef are missing on AArch64, which has only the newer form of these calls, or
  // in the headers of older build machines.
  const auto& arguments = line.arguments;
  // Blocked outside of a system call. FaultKind (fault_kind.h) says more.
  if (line.number == -1) return Just(WaitKind::kFault);
  if (line.number == kFutexWaitv || line.number == kFutexWait) {
    return {WaitKind::kFutex, true, -1, 0};
  }
  switch (line.number) {
    case SYS_futex:
      return {WaitKind::kFutex, true, -1, 0};
#ifdef SYS_poll
    case SYS_poll:
#endif
    case SYS_ppoll:
      return Poll(line);
#ifdef SYS_select
    case SYS_select:
#endif
    case SYS_pselect6:
      return Just(WaitKind::kPoll);
#ifdef SYS_epoll_wait
    case SYS_epoll_wait:
#endif
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
#endif
    case SYS_epoll_pwait:
      return On(WaitKind::kPoll, arguments[0]);
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
      return Just(WaitKind::kSleep);
    case SYS_read:
    case SYS_readv:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_getdents64:
      return On(WaitKind::kRead, arguments[0]);
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2:
    // These wait until data are on the disk, or until blocks of the disk are reserved.
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_sync_file_range:
    case SYS_ftruncate:
    case SYS_fallocate:
    // The first argument is the descriptor that is written to.
    case SYS_sendfile:
      return On(WaitKind::kWrite, arguments[0]);
    case SYS_sync:
    case SYS_msync:
      return Just(WaitKind::kWrite);
    case SYS_accept:
    case SYS_accept4:
      return On(WaitKind::kAccept, arguments[0]);
    case SYS_connect:
      return On(WaitKind::kConnect, arguments[0]);
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
      return On(WaitKind::kReceive, arguments[0]);
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
      return On(WaitKind::kSend, arguments[0]);
    case SYS_wait4:
    case SYS_waitid:
      return Just(WaitKind::kChild);
#ifdef SYS_pause
    case SYS_pause:
#endif
    case SYS_rt_sigtimedwait:
    case SYS_rt_sigsuspend:
      return Just(WaitKind::kSignal);
    case SYS_flock:
      return On(WaitKind::kFileLock, arguments[0]);
    // All other commands return at once.
    case SYS_fcntl:
      if (arguments[1] == F_SETLKW || arguments[1] == F_OFD_SETLKW) {
        return On(WaitKind::kFileLock, arguments[0]);
      }
      return Just(WaitKind::kOtherCall);
#ifdef SYS_open
    case SYS_open:
#endif
#ifdef SYS_creat
    case SYS_creat:
#endif
#ifdef SYS_openat2
    case SYS_openat2:
#endif
    case SYS_openat:
      return Just(WaitKind::kOpen);
    // The first argument is the number of a System V semaphore, not a descriptor.
    case SYS_semop:
    case SYS_semtimedop:
      return Just(WaitKind::kSemaphore);
    default:
      return Just(WaitKind::kOtherCall);
  }
}

FutexWaitCall FutexWaitOf(const SyscallLine& line) noexcept {
  FutexWaitCall call;
  // futex_wait has its own order of arguments: (address, value, mask, flags, ...).
  if (line.number == kFutexWait) {
    call.address = line.arguments[0];
    call.expected = static_cast<std::uint32_t>(line.arguments[1]);
    call.has_bitset = true;
    call.operation = FUTEX_WAIT_BITSET;
    return call;
  }
  if (line.number != SYS_futex) return call;
  const int operation = static_cast<int>(line.arguments[1]) & FUTEX_CMD_MASK;
  call.address = line.arguments[0];
  call.expected = static_cast<std::uint32_t>(line.arguments[2]);
  call.takes_lock = operation == FUTEX_LOCK_PI || operation == kLockPi2;
  call.has_bitset = operation == FUTEX_WAIT_BITSET;
  call.operation = operation;
  return call;
}

FutexObject JudgeFutex(const FutexWaitCall& call, const FutexMemory& memory,
                       bool (*is_ours)(pid_t tid, void* arg), void* arg) noexcept {
  FutexObject object;
  object.address = call.address;
  // Whether the word, without its flags, is the TID of a thread of this process.
  const auto ours = [&](std::uint32_t word) {
    const std::uint32_t tid = word & FUTEX_TID_MASK;
    return tid != 0 && is_ours(static_cast<pid_t>(tid), arg);
  };
  // The holder is left unknown where the owner belongs to another process, as in shared memory.
  const auto hold = [&](WaitKind kind, std::uint32_t word) {
    object.kind = kind;
    object.holder = ours(word) ? static_cast<pid_t>(word & FUTEX_TID_MASK) : 0;
  };
  // Mutexes that inherit priority, and robust ones: the owner is in the futex word.
  if (call.takes_lock) {
    hold(WaitKind::kMutex, memory.at[0]);
    return object;
  }
  // A robust mutex waits with FUTEX_WAIT. The value contains the owner's TID, and a bit for
  // waiters.
  if ((call.expected & FUTEX_WAITERS) != 0 && ours(call.expected)) {
    hold(WaitKind::kMutex, memory.at[0]);
    return object;
  }
  // pthread_join waits until the kernel clears the thread's TID in its struct pthread.
  if (call.expected > kRwlockUsed + 1 && ours(call.expected) && memory.at[0] == call.expected) {
    hold(WaitKind::kJoin, call.expected);
    return object;
  }
  // pthread_mutex_t: lock, count, owner, nusers, kind.
  const bool owned = ours(memory.at[2]) && memory.at[4] <= kMutexKinds;
  if (call.expected == kContended && owned) {
    hold(WaitKind::kMutex, memory.at[2]);
    return object;
  }
  // pthread_rwlock_t: readers, writers, wrphase_futex, writers_futex, two pads, cur_writer. A
  // reader sleeps on wrphase_futex while a writer has the lock; a writer sleeps there for readers,
  // and on writers_futex for another writer. All wait with a bit set.
  if (call.has_bitset) {
    if (call.expected == (kRwlockUsed | 1) && ours(memory.at[4])) {
      hold(WaitKind::kReadLock, memory.at[4]);
      object.address = call.address - 8;
      return object;
    }
    if (call.expected == (kRwlockUsed | 1) && ours(memory.at[3])) {
      hold(WaitKind::kWriteLock, memory.at[3]);
      object.address = call.address - 12;
      return object;
    }
  }
  // Without a TID the memory says too little: readers of an rwlock leave none, and the words of a
  // mutex between two holders may also be those of a barrier in its second round. The report knows
  // these objects by the function that waits.
  return object;
}

}  // namespace csink::agent
