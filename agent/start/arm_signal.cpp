#include <sys/resource.h>

#include "agent/start/sampled_events.h"
#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"
#include "core/util/thread_id.h"

/// File: arming a thread, and where CPU timers end: when the program takes the drain signal for
/// itself, and where a CPU timer would end the program, by RLIMIT_RTTIME or its seccomp filter.

namespace csink::agent {
namespace {

// The longest wait for the collector's lock, 2 s: sigaction of the program waits meanwhile.
constexpr std::uint64_t kLockNs = 2'000'000'000;

}  // namespace

bool SampledEvents::Arm(ThreadSlot& slot, pid_t tid) noexcept {
  if (process_.sandboxed()) return false;
  // The resume arms all slots that rest (Controller::RearmAfterRest).
  slot.resting = collector_.pauses().resting();
  if (slot.resting) return true;
  if (source_ == &kRingSource) {
    rings_.set_threads(registry_.used() + registry_.ended());
    if (rings_.Arm(slot, tid)) return true;
    // No descriptor or no locked memory is left for a ring; a timer needs neither. Its samples
    // belong to the first column, so that must be the clock.
    if (list_.events[0].kind != EventClass::kClock) return false;
    timers_.Configure(list_.events[0].period);
  }
  return ArmTimer(slot, tid);
}

void SampledEvents::TakeTimersAway(std::string_view why) noexcept {
  const pid_t tid = AskTid();
  if (collector_.lock().HeldBy(tid) || !collector_.lock().Lock(tid, kLockNs)) return;
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_acquire) != SlotState::kLive || slot.timer < 0) continue;
    collector_.DrainSlot(slot);
    timers_.Disarm(slot);
    // The thread's CPU time from here on counts as not sampled.
    const long now = kernel_.ThreadCpuNs(slot.tid.load(std::memory_order_relaxed));
    if (now > 0) slot.armed_cpu_ns = static_cast<std::uint64_t>(now);
  }
  collector_.lock().Unlock();
  if (!source_->perf_events) {
    Text<200> line;
    line.Add(why).Add(
        ": CPU-clock timers are off, and without perf_event the program is not sampled any more");
    RawLog(LogLevel::kWarn, line.view());
  }
}

bool SampledEvents::MoveTimers(int signal, void (*move)() noexcept) noexcept {
  const pid_t tid = AskTid();
  if (timers_forbidden_.load(std::memory_order_acquire)) return false;
  if (collector_.lock().HeldBy(tid) || !collector_.lock().Lock(tid, kLockNs)) return false;
  // First, so that a thread that is armed meanwhile has the new signal (ArmTimer).
  timers_.SetSignal(signal);
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_acquire) != SlotState::kLive || slot.timer < 0) continue;
    collector_.DrainSlot(slot);
    timers_.Disarm(slot);
  }
  move();
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    // Slots with a soft ring had a timer; a pause has taken that of a resting one.
    if (slot.state.load(std::memory_order_acquire) != SlotState::kLive || slot.timer >= 0 ||
        !slot.soft || slot.resting) {
      continue;
    }
    if (timers_.Arm(slot, slot.tid.load(std::memory_order_relaxed))) continue;
    // The thread's CPU time from here on counts as not sampled.
    const long now = kernel_.ThreadCpuNs(slot.tid.load(std::memory_order_relaxed));
    if (now > 0) slot.armed_cpu_ns = static_cast<std::uint64_t>(now);
  }
  collector_.lock().Unlock();
  return true;
}

// The kernel compares RLIMIT_RTTIME with the run time of a real-time thread, and at the ticks of a
// process that has a CPU timer with that of any other thread, too. That run time is 0, which
// reaches a limit of 0: the kernel sends SIGXCPU or SIGKILL.
bool SampledEvents::CpuTimersAreSurvivable() noexcept {
  rlimit64 limit = {};
  return RawSyscall(SYS_prlimit64, 0, RLIMIT_RTTIME, 0, SyscallArg(&limit)) < 0 ||
         limit.rlim_cur != 0;
}

bool SampledEvents::ArmTimer(ThreadSlot& slot, pid_t tid) noexcept {
  if (!CpuTimersAreSurvivable()) {
    // One line for the process, not for each thread.
    static std::atomic<bool> said{false};
    if (!said.exchange(true)) {
      RawLog(LogLevel::kWarn,
             "RLIMIT_RTTIME is 0: the kernel would kill the program if it had a CPU-clock timer; "
             "without perf_event the program is not sampled");
    }
    return false;
  }
  for (int signal = 0; signal != timers_.signal();) {
    signal = timers_.signal();
    timers_.Disarm(slot);
    if (timers_forbidden_.load(std::memory_order_acquire) || !timers_.Arm(slot, tid)) return false;
    // MoveTimers may have passed this slot while its timer with the former signal was made.
  }
  // ForbidTimers may have been called while the timer was made, and TakeTimersAway may have passed
  // this slot already.
  if (!timers_forbidden_.load(std::memory_order_acquire)) return true;
  timers_.Disarm(slot);
  return false;
}

}  // namespace csink::agent
