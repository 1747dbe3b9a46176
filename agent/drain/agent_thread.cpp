#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include <cstring>

#include "agent/drain/drainer.h"
#include "agent/libc/real.h"
#include "agent/process/drain_signal.h"
#include "agent/process/task_list.h"
#include "core/machine/clocks.h"
#include "core/util/futex.h"
#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"
#include "core/util/signals_blocked.h"
#include "core/util/thread_id.h"

/// File: the agent thread. It waits on a futex for at most the present interval, then searches for
/// threads without a hook, drains all rings under the collector's lock, and computes the next
/// interval from the fill of the rings and from the CPU time that the samples stand for. It ends
/// when the program has had one thread for kAloneNs, and when its life would keep a program alive
/// whose main thread has ended.

namespace csink::agent {
namespace {

// The longest wait, 20 ms, while threads are new (their random first periods are to be replaced)
// and after main has ended.
constexpr std::uint64_t kShortSweepNs = 20'000'000;
// The shortest interval, however fast the rings fill.
constexpr std::uint64_t kShortestSweepNs = 5'000'000;
// After 0.7 s without a second thread of the program the timer drains again.
constexpr std::uint64_t kAloneNs = 700'000'000;
// The first interval, because the rate of events is not known beforehand.
constexpr std::uint64_t kFirstSweepNs = 50'000'000;
// A drain may make the spool and read mappings on this stack.
constexpr std::size_t kStackBytes = 256 * 1024;

void* ThreadMain(void* arg) {
  static_cast<Drainer*>(arg)->RunThread();
  return nullptr;
}

}  // namespace

void Drainer::StartThread() noexcept {
  if (by_.load(std::memory_order_acquire) == By::kAgentThread || process_.sandboxed()) return;
  if (no_room_.load(std::memory_order_relaxed)) return;
  // Two threads of the program may create threads at the same time; the loser returns and leaves
  // the start to the winner.
  bool expected = false;
  if (!thread_starting_.compare_exchange_strong(expected, true)) return;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // The new thread inherits the mask: signals of the program must never be handled on it.
  const unsigned long before = SignalsBlocked::Block();
  threads_.set_agent_thread(0);  // an earlier one has ended
  working_.store(true, std::memory_order_release);
  pthread_t thread;
  const bool made = RealPthreadCreate(&thread, &attributes, ThreadMain, this) == 0;
  SignalsBlocked::Restore(before);
  pthread_attr_destroy(&attributes);
  if (!made) working_.store(false, std::memory_order_release);
  if (made) {
    StopTimer();
    by_.store(By::kAgentThread, std::memory_order_release);
  } else if (!said_failure_) {
    said_failure_ = true;
    RawLog(LogLevel::kWarn,
           "the agent thread could not be created: samples are collected only at the end of the "
           "program");
  }
  thread_starting_.store(false, std::memory_order_release);
}

void Drainer::WaitForRest() noexcept {
  // Longer than a sweep takes. A thread that waits for a processor on a busy machine may take
  // longer still; nothing is lost then but the certainty.
  constexpr timespec kSlice = {0, 200'000};
  for (int slices = 0; slices < 5000 && working_.load(std::memory_order_seq_cst); ++slices) {
    RawSyscall(SYS_nanosleep, SyscallArg(&kSlice), 0);
  }
}

bool Drainer::YieldThread() noexcept {
  if (!process_.active() || process_.sandboxed() || !process_.IsOurProcess()) return false;
  if (by_.load(std::memory_order_acquire) != By::kAgentThread) return false;
  yields_.store(true, std::memory_order_release);
  Wake();
  // The kernel frees the place before the thread's number: a signal to it then fails with ESRCH.
  // Other threads of the program may wait here, too; the first one to see the end changes by_.
  constexpr timespec kSlice = {0, 1'000'000};
  for (int slices = 0; slices < 1000; ++slices) {
    const pid_t tid = threads_.agent_thread();  // 0: the thread has not run yet
    if (tid != 0 && RawSyscall(SYS_tgkill, process_.pid(), tid, 0) == -ESRCH) {
      By expected = By::kAgentThread;
      if (by_.compare_exchange_strong(expected, By::kNobody)) {
        no_room_.store(true, std::memory_order_relaxed);
        yields_.store(false, std::memory_order_release);
        if (!events_.source().drains_itself) StartTimer(process_.pid());
      }
      return true;
    }
    RawSyscall(SYS_nanosleep, SyscallArg(&kSlice), 0);
  }
  return false;
}

void Drainer::ThreadCreated() noexcept {
  if (!in_vain_.load(std::memory_order_relaxed) || !in_vain_.exchange(false)) return;
  no_room_.store(false, std::memory_order_relaxed);
  StartThread();
}

// Half of a thread's ring at the events' rates, and at most kSweepIntervalNs, which bounds what
// kill -9 loses.
std::uint64_t Drainer::LongestSweepNs() const noexcept {
  return rings_.HalfFullNs(false, config_.critical ? kTimedIntervalNs : kSweepIntervalNs);
}

void Drainer::LookAfterTasks(std::size_t tasks, bool thorough) noexcept {
  // One task more than slots is expected: the agent thread itself.
  if (tasks != registry_.used() + 1) threads_.AdoptNew();
  if (thorough || tasks < registry_.used() + 1) threads_.RetireDead();
}

// The lock is given back between the turns: threads that end take it only where it is free.
void Drainer::DrainInTurns(pid_t tid) noexcept {
  FutexLock& lock = collector_.lock();
  // Those that end meanwhile are left to the next sweep.
  LeftRings left;
  bool more = true;
  for (std::size_t ended = registry_.ended(); more && ended != 0;) {
    lock.Lock(tid);
    more = collector_.EndSome(left);
    lock.Unlock();
    left.Unmap(kernel_);
    ended -= ended < LeftRings::kSlots ? ended : LeftRings::kSlots;
  }
  lock.Lock(tid);
  collector_.BeginDrain();
  for (std::size_t next = 0; collector_.DrainTurn(Collector::FirstPeriods::kReplace, next);) {
    lock.Unlock();
    lock.Lock(tid);
  }
  collector_.FinishDrain();
}

void Drainer::RunThread() noexcept {
  const pid_t tid = AskTid();
  threads_.set_agent_thread(tid);
  RawSyscall(SYS_prctl, PR_SET_NAME, SyscallArg("csink-agent"));
  // The agent thread inherits the affinity of its creator, which may be pinned to one busy core.
  // The kernel reduces the mask to the CPUs that the process may use (sched_setaffinity(2)).
  unsigned long everywhere[16];
  std::memset(everywhere, 0xff, sizeof everywhere);
  RawSyscall(SYS_sched_setaffinity, 0, sizeof everywhere, SyscallArg(everywhere));

  std::uint64_t interval_ns = config_.critical ? kTimedIntervalNs : kFirstSweepNs;
  std::uint64_t alone_ns = 0;
  std::uint64_t cost_before_ns = 0;
  std::uint64_t since_tasks_ns = 0;
  bool early_sweep = true;
  std::uint64_t swept_ns = MonotonicNs();
  collector_.lock().Lock(tid);
  std::uint64_t samples_before = collector_.accounts().samples();
  collector_.lock().Unlock();
  for (unsigned sweep = 1;;) {
    const bool main_gone = threads_.MainHasGone();
    std::uint64_t wait_ns = interval_ns;
    if ((main_gone || early_sweep) && wait_ns > kShortSweepNs) wait_ns = kShortSweepNs;
    // A thread without a slot is adopted at the second search only (Threads), so the second search
    // should come soon.
    if (threads_.suspects() && wait_ns > kFirstSweepNs) wait_ns = kFirstSweepNs;
    const bool searches = searches_.load(std::memory_order_relaxed) != 0;
    if (searches) wait_ns = kShortestSweepNs;
    // Read before the wait: a Wake between this load and the wait changes the word, and the kernel
    // returns at once.
    const std::uint32_t seen = wake_.load(std::memory_order_acquire);
    sleeps_long_.store(wait_ns > kShortSweepNs, std::memory_order_relaxed);
    working_.store(false, std::memory_order_seq_cst);
    FutexWait(&wake_, seen, wait_ns);
    working_.store(true, std::memory_order_seq_cst);
    const bool sandboxed = process_.sandboxed();
    // In a sandbox the end of this thread could end the process: it waits for the end instead.
    if (!process_.active() && sandboxed) continue;
    if (!process_.active() || yields_.load(std::memory_order_acquire)) break;
    if (wake_.load(std::memory_order_acquire) != seen) {
      early_sweep = true;  // a thread has begun: sweep soon, but not now
      continue;
    }
    if (sandboxed) {
      // In a sandbox this thread makes no system call beyond its futex wait. TryLock, because Lock
      // may wait by a futex call and all threads have one id here.
      if (collector_.lock().TryLock(process_.Tid())) {
        collector_.DrainAll();
        collector_.lock().Unlock();
      }
      if (main_gone && registry_.used() == 0) break;
      continue;
    }

    std::size_t tasks = CountTasks();
    if (threads_.control_thread() != 0 && tasks != 0) --tasks;
    // The C library counts this thread as a living one: if it stayed, a program whose main left by
    // pthread_exit would never end. At most two tasks are left: the zombie main and this thread.
    if (main_gone && tasks != 0 && tasks <= 2) break;

    since_tasks_ns += wait_ns;
    if (searches) searches_.fetch_sub(1, std::memory_order_relaxed);
    // Counting tasks reads /proc, so it is done at most every 50 ms, except during a search.
    if (searches || since_tasks_ns >= kFirstSweepNs || since_tasks_ns >= interval_ns) {
      since_tasks_ns = 0;
      LookAfterTasks(tasks, ++sweep % 4 == 0);
    }
    DrainInTurns(tid);
    meter_.CopyTo(spool_);
    early_sweep = collector_.needs_early_sweep();
    const unsigned fullest = collector_.fullest_eighths();
    const long cost = kernel_.ThreadCpuNs(tid);
    if (cost > 0) {
      collector_.accounts().AddOwnCost(static_cast<std::uint64_t>(cost) - cost_before_ns);
      collector_.accounts().evidence().agent_thread_ns +=
          static_cast<std::uint64_t>(cost) - cost_before_ns;
      collector_.accounts().process_clock().AddOwnThread(static_cast<std::uint64_t>(cost) -
                                                         cost_before_ns);
      cost_before_ns = static_cast<std::uint64_t>(cost);
    }
    // What kill -9 may lose is CPU time of all threads together, so the longest interval is divided
    // by the number of busy cores: the CPU time of the samples since the last sweep over the wall
    // time.
    const std::uint64_t now_ns = MonotonicNs();
    const std::uint64_t burned_ns =
        (collector_.accounts().samples() - samples_before) * events_.ClockPeriodNs();
    const std::uint64_t passed_ns = now_ns - swept_ns;
    swept_ns = now_ns;
    samples_before = collector_.accounts().samples();
    collector_.lock().Unlock();
    // The rings regulate the interval: from three eighths on it is halved, from six eighths on
    // quartered, and doubled while all are nearly empty.
    if (fullest >= 3) {
      interval_ns /= fullest >= 6 ? 4 : 2;
    } else if (fullest == 0) {
      interval_ns *= 2;
    }
    std::uint64_t longest_ns = LongestSweepNs();
    if (burned_ns > passed_ns) longest_ns = longest_ns * passed_ns / burned_ns;
    if (interval_ns > longest_ns) interval_ns = longest_ns;
    if (interval_ns < kShortestSweepNs) interval_ns = kShortestSweepNs;

    alone_ns = tasks == 2 && !main_gone ? alone_ns + wait_ns : 0;
    const bool drains_itself = events_.source().drains_itself;
    if (alone_ns >= kAloneNs && DrainSignalIsOurs() &&
        (drains_itself || SampledEvents::CpuTimersAreSurvivable())) {
      // The source's own drains begin again as soon as by_ is not kAgentThread. Otherwise the drain
      // timer is started here, before this thread ends, so that the process is never without a
      // drain.
      by_.store(By::kNobody, std::memory_order_release);
      if (!drains_itself) StartTimer(process_.pid());
      break;
    }
  }
  working_.store(false, std::memory_order_release);
}

}  // namespace csink::agent
