#pragma once

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/counting/overflow/overflow_cookie.h"
#include "core/counting/overflow/overflow_guard.h"
#include "core/counting/overflow/set_overflow.h"
#include "core/counting/signals/thread_tick.h"
#include "core/perf/ring_buffer.h"

/// File: the data of an event set's overflows that signal handlers use. Used inside
/// core/counting/overflow only.

namespace csink {

/// The most armed events of a set: PAPI's overflow vector has 64 bits.
inline constexpr std::size_t kMaxArmings = 64;
/// The most counters of a set that overflows: State has a fixed array of counts, because handlers
/// must not allocate.
inline constexpr std::size_t kMaxOverflowCounters = 512;

/// One event of a set that is armed for overflow. Multiples of the threshold are counted since Arm.
/// They are reached by the kernel's overflows ("signalled") or by the count, and the user's handler
/// is called for them (`delivered`). Owns: the ring. Threads: the counted thread, while armed.
/// Signals: safe.
struct ArmedCounter {
  /// As the set's owner asked for it; constant while armed.
  OverflowArming what;
  /// The kernel writes a record of 16 bytes at each overflow. One signal may stand for several
  /// overflows, of several events; the ring shows which events overflowed and how often.
  RingBuffer ring;
  std::uint64_t ring_event = 0;  ///< Id of the event (PERF_EVENT_IOC_ID) that owns the ring
  /// The ring also receives the kernel's THROTTLE records of the event. Where it does not, the
  /// handler ends a possible throttle at each overflow.
  bool ring_has_throttle_records = false;
  std::uint64_t taken = 0;       ///< Overflows read from the ring and not yet delivered
  bool incomplete = false;       ///< There were more overflows than `taken`
  std::uint32_t deliveries = 0;  ///< Signals of a clock in this run while none was missing
  /// Multiples of the threshold from one overflow to the next, before the guard's factor (StepFor).
  std::uint64_t step = 1;
  OverflowGuard guard;
  bool warned = false;  ///< The user was warned that the threshold is too small

  // In multiples of the threshold since Arm:
  std::uint64_t delivered = 0;      ///< For which the user's handler was called
  std::uint64_t signalled = 0;      ///< That the kernel's overflows stand for
  std::int64_t signalled_from = 0;  ///< Added to `signalled`, see BySignal
  long long value = 0;              ///< The count when it was last read
  // For kReported (overflows that a library reports), except `value_from`:
  bool has_reported_base = false;  ///< `reported_base` is valid
  long long reported_base = 0;     ///< The library's count at which the multiples began
  std::int64_t value_from = 0;     ///< Added to the multiples in the count

  /// Multiples that one overflow of the event stands for at present.
  std::uint64_t multiples() const noexcept { return step * guard.factor(); }
  /// Must be called before a run.
  void Restart() noexcept {
    delivered = signalled = 0;
    taken = 0;
    incomplete = false;
    deliveries = 0;
    value = 0;
    has_reported_base = false;
    signalled_from = value_from = 0;
  }
  /// The count is `now` from here on (after a reset or a write). Multiples below `now` are over,
  /// whether they were delivered or not.
  void CountFrom(long long now) noexcept {
    value = now;
    value_from = static_cast<std::int64_t>(delivered) - Whole(now);
    AlignSignals();
  }
  /// Whether the tick polls this event. If not, the library reports all its overflows.
  bool Ticks() const noexcept { return what.reporter != OverflowReporter::kLibrary; }
  /// Whether the library reports overflows of this event.
  bool IsReported() const noexcept { return what.reporter != OverflowReporter::kPolled; }
  /// The set's counts were set to `now`, or reset (nullptr: the multiples continue, as a hardware
  /// counter's interrupts do).
  void SetReportedBase(const long long* now) noexcept {
    if (now == nullptr) return;
    reported_base = *now;
    has_reported_base = true;
    delivered = 0;
  }
  /// The number of multiples that are not delivered yet, where the library's count is `latest` and
  /// the set's is `count`.
  std::uint64_t NewReportedMultiples(long long latest, long long count) noexcept;
  /// Aligns the signals with what was delivered: the next overflow is one multiple more than
  /// `delivered`.
  void AlignSignals() noexcept {
    signalled_from = static_cast<std::int64_t>(delivered - signalled);
  }
  /// The whole multiples of the threshold in `count`; 0 for negative counts.
  std::int64_t Whole(long long count) const noexcept {
    return count > 0 ? static_cast<std::int64_t>(static_cast<std::uint64_t>(count) / what.threshold)
                     : 0;
  }
  /// The event's count: counts[what.counter], or the formula of a derived event.
  long long Value(const long long* counts) const noexcept {
    return what.value ? what.value(what.formula, counts) : counts[what.counter];
  }
  /// Multiples since Arm, according to the signals alone.
  std::uint64_t BySignal() const noexcept {
    return signalled + static_cast<std::uint64_t>(signalled_from);
  }
  /// Called at each signal: whether the count must be read, too. True for clocks only.
  bool NeedsCountAtThisSignal() noexcept;
  /// Returns the multiples for which the user's handler must be called now, and marks them as
  /// delivered. `overflows` more have come, and the set's counts are `counts` (nullptr: not read).
  /// 0: none.
  std::uint64_t Fresh(std::uint64_t overflows, const long long* counts) noexcept;
};

/// Whether the counters themselves raise interrupts with this source.
constexpr bool Interrupts(OverflowSourceKind kind) noexcept {
  return kind == OverflowSourceKind::kSigtrap || kind == OverflowSourceKind::kSignal;
}

/// One slot of the table of sets. A slot is never freed, so that a late signal always finds valid
/// memory; the next set uses it again.
///
/// The protocol between handler and Disarm: a handler first stores its thread in `inside`, then
/// checks `armed_thread` and the generation. Disarm changes those first, then waits while another
/// thread is inside. All four accesses are sequentially consistent, so one of the two always sees
/// the other.
/// Threads: the counted thread while armed, otherwise the set's owner; the atomics: any. Signals:
/// safe.
struct SetOverflow::State {
  std::uint32_t slot = 0;
  std::atomic<bool> taken{false};
  std::atomic<std::uint32_t> generation{1};
  /// While armed: the thread pointer of the counted thread; else null.
  std::atomic<const void*> armed_thread{nullptr};
  /// The thread pointer of the thread that runs a handler of this set. It stays set where a handler
  /// is left by longjmp.
  std::atomic<const void*> inside{nullptr};

  /// Set by Prepare, constant while the set is armed.
  OverflowSourceKind kind = OverflowSourceKind::kAutomatic;
  const char* reason = "";
  OverflowHandler handler = nullptr;
  void* owner = nullptr;
  CounterSet* set = nullptr;
  std::size_t armed_count = 0;
  std::size_t counter_count = 0;

  // Of the thread that armed the set:
  pid_t tid = 0;
  /// Where handlers keep the interrupted code's errno.
  int* errno_address = nullptr;
  const void* context = nullptr;  ///< The ucontext_t of the last signal
  bool was_blocked = false;       ///< That thread blocked our signal before Arm
  /// Disarm ran inside the handler: our signal must be blocked in the mask that the handler returns
  /// to.
  std::atomic<bool> block_on_return{false};
  bool may_come_late = false;  ///< A signal may be pending in a thread whose queue we cannot read

  std::uint32_t counts_set = 0;  ///< Number of calls of CountsSet

  ThreadTick tick;
  /// Calls of the user's handler, and overflows for which there was none (OverflowTotals).
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> missed{0};

  /// The first armed_count are in use. `counts` is room for a read inside the handler.
  ArmedCounter armed[kMaxArmings];
  long long counts[kMaxOverflowCounters];
};

/// The table of slots. Threads: any. Signals: Find, NextArmedBy and CountLate are safe.
namespace overflow_table {

/// Sets with overflow at one time. OverflowCookie has 16 bits for the slot.
inline constexpr std::size_t kSlots = 4096;

/// Claims a slot; nullptr: there is no memory, or all slots are taken. Its memory is mapped on
/// first use and never unmapped.
SetOverflow::State* Claim() noexcept;
/// Ends the slot's generation and frees it. `leave`: a handler may still be using the slot, so it
/// is not given to another set.
void Release(SetOverflow::State& state, bool leave) noexcept;
/// The slot of the set that this cookie was made for; nullptr: that set has released its slot.
SetOverflow::State* Find(const OverflowCookie& cookie) noexcept;
/// Iterates over the sets that `thread` has armed with source `kind`. `*from` is the position, 0 at
/// first; nullptr after the last set.
SetOverflow::State* NextArmedBy(const void* thread, OverflowSourceKind kind,
                                std::size_t* from) noexcept;
/// Counts a signal whose set is no longer armed; late() returns the number of such signals.
void CountLate() noexcept;
std::uint64_t late() noexcept;

}  // namespace overflow_table

/// The signals of the process by which the kernel delivers overflows.
namespace overflow_signals {

/// Install, check and give back the handler that `kind` needs (see SignalShare). Nothing is done
/// for kTimer.
void Take(OverflowSourceKind kind) noexcept;
void Check(OverflowSourceKind kind) noexcept;
void Give(OverflowSourceKind kind, bool may_come_late) noexcept;
/// SIGTRAP for kSigtrap; for kSignal the signal chosen by its first Take; 0 for kTimer.
int Number(OverflowSourceKind kind) noexcept;
/// Removes pending signals of `kind` that are ours from this thread's queue. The signal must be
/// blocked.
void DropPending(OverflowSourceKind kind) noexcept;
void ProcessForked() noexcept;

}  // namespace overflow_signals

/// The number of armed sets with reported overflows (kReported). While it is 0, ReportOverflow
/// returns at once.
namespace reported_overflow {
void Expect() noexcept;
void Forget() noexcept;
}  // namespace reported_overflow

/// Handles the signal of the event that `cookie` names: calls the user's handler for everything
/// that has overflowed in its set, and at least for that event. `context`: the handler's
/// ucontext_t.
void DeliverByCookie(const OverflowCookie& cookie, void* context) noexcept;
/// The same for the event of descriptor `fd`. Returns false if `fd` is not an event of the calling
/// thread's sets.
bool DeliverByDescriptor(int fd, void* context) noexcept;
/// A tick of the timer source (a ThreadTick::Handler); `state` is a SetOverflow::State.
void OnOverflowTick(void* state, std::uint64_t missed, void* context) noexcept;

/// What a ring contained.
struct RingContents {
  std::uint64_t overflows = 0;
  bool incomplete = false;  ///< There were more overflows than the ring shows
  bool throttled = false;   ///< The kernel stopped the event, or its group, until the next tick
};

/// Empties the ring of an event that is armed for overflow.
RingContents TakeOverflows(RingBuffer& ring) noexcept;

/// The calling thread's thread pointer: identifies the thread without a system call.
inline const void* ThreadPointer() noexcept { return __builtin_thread_pointer(); }

}  // namespace csink
