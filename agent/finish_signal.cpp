#include <linux/futex.h>
#include <time.h>

#include <algorithm>

#include "agent/agent.h"
#include "agent/reporter/reporter.h"
#include "agent/signals/signal_view.h"
#include "agent/stacks/stack_switch.h"
#include "core/util/raw_syscall.h"
#include "core/util/signals_blocked.h"

/// File: the moments at which samples are collected outside the agent thread:
/// the drain signal, exec, and the end of the process.

namespace csink::agent {
namespace {

// Of the handler that drains; guarded by the collector's lock.
alignas(64) unsigned char g_drain_stack[64 * 1024];

constexpr std::uint64_t kFinishLockNs = 2'000'000'000;
constexpr std::uint64_t kSnapshotWaitNs = 20'000'000'000;
constexpr int kFinishWaitSlices = 3000;  // of 10 ms
// One soft ring holds 510 ticks; at 1 kHz this is 100 ms.
constexpr unsigned kTicksPerDrain = 25;
// A process that had used this before we started in it is an image after others.
constexpr std::uint64_t kEarlierImageNs = 5'000'000;

}  // namespace

pid_t OwnPid() noexcept { return static_cast<pid_t>(RawSyscall(SYS_getpid)); }
bool Agent::IsOurProcess() const noexcept { return sandboxed_ || OwnPid() == pid_; }
// In a sandbox even gettid may be death; one number for all threads then makes
// "my own lock" out of "somebody's lock", and nobody waits.
pid_t Agent::Tid() const noexcept { return sandboxed_ ? 1 : AskTid(); }

void Agent::StopDrainTimer() noexcept {
  if (drain_timer_ >= 0) kernel_.TimerDelete(drain_timer_);
  drain_timer_ = -1;
}

// Half of the main thread's ring at the events' rates, when that is less than the usual.
std::uint64_t Agent::DrainIntervalNs() const noexcept {
  return std::max(kSoonestDrainNs, rings_.HalfFullNs(true, kDrainIntervalNs));
}

// Drains at the usual interval, of which `spent_ns` are over, and sooner where an event's first
// period is to be replaced.
void Agent::SetDrainTimer(pid_t tid, std::uint64_t spent_ns) noexcept {
  const std::uint64_t interval_ns = DrainIntervalNs();
  const ThreadSlot* slot = registry_.Find(tid);
  std::uint64_t next_ns = slot ? rings_.SteadyInNs(*slot, kFirstDrainNs) : FirstPeriod::kNever;
  if (next_ns < kSoonestDrainNs) next_ns = kSoonestDrainNs;
  if (next_ns > interval_ns - spent_ns) next_ns = interval_ns - spent_ns;
  kernel_.TimerStart(drain_timer_, next_ns, interval_ns);
}

bool Agent::OnDrainSignal(const siginfo_t& info, const void* context) noexcept {
  if (!active()) return true;
  const bool drain = info.si_code == SI_TIMER && info.si_value.sival_ptr == &drain_timer_;
  if (!drain) {
    if (!timers_.Tick(info, context)) return false;
    if (drainer_.load(std::memory_order_relaxed) == Drainer::kAgentThread) return true;
    if (++timer_ticks_ % kTicksPerDrain != 0) return true;
  }
  // Interrupted ourselves, or another thread drains: the next 100 ms will do.
  if (!collector_.lock().TryLock(Tid())) return true;
  collector_.set_ending(false);  // a raw exec that failed
  RunOnStack([](void* agent) { static_cast<Agent*>(agent)->DrainMeasured(); }, this,
             g_drain_stack + sizeof g_drain_stack);
  collector_.lock().Unlock();
  return true;
}

// How much CPU time the thread has spent in a drain interval that is its first, in a process of a
// tree that has no spool yet; 0: too much. Such a process will most likely leave a small record.
std::uint64_t Agent::EarlySpentNs(pid_t tid, long cpu_ns) noexcept {
  if (config_.tree == 0 || spool_.open() || cpu_ns <= 0) return 0;
  const ThreadSlot* slot = registry_.Find(tid);
  const auto now_ns = static_cast<std::uint64_t>(cpu_ns);
  if (!slot || now_ns < slot->armed_cpu_ns) return 0;
  const std::uint64_t spent_ns = now_ns - slot->armed_cpu_ns;
  return spent_ns < DrainIntervalNs() / 4 * 3 ? spent_ns : 0;
}

void Agent::DrainMeasured() noexcept {
  const bool measure = !sandboxed_;
  const pid_t tid = Tid();
  const long before = measure ? kernel_.ThreadCpuNs(tid) : 0;
  const bool alone = measure && drainer_.load(std::memory_order_relaxed) == Drainer::kTimer;
  const std::uint64_t early_ns = alone ? EarlySpentNs(tid, before) : 0;
  collector_.set_ending(early_ns != 0);
  collector_.DrainAll(measure ? Collector::FirstPeriods::kReplace
                              : Collector::FirstPeriods::kLeave);
  collector_.set_ending(false);
  meter_.CopyTo(spool_);
  if (alone) LeaveEventsThatDoNotCount();
  if (alone) {
    // What could not be replaced yet is looked at again before the next interval is over; what is
    // in no spool yet will be when 100 ms are.
    if ((collector_.young() || early_ns != 0) && drain_timer_ >= 0) SetDrainTimer(tid, early_ns);
    LookForThreads();
  }
  const long after = measure ? kernel_.ThreadCpuNs(tid) : 0;
  if (after > before) collector_.accounts().AddOwnCost(static_cast<std::uint64_t>(after - before));
}

// What devices counted has no place in the record of a small process.
void Agent::EndMeter() noexcept {
  if (!meter_.running()) return;
  if (!sandboxed_) meter_.Command(MeterCommand::kEnd);
  if (config_.tree != 0 && !sandboxed_) collector_.EnsureSpool();
  meter_.CopyTo(spool_);
}

void Agent::BeforeExec(bool returns_to_us) noexcept {
  ShowMaskToKernel(true);
  if (!active() || sandboxed_) return;
  if (!IsOurProcess()) {
    made_child_ = true;  // a vfork child, in our memory
    return;
  }
  const pid_t tid = AskTid();
  const SignalsBlocked quiet;
  if (collector_.lock().HeldBy(tid) || !collector_.lock().Lock(tid, kFinishLockNs)) return;
  HandControlOn(true);
  collector_.set_ending(config_.tree != 0);
  collector_.DrainAll();
  EndMeter();
  const bool wanted = IsWantedAtEnd();
  if (wanted && (meter_.running() || !LeaveSmallRecord(spool::End::kExec, 0)))
    collector_.SettleAll();
  if (!wanted && !returns_to_us && spool_.open()) spool_.Remove();
  if (spool_.open()) spool_.SetState(spool::State::kComplete, spool::End::kExec);
  // Held over the exec: a sweep of the agent thread would say that we live on.
  if (returns_to_us) {
    exec_lock_held_ = true;
  } else {
    collector_.lock().Unlock();
  }
}

void Agent::ExecFailed() noexcept {
  ShowMaskToKernel(false);
  if (!IsOurProcess() || !exec_lock_held_ || !collector_.lock().HeldBy(AskTid())) return;
  exec_lock_held_ = false;
  collector_.set_ending(false);
  HandControlOn(false);
  if (spool_.open()) spool_.SetState(spool::State::kLive, spool::End::kUnknown);
  collector_.lock().Unlock();
}

void Agent::Finish(spool::End end, int detail) noexcept {
  if (phase_.load(std::memory_order_acquire) == Phase::kOff || !IsOurProcess()) return;
  const pid_t tid = Tid();
  pid_t nobody = 0;
  if (!finishing_tid_.compare_exchange_strong(nobody, tid)) {
    if (nobody == tid) return;  // a signal during our own finish: let it have its way
    const timespec slice = {0, 10'000'000};
    for (int i = 0; i < kFinishWaitSlices && active(); ++i) {
      RawSyscall(SYS_nanosleep, SyscallArg(&slice), 0);
    }
    return;
  }
  if (!active()) return;
  unsigned long mask = 0;
  if (!sandboxed_) mask = SignalsBlocked::Block();
  const bool alone = !collector_.lock().HeldBy(tid) && collector_.lock().Lock(tid, kFinishLockNs);
  if (alone) {
    if (!sandboxed_) StopDrainTimer();
    collector_.set_ending(config_.tree != 0);
    collector_.DrainAll();
    EndMeter();
    if (IsWantedAtEnd() && (meter_.running() || !LeaveSmallRecord(end, detail))) {
      // csink run is to know of CPU time without a sample, too.
      if (std::uint64_t user_ns = 0; config_.tree != 0 && BurnedForNothing(user_ns)) {
        collector_.EnsureSpool();
      }
      collector_.SettleAll();
    }
    // An earlier image may have left its profile to us, though we have nothing to add.
    const bool earlier = start_state_.user_ns + start_state_.system_ns > kEarlierImageNs;
    if (earlier && config_.tree == 0 && !sandboxed_) collector_.EnsureSpool();
    meter_.CopyTo(spool_);
  }
  const std::uint64_t significance = collector_.accounts().Significance();
  collector_.EndIsTold(end, detail);
  if (alone) collector_.lock().Unlock();
  if (!sandboxed_) SignalsBlocked::Restore(mask);

  // A report says by itself why it has no samples.
  if (significance < config_.min_samples) SayThatNothingWasSampled();
  if (spool_.open() && !sandboxed_ && !IsWantedAtEnd()) {
    spool_.Remove();
  } else if (!spool_.open() || config_.tree != 0) {
    // Nothing to say, or csink run will say it.
  } else if (significance < config_.min_samples && spool_.header().exec_generation == 0) {
    if (!config_.keep && !sandboxed_) spool_.Remove();
  } else if (!config_.report) {
    // Left for whoever asked for it.
  } else if (sandboxed_) {
    SayWhereTheSpoolIs("the program is in a seccomp sandbox");
  } else {
    const bool mine = control_.report_lock.Lock(tid, kSnapshotWaitNs);  // else it hangs: go on
    // Whether this image is worth a report was decided here; whether all images of the
    // process together are, csink sees.
    const std::uint64_t least = significance < config_.min_samples ? config_.min_samples : 0;
    switch (RunReporter(config_, start_state_, spool_.path(), least, OutputName::kToldApart)) {
      case ReportOutcome::kWritten:
        break;
      case ReportOutcome::kNoReporter:
        SayWhereTheSpoolIs("the csink program was not found (CSINK_REPORTER)");
        break;
      case ReportOutcome::kOutOfReach:
        SayWhereTheSpoolIs("the program gave up its right to read its profile");
        break;
      case ReportOutcome::kFailed:
        SayWhereTheSpoolIs("the report was not written");
        break;
    }
    if (mine) control_.report_lock.Unlock();
  }
  if (!sandboxed_) {
    HandControlOn(false);
    control_.RemoveFifos();
  }
  phase_.store(Phase::kFinished, std::memory_order_release);
  agent_wake_.fetch_add(1, std::memory_order_release);
  if (!sandboxed_) {
    RawSyscall(SYS_futex, SyscallArg(&agent_wake_), FUTEX_WAKE_PRIVATE, 1);
  }
}

void Agent::SayWhereTheSpoolIs(const char* why) noexcept {
  Text<900> line;
  line.Add(why).Add(": see it by csink report ").Add(spool_.path());
  RawLog(LogLevel::kWarn, line.view());
}

}  // namespace csink::agent
