#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "core/counting/overflow/overflow_state.h"
#include "core/counting/signals/thread_signals.h"
#include "core/perf/kernel.h"
#include "core/util/raw_syscall.h"
#include "core/util/thread_id.h"

// Arm: rings first, then our handler, then `armed_thread`, then the signal is unblocked: a handler
// that sees `armed_thread` finds everything else in place. Disarm goes the other way:
// `armed_thread` is cleared, then handlers that run are waited for, then the thread's mask and
// queue are restored. The order against a running handler is described at SetOverflow::State.

namespace csink {
namespace {

using Kind = OverflowSourceKind;
using State = SetOverflow::State;

/// Shorter than 1 / HZ on any machine: the tick comes as often as the kernel can make it.
constexpr std::uint64_t kTickNs = 1'000'000;
/// How long a handler on another thread is waited for.
constexpr int kLongestWaitMs = 1000;
/// A bound for the stack between the signal frame and a call of ours from inside the handler.
constexpr std::uintptr_t kHandlerStackBytes = 64 * 1024;

void Sleep(long ns) noexcept {
  const timespec slice = {0, ns};
  RawSyscall(SYS_nanosleep, SyscallArg(&slice));
}

/// Changes the thread's signal mask by a raw system call (`how` as for sigprocmask(2), `bits` 0:
/// only reads it). Returns the mask before.
std::uint64_t Mask(int how, std::uint64_t bits) noexcept {
  std::uint64_t before = 0;
  RawSyscall(SYS_rt_sigprocmask, how, bits != 0 ? SyscallArg(&bits) : 0, SyscallArg(&before),
             sizeof bits);
  return before;
}

std::uint64_t SignalBit(const State& state) noexcept {
  const int number = overflow_signals::Number(state.kind);
  return number != 0 ? std::uint64_t{1} << (number - 1) : 0;
}

/// Whether the caller runs inside this set's handler. `inside` alone cannot show that: a handler
/// that was left by a jump did not clear it. In that case the signal is unblocked (siglongjmp), or
/// its ucontext_t is not on the stack just above us.
bool InsideHandler(const State& state) noexcept {
  if (state.inside.load(std::memory_order_seq_cst) != ThreadPointer()) return false;
  const std::uint64_t bit = SignalBit(state);
  if (bit != 0 && (Mask(SIG_BLOCK, 0) & bit) == 0) return false;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return reinterpret_cast<std::uintptr_t>(state.context) - here < kHandlerStackBytes;
}

/// Maps an empty ring for the event of `fd`. Without a ring (locked memory is short, or the event
/// is inherited) each signal counts as one overflow.
void MapRing(ArmedCounter& armed, int fd) noexcept {
  Kernel& kernel = RealKernel();
  std::uint64_t event = 0;
  RawSyscall(SYS_ioctl, fd, static_cast<long>(PERF_EVENT_IOC_ID), SyscallArg(&event));
  // A ring that was mapped for the same event stays: mapping costs more than emptying.
  if (armed.ring.mapped() && armed.ring_event == event) {
    (void)TakeOverflows(armed.ring);
    return;
  }
  // An event has one mapping, so a ring of an earlier event must go first.
  armed.ring.Unmap(kernel);
  armed.ring_event = event;
  (void)armed.ring.Map(kernel, fd, PageBytes());
}

/// Makes the records of throttling arrive in rings of the set. Up to Linux 6.15 the kernel writes
/// them into the ring of the throttled event, from 6.16 on into that of its group's leader
/// (docs/design/overflow.md). A leader that is not armed itself is therefore made to write into the
/// ring of one of its members.
void RouteThrottleRecords(State& state, const CounterSet& set) noexcept {
  for (std::size_t i = 0; i < state.armed_count; ++i) {
    ArmedCounter& armed = state.armed[i];
    armed.ring_has_throttle_records = armed.ring.mapped();
    const int fd = set.fd(armed.what.counter);
    const int leader = set.leader_fd(armed.what.counter);
    if (!armed.ring_has_throttle_records || leader == fd) continue;
    // One ring for each leader is enough, since all rings of the set are emptied at each signal.
    bool heard = false;
    for (std::size_t other = 0; other < state.armed_count && !heard; ++other) {
      const ArmedCounter& earlier = state.armed[other];
      const std::size_t counter = earlier.what.counter;
      heard = earlier.ring.mapped() &&
              (set.fd(counter) == leader || (other < i && earlier.ring_has_throttle_records &&
                                             set.leader_fd(counter) == leader));
    }
    if (heard) continue;
    armed.ring_has_throttle_records =
        RawSyscall(SYS_ioctl, leader, static_cast<long>(PERF_EVENT_IOC_SET_OUTPUT), fd) == 0;
  }
}

/// Whether the set needs a timer. With reported overflows (kReported) it does where an event must
/// be polled.
bool NeedsTick(const State& state) noexcept {
  if (state.kind == Kind::kTimer) return true;
  for (std::size_t i = 0; i < state.armed_count; ++i) {
    if (state.armed[i].Ticks()) return true;
  }
  return false;
}

/// Undoes what OverflowGuard changed in an earlier run.
void RestorePeriod(ArmedCounter& armed, int fd) noexcept {
  std::uint64_t period = armed.what.threshold * armed.step;
  if (armed.guard.factor() > 1) {
    RawSyscall(SYS_ioctl, fd, static_cast<long>(PERF_EVENT_IOC_PERIOD), SyscallArg(&period));
  }
  armed.guard = OverflowGuard{};
}

/// Waits until no other thread is inside the set's handler. The wait is bounded, because a handler
/// that was left by a jump looks the same as one that runs.
void WaitForOthers(const State& state) noexcept {
  for (int ms = 0; ms < kLongestWaitMs; ++ms) {
    const void* inside = state.inside.load(std::memory_order_seq_cst);
    if (inside == nullptr || inside == ThreadPointer()) return;
    Sleep(1'000'000);
  }
}

/// Whether a signal is still pending in the counted thread, which is not the caller. Where that
/// thread does not block the signal, it handles it within a moment, so a few tries are enough.
bool MayStillCome(const State& state) noexcept {
  const std::uint64_t bit = SignalBit(state);
  for (int tries = 0; tries < 5; ++tries) {
    const auto pending = PendingSignals(state.tid);
    if (!pending) return pending.error().sys_errno != ENOENT && pending.error().sys_errno != ESRCH;
    if ((*pending & bit) == 0) return false;
    Sleep(1'000'000);
  }
  return true;
}

/// Puts the disarming thread's state back: removes what is pending, and restores the signal mask.
void RestoreThread(State& state, bool in_handler) noexcept {
  const std::uint64_t bit = SignalBit(state);
  if (bit == 0) return;
  const std::uint64_t now = Mask(SIG_BLOCK, state.was_blocked ? bit : 0);
  if ((now & bit) != 0) overflow_signals::DropPending(state.kind);
  if (in_handler && state.was_blocked) {
    state.block_on_return.store(true, std::memory_order_relaxed);
  }
}

}  // namespace

bool SetOverflow::armed() const noexcept {
  return state_ && state_->armed_thread.load(std::memory_order_seq_cst) != nullptr;
}

Result<void> SetOverflow::ArmOn(CounterSet& set, int* errno_address) noexcept {
  State& state = *state_;
  if (armed()) return Error{Errc::kConflict, 0, "the set is counting"};
  const pid_t tid = AskTid();
  if (set.counted_tid() != tid) {
    return Error{Errc::kInvalid, 0, "overflow needs an event set that counts its own thread"};
  }
  if (set.size() != state.counter_count) {
    return Error{Errc::kInvalid, 0, "overflow was prepared for another set"};
  }
  const bool in_handler = InsideHandler(state);
  for (std::size_t i = 0; i < state.armed_count; ++i) {
    ArmedCounter& armed = state.armed[i];
    armed.Restart();
    if (!Interrupts(state.kind)) continue;
    MapRing(armed, set.fd(armed.what.counter));
    RestorePeriod(armed, set.fd(armed.what.counter));
  }
  if (Interrupts(state.kind)) RouteThrottleRecords(state, set);
  overflow_signals::Check(state.kind);
  state.set = &set;
  state.tid = tid;
  state.errno_address = errno_address;
  state.armed_thread.store(ThreadPointer(), std::memory_order_seq_cst);
  if (!Interrupts(state.kind)) {
    if (NeedsTick(state)) {
      const auto ticking = state.tick.Start(RealKernel(), 0, kTickNs, OnOverflowTick, &state);
      if (!ticking) {
        state.armed_thread.store(nullptr, std::memory_order_seq_cst);
        return ticking.error();
      }
    }
    if (state.kind == Kind::kReported) reported_overflow::Expect();
    return {};
  }
  // Armed again inside its own handler: the Disarm before has noted whether the signal was blocked.
  const bool block_on_return = state.block_on_return.exchange(false, std::memory_order_relaxed);
  const std::uint64_t bit = SignalBit(state);
  state.was_blocked = in_handler ? block_on_return : (Mask(SIG_UNBLOCK, bit) & bit) != 0;
  return {};
}

void SetOverflow::Disarm() noexcept {
  if (!state_) return;
  State& state = *state_;
  if (!state.armed_thread.exchange(nullptr, std::memory_order_seq_cst)) return;
  if (state.kind == Kind::kReported) reported_overflow::Forget();
  state.tick.Stop();
  WaitForOthers(state);
  if (state.tid == AskTid()) {
    RestoreThread(state, InsideHandler(state));
  } else {
    state.may_come_late = MayStillCome(state);
  }
  state.set = nullptr;
}

}  // namespace csink
