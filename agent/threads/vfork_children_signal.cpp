#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstring>
#include <new>

#include "agent/process/drain_signal.h"
#include "agent/threads/stack_switch.h"
#include "agent/threads/vfork_children.h"
#include "core/machine/clocks.h"
#include "core/util/raw_syscall.h"
#include "core/util/signals_blocked.h"
#include "core/util/thread_id.h"

/// File: children between vfork and exec. Parent and child never run at the same time in the
/// calling thread, so an account needs no lock; other threads of the parent do not touch it.

namespace csink::agent {

struct VforkChild {
  std::atomic<bool> taken{false};
  std::atomic<pid_t> pid{0};  ///< Stored by the child
  std::uint64_t begin_ns = 0;
  /// Kernel's id of the timer, in the child; -1: none. All members are 0 at first, so that the
  /// table is untouched .bss memory
  int timer = 0;
  bool has_slot = false;  ///< `slot` was constructed and its events are open
  spool::End end = spool::End::kUnknown;
  std::uint32_t end_detail = 0;
  std::uint64_t user_ns = 0;  ///< CPU time until the exec or end, or the last tick
  std::uint64_t system_ns = 0;
  /// CPU time that the ticks stand for
  std::uint64_t ticked_ns = 0;
  std::size_t tick_count = 0;
  Collector::ChildTick ticks[128] = {};
  alignas(ThreadSlot) unsigned char slot[sizeof(ThreadSlot)] = {};
  /// Of the handler: an alternate stack of the program may be small
  alignas(64) unsigned char stack[16 * 1024] = {};
};

namespace {

/// Children at one time, one for each thread that is in vfork; further ones are not seen.
constexpr std::size_t kChildren = 8;
constinit VforkChild g_children[kChildren];

/// An entry's address with this tag in the sigevent's value tells ticks of children from others
/// (timer_source_signal.cpp). Entries are 64-aligned.
constexpr std::uintptr_t kTag = 3;

/// CPU time of the child before its first tick. CPU timers expire at the kernel's tick, so the
/// first one comes 1 to 5 ms after the begin (HZ = 250).
constexpr std::uint64_t kFirstTickNs = 1'000'000;

std::uint64_t Nanoseconds(const timeval& time) noexcept {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_usec) * 1'000;
}

VforkChild* OfProcess(pid_t pid) noexcept {
  for (VforkChild& child : g_children) {
    if (child.taken.load(std::memory_order_acquire) &&
        child.pid.load(std::memory_order_relaxed) == pid) {
      return &child;
    }
  }
  return nullptr;
}

ThreadSlot& SlotOf(VforkChild& child) noexcept {
  return *std::launder(reinterpret_cast<ThreadSlot*>(child.slot));
}

struct TickCall {
  VforkChildren* children;
  void (*tick)(VforkChildren*, VforkChild*, std::uint64_t);
  VforkChild* child;
  std::uint64_t pc;
};

}  // namespace

VforkChild* VforkChildren::Before() noexcept {
  if (!process_.active() || process_.sandboxed() || config_.follow == Follow::kNone ||
      !process_.IsOurProcess()) {
    return nullptr;
  }
  for (VforkChild& child : g_children) {
    if (child.taken.exchange(true, std::memory_order_acquire)) continue;
    child.pid.store(0, std::memory_order_relaxed);
    child.timer = -1;
    child.has_slot = false;
    child.end = spool::End::kUnknown;
    child.end_detail = 0;
    child.user_ns = child.system_ns = child.ticked_ns = 0;
    child.tick_count = 0;
    child.begin_ns = MonotonicNs();
    used_.fetch_add(1, std::memory_order_release);
    return &child;
  }
  return nullptr;
}

void VforkChildren::Started(VforkChild& child) noexcept {
  const pid_t pid = OwnPid();
  child.pid.store(pid, std::memory_order_relaxed);
  if (collector_.pauses().pausing()) return;
  // Without the signal, or where a CPU timer could kill, the events are opened at once.
  if (!DrainSignalIsOurs() || !SampledEvents::CpuTimersAreSurvivable()) {
    Open(child);
    return;
  }
  const auto value = reinterpret_cast<std::uintptr_t>(&child) | kTag;
  const long timer = kernel_.TimerCreate(pid, DrainSignal(), reinterpret_cast<void*>(value));
  if (timer < 0) return;
  child.timer = static_cast<int>(timer);
  kernel_.TimerStart(child.timer, kFirstTickNs, events_.source().perf_events ? 0 : kFirstTickNs);
}

bool VforkChildren::Open(VforkChild& child) noexcept {
  if (!events_.source().perf_events) return false;
  ThreadSlot& slot = *new (child.slot) ThreadSlot();
  slot.timer = -1;
  slot.spool_thread = spool::kNone;
  slot.is_child = true;
  const pid_t pid = child.pid.load(std::memory_order_relaxed);
  slot.tid.store(pid, std::memory_order_relaxed);
  child.has_slot = rings_.Arm(slot, pid).has_value();
  return child.has_slot;
}

void VforkChildren::ReadClock(VforkChild& child) const noexcept {
  struct rusage usage = {};
  RawSyscall(SYS_getrusage, RUSAGE_SELF, SyscallArg(&usage));
  child.user_ns = Nanoseconds(usage.ru_utime);
  child.system_ns = Nanoseconds(usage.ru_stime);
}

void VforkChildren::Tick(VforkChild& child, std::uint64_t pc) noexcept {
  ReadClock(child);
  const SampledClock& clock = collector_.accounts().clock();
  const std::uint64_t now_ns = child.user_ns + (clock.has_system ? child.system_ns : 0);
  const std::uint64_t weight = now_ns > child.ticked_ns ? now_ns - child.ticked_ns : 0;
  if (clock.event >= 0 && weight != 0) {
    child.ticked_ns = now_ns;
    if (child.tick_count < std::size(child.ticks)) {
      child.ticks[child.tick_count++] = {pc, weight};
    } else {
      child.ticks[child.tick_count - 1].weight += weight;
    }
  }
  if (!events_.source().perf_events) return;
  // With events the timer has done its work; without them the ticks go on.
  if (!Open(child)) kernel_.TimerStart(child.timer, kFirstTickNs, kFirstTickNs);
}

bool VforkChildren::OnTick(const siginfo_t& info, const void* context) noexcept {
  if (info.si_code != SI_TIMER) return false;
  const auto value = reinterpret_cast<std::uintptr_t>(info.si_value.sival_ptr);
  if ((value & 7) != kTag) return false;
  auto* child = reinterpret_cast<VforkChild*>(value & ~std::uintptr_t{7});
  if (child < g_children || child >= g_children + kChildren) return false;
  // The handler must run in the child itself. A child that has made a child by fork has given its
  // timer to nobody.
  if (!child->taken.load(std::memory_order_acquire) || child->has_slot ||
      child->pid.load(std::memory_order_relaxed) != OwnPid()) {
    return true;
  }
  TickCall call = {this,
                   [](VforkChildren* children, VforkChild* ticking, std::uint64_t pc) {
                     children->Tick(*ticking, pc);
                   },
                   child, ContextPc(context)};
  RunOnStack(
      [](void* arg) {
        auto* tick = static_cast<TickCall*>(arg);
        tick->tick(tick->children, tick->child, tick->pc);
      },
      &call, child->stack + sizeof child->stack);
  return true;
}

void VforkChildren::Ended(spool::End end, int detail) noexcept {
  VforkChild* child = any() ? OfProcess(OwnPid()) : nullptr;
  if (!child) return;
  ReadClock(*child);
  child->end = end;
  child->end_detail = static_cast<std::uint32_t>(detail);
}

void VforkChildren::FindEnd(VforkChild& child, pid_t pid) const noexcept {
  // The clock goes on in a new image, which has run for some microseconds at most.
  const long cpu = kernel_.ProcessCpuNs(pid);
  const std::uint64_t known_ns = child.user_ns + child.system_ns;
  if (cpu > 0 && static_cast<std::uint64_t>(cpu) > known_ns) {
    child.user_ns += static_cast<std::uint64_t>(cpu) - known_ns;
  }
  siginfo_t info = {};
  // WNOWAIT: the child stays as it is for the program's own wait.
  if (RawSyscall(SYS_waitid, P_PID, pid, SyscallArg(&info), WEXITED | WNOHANG | WNOWAIT | __WALL,
                 0) < 0) {
    return;
  }
  child.end = info.si_pid != pid           ? spool::End::kExec
              : info.si_code == CLD_EXITED ? spool::End::kQuickExit
                                           : spool::End::kSignal;
  if (info.si_pid == pid) child.end_detail = static_cast<std::uint32_t>(info.si_status);
}

void VforkChildren::Count(const VforkChild& child) noexcept {
  spool::Evidence& evidence = collector_.accounts().evidence();
  const std::uint64_t cpu_ns = child.user_ns + child.system_ns;
  __atomic_fetch_add(&evidence.vfork_children, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&evidence.vfork_child_ns, cpu_ns, __ATOMIC_RELAXED);
  if (child.end != spool::End::kExec) {
    __atomic_fetch_add(&evidence.vfork_ended_ns, cpu_ns, __ATOMIC_RELAXED);
  }
}

void VforkChildren::Take(VforkChild& child, pid_t pid) noexcept {
  spool::ThreadRecord facts = {};
  facts.tid = static_cast<std::uint32_t>(pid);
  facts.ended = 1;
  facts.start_region = spool::kNone;
  facts.cpu_ns = child.user_ns + child.system_ns;
  facts.child_system_ns = child.system_ns;
  facts.child_end =
      static_cast<std::uint64_t>(child.end) | static_cast<std::uint64_t>(child.end_detail) << 32;
  facts.start_monotonic_ns = child.begin_ns;
  facts.end_monotonic_ns = MonotonicNs();
  facts.run_ns = facts.cpu_ns;
  RawSyscall(SYS_prctl, PR_GET_NAME, SyscallArg(facts.name));
  if (!child.has_slot) {
    ThreadSlot& slot = *new (child.slot) ThreadSlot();
    slot.timer = -1;
    slot.tid.store(pid, std::memory_order_relaxed);
  }
  const pid_t tid = AskTid();
  const SignalsBlocked quiet;
  // A handler of the program may have interrupted a drain: the samples are left out then.
  if (collector_.lock().HeldBy(tid)) return rings_.Disarm(SlotOf(child));
  collector_.lock().Lock(tid);
  collector_.TakeChild(SlotOf(child), facts, child.ticks, child.tick_count);
  collector_.lock().Unlock();
}

void VforkChildren::After(VforkChild& child, long pid) noexcept {
  if (pid > 0 && process_.active() && !process_.sandboxed()) {
    if (child.end == spool::End::kUnknown) FindEnd(child, static_cast<pid_t>(pid));
    Count(child);
    if (child.has_slot || child.tick_count != 0) Take(child, static_cast<pid_t>(pid));
  }
  used_.fetch_sub(1, std::memory_order_release);
  child.taken.store(false, std::memory_order_release);
}

void VforkChildren::Spawned(pid_t pid) noexcept {
  if (!process_.active() || process_.sandboxed() || !process_.IsOurProcess()) return;
  const long cpu = kernel_.ProcessCpuNs(pid);
  spool::Evidence& evidence = collector_.accounts().evidence();
  __atomic_fetch_add(&evidence.spawned_children, 1, __ATOMIC_RELAXED);
  if (cpu <= 0) return;
  __atomic_fetch_add(&evidence.spawned_child_ns, static_cast<std::uint64_t>(cpu), __ATOMIC_RELAXED);
}

void VforkChildren::ForgetAfterFork() noexcept {
  if (!any()) return;
  for (VforkChild& child : g_children) child.taken.store(false, std::memory_order_relaxed);
  used_.store(0, std::memory_order_relaxed);
}

}  // namespace csink::agent
