#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include <cstring>

#include "agent/agent.h"
#include "agent/libc/real.h"
#include "agent/process/task_list.h"
#include "agent/signals/signal_view.h"
#include "core/machine/clocks.h"
#include "core/util/raw_syscall.h"
#include "core/util/signals_blocked.h"

/// File: the one thread of ours. It exists only while the program itself has
/// several threads: in a process with one thread the C library is faster, and
/// unshare and setns work.
///
/// It sweeps all rings every 200 ms of CPU time, sooner at high rates and while rings fill
/// faster; it polls nothing. An epoll descriptor was considered: it is the one descriptor we would
/// have to keep, a program that closes everything could get its own file under
/// that number, and each thread would pay 5 us to enter it.

namespace csink::agent {
namespace {

// While threads are new, and when main has gone.
constexpr std::uint64_t kShortSweepNs = 20'000'000;
constexpr std::uint64_t kShortestSweepNs = 5'000'000;
// Without a further thread for so long, the timer takes over again.
constexpr std::uint64_t kAloneNs = 700'000'000;
// The first sweeps of events whose rate nobody knows beforehand.
constexpr std::uint64_t kFirstSweepNs = 50'000'000;
constexpr std::size_t kStackBytes = 256 * 1024;

void* AgentMain(void* arg) {
  static_cast<Agent*>(arg)->RunAgentThread();
  return nullptr;
}

}  // namespace

void Agent::StartAgentThread() noexcept {
  if (drainer_.load(std::memory_order_acquire) == Drainer::kAgentThread || sandboxed_) return;
  bool expected = false;
  if (!agent_thread_starting_.compare_exchange_strong(expected, true)) return;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const unsigned long before = SignalsBlocked::Block();  // the new thread inherits it
  pthread_t thread;
  const bool made = RealPthreadCreate(&thread, &attributes, AgentMain, this) == 0;
  SignalsBlocked::Restore(before);
  pthread_attr_destroy(&attributes);
  if (made) {
    StopDrainTimer();
    drainer_.store(Drainer::kAgentThread, std::memory_order_release);
  } else {
    RawLog(LogLevel::kWarn,
           "no thread could be made to collect samples; they are collected at the end");
  }
  agent_thread_starting_.store(false, std::memory_order_release);
}

bool Agent::MainHasGone() const noexcept {
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    const ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_relaxed) == SlotState::kLive && slot.is_main) {
      return false;
    }
  }
  return true;
}

// Threads that end without a hook (raw exit, adopted ones): their clock is gone.
void Agent::RetireDeadThreads() noexcept {
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_acquire) != SlotState::kLive) continue;
    const pid_t tid = slot.tid.load(std::memory_order_relaxed);
    if (tid == pid_ || kernel_.ThreadCpuNs(tid) >= 0) continue;
    collector_.lock().Lock(agent_tid_);
    if (slot.state.load(std::memory_order_acquire) == SlotState::kLive &&
        slot.tid.load(std::memory_order_relaxed) == tid) {
      collector_.EndThread(slot);
    }
    collector_.lock().Unlock();
  }
}

// CPU time that a sample of the clock stands for; 0: no clock, or no period of its own.
std::uint64_t Agent::ClockPeriodNs() const noexcept {
  for (std::size_t i = 0; i < events_.count; ++i) {
    const EventSpec& event = events_.events[i];
    if (event.kind == EventClass::kClock && event.period != 0) return event.period;
  }
  return 0;
}

// Half of a thread's ring at the events' rates, and never more than what kill -9 may
// cost.
std::uint64_t Agent::LongestSweepNs() const noexcept {
  return rings_.HalfFullNs(false, kSweepIntervalNs);
}

void Agent::LookAfterTasks(std::size_t tasks, bool thorough) noexcept {
  if (tasks != registry_.used() + 1) AdoptNewThreads();
  if (thorough || tasks < registry_.used() + 1) RetireDeadThreads();
}

void Agent::RunAgentThread() noexcept {
  agent_tid_ = AskTid();
  RawSyscall(SYS_prctl, PR_SET_NAME, SyscallArg("csink-agent"));
  // The creator may be pinned to one busy core; the kernel cuts this to the cpuset.
  unsigned long everywhere[16];
  std::memset(everywhere, 0xff, sizeof everywhere);
  RawSyscall(SYS_sched_setaffinity, 0, sizeof everywhere, SyscallArg(everywhere));

  std::uint64_t interval_ns = kFirstSweepNs;
  std::uint64_t alone_ns = 0;
  std::uint64_t cost_before_ns = 0;
  std::uint64_t since_tasks_ns = 0;
  bool young = true;
  std::uint64_t swept_ns = MonotonicNs();
  collector_.lock().Lock(agent_tid_);
  std::uint64_t samples_before = collector_.accounts().samples();
  collector_.lock().Unlock();
  for (unsigned sweep = 1;;) {
    const bool main_gone = MainHasGone();
    std::uint64_t wait_ns = interval_ns;
    if ((main_gone || young) && wait_ns > kShortSweepNs) wait_ns = kShortSweepNs;
    // Somebody without a slot is adopted at the second look.
    if (seen_suspects_ != 0 && wait_ns > kFirstSweepNs) wait_ns = kFirstSweepNs;
    const bool looks = looks_.load(std::memory_order_relaxed) != 0;
    if (looks) wait_ns = kShortestSweepNs;
    const std::uint32_t seen = agent_wake_.load(std::memory_order_acquire);
    agent_sleeps_long_.store(wait_ns > kShortSweepNs, std::memory_order_relaxed);
    const timespec wait = {static_cast<time_t>(wait_ns / 1'000'000'000),
                           static_cast<long>(wait_ns % 1'000'000'000)};
    RawSyscall(SYS_futex, SyscallArg(&agent_wake_), FUTEX_WAIT_PRIVATE, seen, SyscallArg(&wait));
    if (!active()) return;
    if (agent_wake_.load(std::memory_order_acquire) != seen) {
      young = true;  // a thread has begun: not now, but soon
      continue;
    }
    if (sandboxed_) {
      // Nothing but what needs no further system call.
      if (collector_.lock().TryLock(Tid())) {
        collector_.DrainAll();
        collector_.lock().Unlock();
      }
      if (main_gone && registry_.used() == 0) return;
      continue;
    }

    std::size_t tasks = CountTasks();
    if (control_.thread.load() != 0 && tasks != 0) --tasks;
    // The C library counts us as a living thread: if we stayed, a program whose
    // main left by pthread_exit would never end. Zombie leader and us: go.
    if (main_gone && tasks != 0 && tasks <= 2) return;

    since_tasks_ns += wait_ns;
    if (looks) looks_.fetch_sub(1, std::memory_order_relaxed);
    if (looks || since_tasks_ns >= kFirstSweepNs || since_tasks_ns >= interval_ns) {
      since_tasks_ns = 0;
      LookAfterTasks(tasks, ++sweep % 4 == 0);
    }
    collector_.lock().Lock(agent_tid_);
    collector_.DrainAll(Collector::FirstPeriods::kReplace);
    meter_.CopyTo(spool_);
    young = collector_.young();
    const unsigned fullest = collector_.fullest_eighths();
    const long cost = kernel_.ThreadCpuNs(agent_tid_);
    if (cost > 0) {
      collector_.accounts().AddOwnCost(static_cast<std::uint64_t>(cost) - cost_before_ns);
      collector_.accounts().process_clock().AddOwnThread(static_cast<std::uint64_t>(cost) -
                                                         cost_before_ns);
      cost_before_ns = static_cast<std::uint64_t>(cost);
    }
    // What may be lost is CPU time of all threads together: four busy cores, four times
    // as often.
    const std::uint64_t now_ns = MonotonicNs();
    const std::uint64_t burned_ns =
        (collector_.accounts().samples() - samples_before) * ClockPeriodNs();
    const std::uint64_t passed_ns = now_ns - swept_ns;
    swept_ns = now_ns;
    samples_before = collector_.accounts().samples();
    collector_.lock().Unlock();
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
    if (alone_ns >= kAloneNs && DrainSignalIsOurs() &&
        (timer_source_ || CpuTimersAreSurvivable())) {
      // The timer first, so that nothing is left without a drainer.
      drainer_.store(Drainer::kNobody, std::memory_order_release);
      if (!timer_source_) StartDrainTimer(pid_);
      return;
    }
  }
}

}  // namespace csink::agent
