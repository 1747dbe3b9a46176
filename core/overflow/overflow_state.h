#pragma once

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/overflow/overflow_cookie.h"
#include "core/overflow/overflow_guard.h"
#include "core/overflow/set_overflow.h"
#include "core/perf/ring_buffer.h"
#include "core/signals/thread_tick.h"

/// File: what the handlers see of an event set's overflows. Inside core/overflow only.

namespace csink {

/// As many as a vector has bits.
inline constexpr std::size_t kMaxArmings = 64;
inline constexpr std::size_t kMaxOverflowCounters = 512;

struct ArmedCounter {
  OverflowArming what;
  /// The kernel writes a record of 16 bytes at each overflow. One SIGTRAP or SIGWINCH can stand for
  /// several overflows, of several events: which of them and how many is read here.
  RingBuffer ring;
  std::uint64_t ring_event = 0;  ///< The event (PERF_EVENT_IOC_ID) that the ring belongs to
  /// The ring also gets the kernel's word that the event is throttled. Where it does not, the
  /// throttle is ended at each overflow.
  bool hears_throttle = false;
  std::uint64_t taken = 0;       ///< Overflows taken out of the ring and not delivered yet
  bool incomplete = false;       ///< More came than `taken`
  std::uint32_t deliveries = 0;  ///< Signals of a clock in this run, while none was missing
  /// Multiples of the threshold from overflow to overflow, before the guard's factor.
  std::uint64_t step = 1;
  OverflowGuard guard;
  bool warned = false;

  // Multiples of the threshold since Arm:
  std::uint64_t told = 0;       ///< That the handler knows of
  std::uint64_t signalled = 0;  ///< That the kernel's overflows stand for
  std::int64_t signalled_from = 0;
  long long value = 0;  ///< At the last look
  // kTold:
  bool told_from_known = false;  ///< `told_from` holds
  long long told_from = 0;       ///< What the library counted when the multiples began
  std::int64_t value_from = 0;

  /// Multiples that one overflow of the event stands for.
  std::uint64_t multiples() const noexcept { return step * guard.factor(); }
  /// Before a run.
  void Restart() noexcept {
    told = signalled = 0;
    taken = 0;
    incomplete = false;
    deliveries = 0;
    value = 0;
    told_from_known = false;
    signalled_from = value_from = 0;
  }
  /// The multiples below `now` are over and done, however many of them were told.
  void CountFrom(long long now) noexcept {
    value = now;
    value_from = static_cast<std::int64_t>(told) - Whole(now);
    SignalsTold();
  }
  bool Ticks() const noexcept { return what.teller != OverflowTeller::kLibrary; }
  bool IsTold() const noexcept { return what.teller != OverflowTeller::kNobody; }
  /// The set's counts were reset (nullptr: the multiples go on, as a counter's interrupts do) or
  /// set to `now`.
  void ToldFrom(const long long* now) noexcept {
    if (now == nullptr) return;
    told_from = *now;
    told_from_known = true;
    told = 0;
  }
  /// The library has counted to `latest`, the set to `count`: multiples that are not told yet.
  std::uint64_t FreshTold(long long latest, long long count) noexcept;
  /// The next overflow is one more than what was told.
  void SignalsTold() noexcept { signalled_from = static_cast<std::int64_t>(told - signalled); }
  std::int64_t Whole(long long count) const noexcept {
    return count > 0 ? static_cast<std::int64_t>(static_cast<std::uint64_t>(count) / what.threshold)
                     : 0;
  }
  long long Value(const long long* counts) const noexcept {
    return what.value ? what.value(what.formula, counts) : counts[what.counter];
  }
  /// Multiples since Arm that are known from the signals alone.
  std::uint64_t BySignal() const noexcept {
    return signalled + static_cast<std::uint64_t>(signalled_from);
  }
  /// A signal has come: whether the count is to be read with it. Only of clocks.
  bool NeedsCountAtThisSignal() noexcept;
  /// What the handler is to be told now: `overflows` more have come, and the set counts `counts`
  /// (nullptr: not looked at). 0: nothing.
  std::uint64_t Fresh(std::uint64_t overflows, const long long* counts) noexcept;
};

/// Whether the counters themselves interrupt.
constexpr bool Interrupts(OverflowSourceKind kind) noexcept {
  return kind == OverflowSourceKind::kSigtrap || kind == OverflowSourceKind::kSignal;
}

/// One slot of the table. Never freed, so a late signal always finds something to look at; used
/// again by the next set.
///
/// A handler enters by `inside`, then looks at `armed_thread` and the generation; who disarms
/// changes those, then waits while another thread is inside. (Sequentially consistent, all four.)
struct SetOverflow::State {
  std::uint32_t slot = 0;
  std::atomic<bool> taken{false};
  std::atomic<std::uint32_t> generation{1};
  /// The thread pointer of the counted thread while armed, else null.
  std::atomic<const void*> armed_thread{nullptr};
  /// The thread pointer of who handles a signal here. Stays behind when a handler leaves by a jump.
  std::atomic<const void*> inside{nullptr};

  OverflowSourceKind kind = OverflowSourceKind::kAutomatic;
  const char* reason = "";
  OverflowHandler handler = nullptr;
  void* owner = nullptr;
  CounterSet* set = nullptr;
  std::size_t armed_count = 0;
  std::size_t counter_count = 0;

  // Of the thread that armed it:
  pid_t tid = 0;
  int* errno_address = nullptr;
  const void* context = nullptr;  ///< Of the signal handled last
  bool was_blocked = false;       ///< Our signal, in that thread, before Arm
  /// Disarmed inside the handler: the mask that it returns to wants our signal blocked.
  std::atomic<bool> block_on_return{false};
  bool may_come_late = false;  ///< A signal may still be pending where we could not look

  std::uint32_t counts_set = 0;  ///< Calls of CountsSet

  ThreadTick tick;
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> missed{0};

  ArmedCounter armed[kMaxArmings];
  long long counts[kMaxOverflowCounters];
};

/// The table. Threads: any. Signals: Find and Find...: safe.
namespace overflow_table {

inline constexpr std::size_t kSlots = 4096;

/// A slot of one's own; nullptr: no memory or all are taken.
SetOverflow::State* Claim() noexcept;
/// `leave`: somebody may still be using it, so nobody else gets it.
void Release(SetOverflow::State& state, bool leave) noexcept;
/// The set that this cookie was made for, or nullptr when that is over.
SetOverflow::State* Find(const OverflowCookie& cookie) noexcept;
/// The sets that `thread` has armed with this source, one a call; nullptr after the last.
SetOverflow::State* NextArmedBy(const void* thread, OverflowSourceKind kind,
                                std::size_t* from) noexcept;
/// Counts a signal that found nobody.
void CountLate() noexcept;
std::uint64_t late() noexcept;

}  // namespace overflow_table

/// The signals of the process that overflows come by.
namespace overflow_signals {

/// Takes and gives back the handler that `kind` needs (see SignalShare). kTimer: none of ours.
void Take(OverflowSourceKind kind) noexcept;
void Check(OverflowSourceKind kind) noexcept;
void Give(OverflowSourceKind kind, bool may_come_late) noexcept;
/// SIGTRAP; the signal of kSignal, after its first Take; 0 for kTimer.
int Number(OverflowSourceKind kind) noexcept;
/// Takes the signals of `kind` that wait for this thread and are ours out of its queue. The signal
/// must be blocked.
void DropPending(OverflowSourceKind kind) noexcept;
void ProcessForked() noexcept;

}  // namespace overflow_signals

/// Armed sets whose overflows are told: TellOverflow looks for one only while there are any.
namespace told_overflow {
void Expect() noexcept;
void Forget() noexcept;
}  // namespace told_overflow

/// Calls the handler for all that has overflowed; the event of `cookie` has, if nobody else.
void DeliverByCookie(const OverflowCookie& cookie, void* context) noexcept;
/// The same for the event behind `fd`. False: it is none of this thread's.
bool DeliverByDescriptor(int fd, void* context) noexcept;
/// A tick of the timer source (ThreadTick::Handler); `state` is a SetOverflow::State.
void OnOverflowTick(void* state, std::uint64_t missed, void* context) noexcept;

struct RingNews {
  std::uint64_t overflows = 0;
  bool incomplete = false;  ///< There were more overflows
  bool throttled = false;   ///< The kernel stopped the event, or its group, until the next tick
};

/// Empties the ring of an event that overflows.
RingNews TakeOverflows(RingBuffer& ring) noexcept;

/// The calling thread's thread pointer: who it is, without a system call.
inline const void* ThreadPointer() noexcept { return __builtin_thread_pointer(); }

}  // namespace csink
