
#include <algorithm>

#include "agent/drain/drainer.h"
#include "agent/process/drain_signal.h"
#include "agent/threads/stack_switch.h"
#include "core/util/futex.h"
#include "core/util/signals_blocked.h"

/// File: the drain signal: its timer and its handler. The handler runs with all signals blocked on
/// a stack of its own, because an alternate stack of the program may have only 2 KiB and a drain
/// may make the spool.

namespace csink::agent {
namespace {

// The stack of the handler that drains. One for the process, because only the holder of the
// collector's lock uses it.
alignas(64) unsigned char g_drain_stack[64 * 1024];

}  // namespace

void Drainer::WakeForEnd() noexcept {
  wake_.fetch_add(1, std::memory_order_release);
  if (!process_.sandboxed()) FutexWake(&wake_);
}

void Drainer::StopTimer() noexcept {
  if (timer_ >= 0) kernel_.TimerDelete(timer_);
  timer_ = -1;
}

void Drainer::StopTicks(std::string_view why) noexcept {
  if (!process_.active() || process_.sandboxed() || !process_.IsOurProcess()) return;
  // ForbidTimers returns true once: the timers of all threads are taken away by the first caller.
  if (!events_.ForbidTimers()) return;
  const SignalsBlocked quiet;
  StopTimer();
  events_.TakeTimersAway(why);
}

bool Drainer::MoveTicks() noexcept {
  if (!process_.active() || process_.sandboxed() || !process_.IsOurProcess()) return false;
  if (events_.source().perf_events || !CanMoveDrainSignal()) return false;
  const SignalsBlocked quiet;
  return events_.MoveTimers(kOtherDrainSignal, MoveDrainSignal);
}

// Half of the main thread's ring at the events' rates, if that is less than kDrainIntervalNs.
std::uint64_t Drainer::DrainIntervalNs() const noexcept {
  const std::uint64_t longest_ns = config_.critical ? kTimedIntervalNs : kDrainIntervalNs;
  return std::max(kSoonestDrainNs, rings_.HalfFullNs(true, longest_ns));
}

// Drains at the usual interval, of which `spent_ns` are over, and sooner where an event's first
// period is to be replaced.
void Drainer::SetTimer(pid_t tid, std::uint64_t spent_ns) noexcept {
  const std::uint64_t interval_ns = DrainIntervalNs();
  const ThreadSlot* slot = registry_.Find(tid);
  // SteadyInNs is the CPU time until the replacement of a first period is due. The interval repeats
  // from then on.
  std::uint64_t next_ns = slot ? rings_.SteadyInNs(*slot, kFirstDrainNs) : FirstPeriod::kNever;
  if (next_ns < kSoonestDrainNs) next_ns = kSoonestDrainNs;
  if (next_ns > interval_ns - spent_ns) next_ns = interval_ns - spent_ns;
  kernel_.TimerStart(timer_, next_ns, interval_ns);
}

bool Drainer::OnSignal(const siginfo_t& info, const void* context) noexcept {
  if (!process_.active()) return true;
  // Another timer, or kill by another process, may send the same signal; the timer's value tells
  // them apart.
  const bool drain = info.si_code == SI_TIMER && info.si_value.sival_ptr == &timer_;
  if (!drain) {
    if (!timers_.Tick(info, context)) return false;
    if (by_.load(std::memory_order_relaxed) == By::kAgentThread) return true;
    if (++ticks_ % kTicksPerDrain != 0) return true;
  }
  // The handler interrupted a drain of this thread, or another thread drains. Waiting in a handler
  // could wait for the interrupted code itself. The next drain comes in 100 ms.
  if (!collector_.lock().TryLock(process_.Tid())) return true;
  collector_.set_ending(false);  // a raw exec that failed
  RunOnStack([](void* drainer) { static_cast<Drainer*>(drainer)->DrainMeasured(); }, this,
             g_drain_stack + sizeof g_drain_stack);
  collector_.lock().Unlock();
  return true;
}

// The CPU time that the thread has used in its first drain interval, for a process of a tree
// without a spool; 0: more than three quarters of the interval, or another process. Such a process
// will most likely end with a small record, so the drain must not create a spool for it
// (set_ending).
std::uint64_t Drainer::EarlySpentNs(pid_t tid, long cpu_ns) noexcept {
  if (config_.tree == 0 || spool_.open() || cpu_ns <= 0) return 0;
  const ThreadSlot* slot = registry_.Find(tid);
  const auto now_ns = static_cast<std::uint64_t>(cpu_ns);
  if (!slot || now_ns < slot->armed_cpu_ns) return 0;
  const std::uint64_t spent_ns = now_ns - slot->armed_cpu_ns;
  return spent_ns < DrainIntervalNs() / 4 * 3 ? spent_ns : 0;
}

void Drainer::DrainMeasured() noexcept {
  const bool measure = !process_.sandboxed();
  const pid_t tid = process_.Tid();
  long before = measure ? kernel_.ThreadCpuNs(tid) : 0;
  const bool alone = measure && by_.load(std::memory_order_relaxed) == By::kTimer;
  const long process_before = alone ? kernel_.ProcessCpuNs(0) : 0;
  const std::uint64_t early_ns = alone ? EarlySpentNs(tid, before) : 0;
  collector_.set_ending(early_ns != 0);
  collector_.DrainAll(measure ? Collector::FirstPeriods::kReplace
                              : Collector::FirstPeriods::kLeave);
  // BeforeExec of a raw exec system call has set it, and the exec failed: the process lives.
  collector_.set_ending(false);
  meter_.CopyTo(spool_);
  if (alone) events_.LeaveEventsThatDoNotCount();
  if (alone) {
    // Sets the timer again: for first periods that could not be replaced yet, before the interval
    // is over; after an early drain, for the end of the first 100 ms, when waiting samples go into
    // a spool.
    if ((collector_.needs_early_sweep() || early_ns != 0) && timer_ >= 0) SetTimer(tid, early_ns);
    threads_.LookForUnknown();
  }
  // By the clock of the process: a thread of the agent may have opened the spool.
  const long after = !measure ? 0 : alone ? kernel_.ProcessCpuNs(0) : kernel_.ThreadCpuNs(tid);
  if (alone) before = process_before;
  if (after > before) collector_.accounts().AddOwnCost(static_cast<std::uint64_t>(after - before));
}

}  // namespace csink::agent
