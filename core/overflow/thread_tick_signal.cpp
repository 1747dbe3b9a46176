#include <errno.h>
#include <sched.h>
#include <signal.h>

#include <atomic>

#include "core/overflow/thread_tick.h"
#include "core/util/futex_lock.h"
#include "core/util/raw_syscall.h"

namespace csink {
namespace {

constexpr int kSignal = SIGURG;
constexpr std::size_t kSlots = 4096;
// sigval: generation, slot, tag. The tag tells our timers from a program's own on this signal.
constexpr std::uintptr_t kTag = 0x7c;
constexpr unsigned kSlotShift = 8;
constexpr unsigned kGenerationShift = 24;

struct Slot {
  /// Odd: taken. Goes up at each Start and each Stop, so that a late signal fits no longer.
  std::atomic<std::uint32_t> generation{0};
  std::atomic<std::uint32_t> inside{0};  ///< Calls under way
  std::atomic<pid_t> inside_tid{0};
  ThreadTick::Handler handler = nullptr;
  void* arg = nullptr;
};

Slot slots[kSlots];
std::atomic<std::size_t> next_slot{0};

FutexLock users_lock;
std::size_t users = 0;
struct sigaction previous = {};

pid_t Tid() noexcept { return static_cast<pid_t>(RawSyscall(SYS_gettid)); }

std::uintptr_t ValueOf(std::size_t slot, std::uint32_t generation) noexcept {
  return (static_cast<std::uintptr_t>(generation) << kGenerationShift) | (slot << kSlotShift) |
         kTag;
}

void CallPrevious(int signal, siginfo_t* info, void* context) noexcept {
  const struct sigaction& old = previous;
  if (old.sa_flags & SA_SIGINFO) {
    if (old.sa_sigaction) old.sa_sigaction(signal, info, context);
  } else if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
    old.sa_handler(signal);
  }
}

void OnSignal(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const auto value = reinterpret_cast<std::uintptr_t>(info->si_value.sival_ptr);
  if (info->si_code != SI_TIMER || (value & 0xff) != kTag) {
    CallPrevious(signal, info, context);
    errno = saved_errno;
    return;
  }
  Slot& slot = slots[(value >> kSlotShift) % kSlots];
  const auto generation = static_cast<std::uint32_t>(value >> kGenerationShift);
  slot.inside.fetch_add(1, std::memory_order_seq_cst);
  if (slot.generation.load(std::memory_order_seq_cst) == generation) {
    slot.inside_tid.store(Tid(), std::memory_order_relaxed);
    const auto overrun = static_cast<std::uint64_t>(info->si_overrun > 0 ? info->si_overrun : 0);
    slot.handler(slot.arg, overrun, context);
    slot.inside_tid.store(0, std::memory_order_relaxed);
  }
  slot.inside.fetch_sub(1, std::memory_order_release);
  errno = saved_errno;
}

void AddUser() noexcept {
  const pid_t tid = Tid();
  users_lock.Lock(tid);
  if (users++ == 0) {
    struct sigaction ours = {};
    ours.sa_sigaction = OnSignal;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigaction(kSignal, &ours, &previous);
  }
  users_lock.Unlock();
}

void RemoveUser() noexcept {
  const pid_t tid = Tid();
  users_lock.Lock(tid);
  if (--users == 0) {
    struct sigaction now = {};
    sigaction(kSignal, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == OnSignal) {
      sigaction(kSignal, &previous, nullptr);
    }
  }
  users_lock.Unlock();
}

/// A slot whose generation is now odd, or -1.
int TakeSlot() noexcept {
  for (std::size_t tries = 0; tries < kSlots; ++tries) {
    const std::size_t i = next_slot.fetch_add(1, std::memory_order_relaxed) % kSlots;
    std::uint32_t generation = slots[i].generation.load(std::memory_order_relaxed);
    if (generation % 2 == 0 && slots[i].inside.load(std::memory_order_acquire) == 0 &&
        slots[i].generation.compare_exchange_strong(generation, generation + 1)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

/// True when the signal was blocked in this thread and is not any more.
bool Unblock() noexcept {
  std::uint64_t mask = std::uint64_t{1} << (kSignal - 1), old = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_UNBLOCK, SyscallArg(&mask), SyscallArg(&old), sizeof mask);
  return (old & mask) != 0;
}

void BlockAgain() noexcept {
  std::uint64_t mask = std::uint64_t{1} << (kSignal - 1);
  RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, SyscallArg(&mask), 0, sizeof mask);
}

}  // namespace

Result<void> ThreadTick::Start(Kernel& kernel, pid_t tid, std::uint64_t interval_ns,
                               Handler handler, void* arg) noexcept {
  if (started()) return Error{Errc::kInvalid, 0, "the tick is started already"};
  if (tid == 0) tid = Tid();
  const int taken = TakeSlot();
  if (taken < 0) return Error{Errc::kLimit, EAGAIN, "too many threads tick"};
  Slot& slot = slots[taken];
  slot.handler = handler;
  slot.arg = arg;
  AddUser();
  const std::uint32_t generation = slot.generation.load(std::memory_order_relaxed);
  const auto value = ValueOf(static_cast<std::size_t>(taken), generation);
  const long timer = kernel.TimerCreate(tid, kSignal, reinterpret_cast<void*>(value));
  if (timer < 0) {
    slot.generation.fetch_add(1);
    RemoveUser();
    return Error{Errc::kLimit, static_cast<int>(-timer), "no timer for this thread"};
  }
  kernel_ = &kernel;
  slot_ = taken;
  timer_ = static_cast<int>(timer);
  if (tid == Tid()) unblocked_for_ = Unblock() ? Tid() : 0;
  kernel.TimerStart(timer_, interval_ns, interval_ns);
  return {};
}

void ThreadTick::Stop() noexcept {
  if (!started()) return;
  Slot& slot = slots[slot_];
  kernel_->TimerDelete(timer_);
  slot.generation.fetch_add(1, std::memory_order_seq_cst);
  const pid_t tid = Tid();
  while (slot.inside.load(std::memory_order_seq_cst) != 0 &&
         slot.inside_tid.load(std::memory_order_relaxed) != tid) {
    sched_yield();
  }
  slot_ = timer_ = -1;
  RemoveUser();
  if (unblocked_for_ == tid) BlockAgain();
  unblocked_for_ = 0;
}

void ThreadTick::ForgetAfterFork() noexcept {
  if (!started()) return;
  slots[slot_].inside.store(0, std::memory_order_relaxed);
  slots[slot_].inside_tid.store(0, std::memory_order_relaxed);
  slots[slot_].generation.fetch_add(1);
  slot_ = timer_ = -1;
  unblocked_for_ = 0;
  users_lock.ResetAfterFork();
  RemoveUser();
}

}  // namespace csink
