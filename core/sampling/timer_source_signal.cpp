#include <sys/mman.h>
#include <ucontext.h>

#include "core/machine/clocks.h"
#include "core/sampling/timer_source.h"
#include "core/util/raw_syscall.h"

// File: a POSIX timer on the CPU clock of each thread sends a signal; the handler puts the
// interrupted address into the thread's soft ring, which Drain empties.

namespace csink {
namespace {

// The slot's address with this tag in the sigevent's value tells our ticks from
// a program's own timers on the same signal. Slots are 8-aligned.
constexpr std::uintptr_t kTickTag = 5;

// Pages of the kernel are zero, which is an empty ring.
SoftRing* NewSoftRing() noexcept {
  const long r = RawSyscall(SYS_mmap, 0, sizeof(SoftRing), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return r < 0 && r > -4096 ? nullptr : reinterpret_cast<SoftRing*>(r);
}

}  // namespace

std::uint64_t ContextPc(const void* context) noexcept {
  const auto* uc = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(uc->uc_mcontext.gregs[REG_RIP]);
#else
  return uc->uc_mcontext.pc;
#endif
}

Result<void> TimerSource::Arm(ThreadSlot& slot, pid_t tid) noexcept {
  SoftRing* ring = slot.soft;
  if (!ring) slot.soft = ring = NewSoftRing();
  if (!ring) return Error{Errc::kLimit, 12, "not enough memory for a sample buffer"};
  // An earlier thread's samples may be left in the ring of a slot that is used again.
  ring->Reset();
  const auto value = reinterpret_cast<std::uintptr_t>(&slot) | kTickTag;
  const long timer = kernel_.TimerCreate(tid, signal(), reinterpret_cast<void*>(value));
  if (timer < 0) {
    return Error{Errc::kLimit, static_cast<int>(-timer),
                 "the timer of this thread could not be created"};
  }
  slot.timer = static_cast<int>(timer);
  // Cannot fail for a timer that was just made, with times below 2^63 ns.
  kernel_.TimerStart(slot.timer, period_ns_, period_ns_);
  return {};
}

void TimerSource::Disarm(ThreadSlot& slot) noexcept {
  if (slot.timer >= 0) kernel_.TimerDelete(slot.timer);
  slot.timer = -1;
}

void TimerSource::Drain(ThreadSlot& slot, SampleSink& sink) noexcept {
  SoftRing* const ring = slot.soft;
  if (!ring) return;
  ring->Drain([&](const SoftRing::Sample& sample) {
    if (timed_) sink.OnTime(sample.time_ns);
    sink.OnSample(slot, 0, sample.pc, sample.weight_periods * period_ns_);
  });
  const std::uint32_t dropped = ring->dropped.exchange(0, std::memory_order_relaxed);
  if (dropped != 0) sink.OnLost(slot, 0, dropped);
}

bool TimerSource::Tick(const siginfo_t& info, const void* context) noexcept {
  // The program may send itself the same signal by kill or use it for input (SIGPROF, SIGIO).
  if (info.si_code != SI_TIMER) return false;
  const auto value = reinterpret_cast<std::uintptr_t>(info.si_value.sival_ptr);
  if ((value & 7) != kTickTag) return false;
  ThreadSlot* slot = registry_.FromAddress(value & ~std::uintptr_t{7});
  // A signal of a deleted timer may come late, when its slot is another thread's.
  if (!slot) return false;
  // The kernel's id of the timer must be that of the slot's present timer.
  const int timer = slot->timer;
  SoftRing* const ring = slot->soft;
  if (!ring || timer < 0 || info.si_timerid != timer) return false;
  // A full ring counts the sample as dropped: the signal is ours all the same.
  // si_overrun: the periods that passed while the signal was pending. They belong to this sample.
  ring->Push(ContextPc(context), 1 + static_cast<std::uint64_t>(info.si_overrun),
             timed_ ? MonotonicNs() : 0);
  return true;
}

}  // namespace csink
