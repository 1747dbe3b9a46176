#include <sys/resource.h>

#include "agent/agent.h"
#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"
#include "core/util/signals_blocked.h"

/// File: where CPU timers end: when the program takes the drain signal for itself, and where they
/// would be the end of the program, by a limit of its own or by its seccomp filter.

namespace csink::agent {
namespace {

constexpr std::uint64_t kLockNs = 2'000'000'000;

}  // namespace

void Agent::StopTicks(std::string_view why) noexcept {
  if (!active() || sandboxed() || !IsOurProcess()) return;
  if (ticks_stopped_.exchange(true, std::memory_order_acq_rel)) return;
  const SignalsBlocked quiet;
  StopDrainTimer();
  const pid_t tid = AskTid();
  if (collector_.lock().HeldBy(tid) || !collector_.lock().Lock(tid, kLockNs)) return;
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_acquire) != SlotState::kLive || slot.timer < 0) continue;
    collector_.DrainSlot(slot);
    timers_.Disarm(slot);
    // From here on its CPU time counts as not sampled.
    const long now = kernel_.ThreadCpuNs(slot.tid.load(std::memory_order_relaxed));
    if (now > 0) slot.armed_cpu_ns = static_cast<std::uint64_t>(now);
  }
  collector_.lock().Unlock();
  if (timer_source_) {
    Text<200> line;
    line.Add(why).Add(": without perf_event it cannot be sampled any more");
    RawLog(LogLevel::kWarn, line.view());
  }
}

// The kernel holds RLIMIT_RTTIME against the run time of a real-time thread, at the ticks of a
// process that has a CPU timer against that of any other thread, too. It is 0 there, and a limit of
// 0 is reached: SIGXCPU, or SIGKILL.
bool Agent::CpuTimersAreSurvivable() noexcept {
  rlimit64 limit = {};
  return RawSyscall(SYS_prlimit64, 0, RLIMIT_RTTIME, 0, SyscallArg(&limit)) < 0 ||
         limit.rlim_cur != 0;
}

bool Agent::ArmTimer(ThreadSlot& slot, pid_t tid) noexcept {
  if (!CpuTimersAreSurvivable()) {
    static std::atomic<bool> said{false};
    if (!said.exchange(true)) {
      RawLog(LogLevel::kWarn,
             "RLIMIT_RTTIME is 0: the kernel would end the program for a CPU-clock timer, and "
             "without perf_event it is not sampled");
    }
    return false;
  }
  if (ticks_stopped_.load(std::memory_order_acquire) || !timers_.Arm(slot, tid)) return false;
  if (!ticks_stopped_.load(std::memory_order_acquire)) return true;
  timers_.Disarm(slot);
  return false;
}

}  // namespace csink::agent
