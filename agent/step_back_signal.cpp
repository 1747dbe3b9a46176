#include "agent/agent.h"
#include "core/util/signals_blocked.h"

/// File: what ends when the program takes the drain signal for itself.

namespace csink::agent {
namespace {

constexpr std::uint64_t kLockNs = 2'000'000'000;

}  // namespace

void Agent::StopTicks() noexcept {
  if (!active() || sandboxed_ || !IsOurProcess()) return;
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
    RawLog(LogLevel::kWarn,
           "the program uses SIGURG itself: without perf_event it cannot be sampled any more");
  }
}

bool Agent::ArmTimer(ThreadSlot& slot, pid_t tid) noexcept {
  if (ticks_stopped_.load(std::memory_order_acquire) || !timers_.Arm(slot, tid)) return false;
  if (!ticks_stopped_.load(std::memory_order_acquire)) return true;
  timers_.Disarm(slot);
  return false;
}

}  // namespace csink::agent
