#include <errno.h>
#include <signal.h>
#include <time.h>

#include <atomic>

#include "core/counting/signals/signal_share.h"
#include "core/counting/signals/thread_tick.h"
#include "core/util/raw_syscall.h"
#include "core/util/thread_id.h"

// Each tick has a slot of a static table, and a POSIX timer whose value names slot and generation.
// The handler finds the slot by the value, without a lock and without thread-local storage. The
// generation of a slot changes at each Start and Stop: a signal that was sent before a Stop and
// arrives after it matches no slot any more. Slots are never freed, so a late handler always finds
// valid memory.

namespace csink {
namespace {

constexpr int kSignal = SIGURG;
// Ticks of the process at one time. 12 bits of the timer's value.
constexpr std::size_t kSlots = 4096;
// The timer's sigval holds generation, slot and tag. The tag distinguishes our timers from the
// program's own timers on this signal.
constexpr std::uintptr_t kTag = 0x7c;
constexpr unsigned kSlotShift = 8;
constexpr unsigned kGenerationShift = 24;

constexpr int kLongestWait = 10'000;  // in steps of 0.1 ms

struct Slot {
  /// Odd: taken. Raised by each Start and each Stop, so that a late signal no longer matches.
  std::atomic<std::uint32_t> generation{0};
  std::atomic<std::uint32_t> inside{0};  ///< Calls that are running
  std::atomic<pid_t> inside_tid{0};
  ThreadTick::Handler handler = nullptr;
  void* arg = nullptr;
};

Slot slots[kSlots];
// Where TakeSlot begins: slots are reused as late as possible.
std::atomic<std::size_t> next_slot{0};

void OnSignal(int signal, siginfo_t* info, void* context);
constexpr int kBlocked[] = {SIGURG};
constinit SignalShare share(OnSignal, kBlocked, 1);
int TheSignal() noexcept { return kSignal; }

std::uintptr_t ValueOf(std::size_t slot, std::uint32_t generation) noexcept {
  return (static_cast<std::uintptr_t>(generation) << kGenerationShift) | (slot << kSlotShift) |
         kTag;
}

void OnSignal(int signal, siginfo_t* info, void* context) {
  const auto value = reinterpret_cast<std::uintptr_t>(info->si_value.sival_ptr);
  // Sent by kill or by a timer of the program, or the agent's drain signal: not ours.
  if (info->si_code != SI_TIMER || (value & 0xff) != kTag) {
    share.PassOn(signal, info, context);
    return;
  }
  Slot& slot = slots[(value >> kSlotShift) % kSlots];
  const auto generation = static_cast<std::uint32_t>(value >> kGenerationShift);
  // Entered before the generation is checked; Stop changes the generation before it looks at
  // `inside`. So either this call sees the change, or Stop waits for it.
  slot.inside.fetch_add(1, std::memory_order_seq_cst);
  if (slot.generation.load(std::memory_order_seq_cst) == generation) {
    slot.inside_tid.store(AskTid(), std::memory_order_relaxed);
    const auto overrun = static_cast<std::uint64_t>(info->si_overrun > 0 ? info->si_overrun : 0);
    slot.handler(slot.arg, overrun, context);
    slot.inside_tid.store(0, std::memory_order_relaxed);
  }
  slot.inside.fetch_sub(1, std::memory_order_release);
}

/// Takes a free slot and makes its generation odd; -1: none is free.
int TakeSlot() noexcept {
  for (std::size_t tries = 0; tries < kSlots; ++tries) {
    const std::size_t i = next_slot.fetch_add(1, std::memory_order_relaxed) % kSlots;
    std::uint32_t generation = slots[i].generation.load(std::memory_order_relaxed);
    // A slot with a call inside is not taken: that call may still read handler and arg.
    if (generation % 2 == 0 && slots[i].inside.load(std::memory_order_acquire) == 0 &&
        slots[i].generation.compare_exchange_strong(generation, generation + 1)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

/// Unblocks the signal in this thread. Returns whether it was blocked.
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

int ThreadTick::Signal() noexcept { return kSignal; }

Result<void> ThreadTick::Start(Kernel& kernel, pid_t tid, std::uint64_t interval_ns,
                               Handler handler, void* arg) noexcept {
  if (started()) return Error{Errc::kInvalid, 0, "the thread's timer is started already"};
  if (tid == 0) tid = AskTid();
  const int taken = TakeSlot();
  if (taken < 0) return Error{Errc::kLimit, EAGAIN, "too many threads have a timer"};
  Slot& slot = slots[taken];
  slot.handler = handler;
  slot.arg = arg;
  // Before the timer exists: its first signal must find our handler.
  share.Take(TheSignal);
  const std::uint32_t generation = slot.generation.load(std::memory_order_relaxed);
  const auto value = ValueOf(static_cast<std::size_t>(taken), generation);
  const long timer = kernel.TimerCreate(tid, kSignal, reinterpret_cast<void*>(value));
  if (timer < 0) {
    slot.generation.fetch_add(1);
    share.Give(false);
    return Error{Errc::kLimit, static_cast<int>(-timer),
                 "the timer of this thread could not be created"};
  }
  kernel_ = &kernel;
  slot_ = taken;
  timer_ = static_cast<int>(timer);
  if (tid == AskTid()) unblocked_for_ = Unblock() ? AskTid() : 0;
  kernel.TimerStart(timer_, interval_ns, interval_ns);
  return {};
}

void ThreadTick::Stop() noexcept {
  if (!started()) return;
  Slot& slot = slots[slot_];
  // The order: without a timer no new signal is sent; with a new generation a signal that is
  // already pending calls nothing; then calls that have begun are waited for.
  kernel_->TimerDelete(timer_);
  slot.generation.fetch_add(1, std::memory_order_seq_cst);
  const pid_t tid = AskTid();
  // A bounded wait: a handler that was left by a jump never clears `inside`.
  for (int tries = 0; tries < kLongestWait && slot.inside.load(std::memory_order_seq_cst) != 0 &&
                      slot.inside_tid.load(std::memory_order_relaxed) != tid;
       ++tries) {
    const timespec slice = {0, 100'000};
    RawSyscall(SYS_nanosleep, SyscallArg(&slice));
  }
  slot_ = timer_ = -1;
  share.Give(false);
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
  share.ProcessForked();
  share.Give(false);
}

}  // namespace csink
