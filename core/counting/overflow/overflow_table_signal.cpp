#include <sys/mman.h>

#include <new>

#include "core/counting/overflow/overflow_state.h"
#include "core/util/raw_syscall.h"

// File: sets claim slots, signals find them by cookie. A slot is taken by an atomic exchange and
// released by a new generation; its memory stays for the life of the process, so a late signal
// never reads freed memory.

namespace csink::overflow_table {
namespace {

using State = SetOverflow::State;

// Slots are filled once and never emptied, so a handler may follow a pointer without a lock.
std::atomic<State*> g_slots[kSlots];
// The number of slots that were ever used: NextArmedBy looks at no more of them.
std::atomic<std::size_t> g_high_water{0};
std::atomic<std::uint64_t> g_late{0};

constexpr std::uint32_t kGenerationMask = 0xff'ffff;

// Acquire: what the last owner wrote to the slot is visible to the next one.
bool TryTake(State& state) noexcept {
  bool taken = false;
  return state.taken.compare_exchange_strong(taken, true, std::memory_order_acquire);
}

// By mmap instead of new: a signal handler may read slots at any time, and the slots live as long
// as the process.
State* NewState(std::uint32_t slot) noexcept {
  const long r = RawSyscall(SYS_mmap, 0, sizeof(State), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (r < 0 && r > -4096) return nullptr;
  auto* state = new (reinterpret_cast<void*>(r)) State;
  state->slot = slot;
  state->taken.store(true, std::memory_order_relaxed);
  return state;
}

void RaiseHighWater(std::size_t to) noexcept {
  std::size_t now = g_high_water.load(std::memory_order_relaxed);
  while (now < to && !g_high_water.compare_exchange_weak(now, to)) {
  }
}

}  // namespace

State* Claim() noexcept {
  // From the front: a handler looks through all slots below the high-water mark, so the lowest free
  // slot keeps that mark low.
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    State* there = g_slots[i].load(std::memory_order_acquire);
    if (there) {
      if (TryTake(*there)) return there;
      continue;
    }
    State* fresh = NewState(i);
    if (!fresh) return nullptr;
    if (g_slots[i].compare_exchange_strong(there, fresh, std::memory_order_acq_rel)) {
      // After the slot is visible: a handler that sees the new mark finds the pointer.
      RaiseHighWater(i + 1);
      return fresh;
    }
    // Another thread filled this place of the table first.
    RawSyscall(SYS_munmap, SyscallArg(fresh), sizeof(State));
  }
  return nullptr;
}

// The generation first: signals of this set that are still pending no longer match the slot.
void Release(State& state, bool leave) noexcept {
  state.generation.fetch_add(1, std::memory_order_seq_cst);
  // A slot that is left behind keeps its memory for ever: a handler of another thread may still be
  // inside of it.
  if (!leave) state.taken.store(false, std::memory_order_release);
}

State* Find(const OverflowCookie& cookie) noexcept {
  State* state =
      cookie.slot < kSlots ? g_slots[cookie.slot].load(std::memory_order_acquire) : nullptr;
  if (!state || cookie.arming >= kMaxArmings) return nullptr;
  // The cookie has 24 bits of the generation. A signal would have to stay pending while 16 million
  // sets use the slot to be taken for another set's.
  const std::uint32_t now = state->generation.load(std::memory_order_seq_cst) & kGenerationMask;
  return now == cookie.generation ? state : nullptr;
}

State* NextArmedBy(const void* thread, OverflowSourceKind kind, std::size_t* from) noexcept {
  const std::size_t used = g_high_water.load(std::memory_order_acquire);
  while (*from < used) {
    State* state = g_slots[(*from)++].load(std::memory_order_acquire);
    if (state && state->armed_thread.load(std::memory_order_seq_cst) == thread &&
        state->kind == kind) {
      return state;
    }
  }
  return nullptr;
}

void CountLate() noexcept { g_late.fetch_add(1, std::memory_order_relaxed); }
std::uint64_t late() noexcept { return g_late.load(std::memory_order_relaxed); }

}  // namespace csink::overflow_table
