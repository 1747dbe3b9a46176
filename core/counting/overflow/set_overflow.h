#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/counting/counters/counter_set.h"
#include "core/util/result.h"

namespace csink {

/// One overflow, as the user's handler receives it.
struct OverflowHit {
  void* pc;              ///< Address of the interrupted instruction
  std::uint64_t vector;  ///< OverflowArming::vector of the event that overflowed; never 0
  std::uint64_t missed;  ///< Further multiples of the threshold that passed without a call
  void* context;         ///< ucontext_t of the interrupted code; valid during the call
};

/// The user's overflow handler. It is called on the counted thread, in signal context; errno is
/// saved and restored around the call. The handler may read, reset, stop or start its set, and may
/// be left by siglongjmp. While it runs, no other overflow of its thread is delivered; multiples
/// that fall due meanwhile are in the next call's `missed`.
using OverflowHandler = void (*)(void* owner, const OverflowHit& hit) noexcept;

/// Computes the value of a derived event from the set's counts. Signals: must be safe.
using OverflowValue = long long (*)(const void* formula, const long long* counts) noexcept;

enum class OverflowMode : std::uint8_t {
  kHardware,        ///< The counter interrupts; so do software events of the kernel
  kForcedSoftware,  ///< A timer compares counts with thresholds; any event, also a derived one
  kReported,        ///< The library that keeps the counters reports changes (reported_overflow.h)
};

/// With kReported: how overflows of an event become known.
enum class OverflowReporter : std::uint8_t {
  kLibrary,    ///< The library calls ReportOverflow at each count
  kPolled,     ///< The thread's tick polls the counter
  kUndecided,  ///< The counter is not registered yet: either of the two
};

/// Which event overflows, and at which multiples.
struct OverflowArming {
  std::size_t counter = 0;      ///< Index into the requests and counts
  std::uint64_t vector = 0;     ///< Passed to the handler; bit i: native event i of the set
  std::uint64_t threshold = 0;  ///< In counts; > 0
  /// May count in kernel mode (domain, modifier, or a scheduler event). SIGTRAP is not used for
  /// such an event: a SIGTRAP that is due during an exec would kill the new program.
  bool kernel_mode = false;
  /// A clock of the kernel (task-clock, cpu-clock). Its timer may be late and pass multiples
  /// without a signal, so its count is read from time to time.
  bool clock = false;
  OverflowValue value = nullptr;  ///< kForcedSoftware: used instead of counts[counter]. kReported:
                                  ///< what the tick polls instead of reading the set
  const void* formula = nullptr;
  OverflowReporter reporter = OverflowReporter::kLibrary;
  std::uint32_t reported_number = 0;  ///< kReported: the counter's number in its library
};

/// How overflows reach the process; SetOverflow describes the sources.
enum class OverflowSourceKind : std::uint8_t { kAutomatic, kSigtrap, kSignal, kTimer, kReported };

/// Totals since Prepare.
struct OverflowTotals {
  std::uint64_t calls = 0;   ///< Calls of the handler
  std::uint64_t missed = 0;  ///< The sum of OverflowHit::missed
  std::uint64_t late = 0;    ///< Signals that came after their set was disarmed (all sets together)
  /// The largest factor of OverflowGuard at present: the handler is called for every `thinning`-th
  /// multiple.
  std::uint64_t thinning = 1;
};

/// The overflows of one event set: chooses how they are delivered, states how the counters must be
/// opened for that, and calls the user's handler.
///
/// Order of use: Prepare; CounterSet::Configure with the requests; { Arm; Start; ... Stop; Disarm }
/// any number of times; Release. A failed call changes nothing.
///
/// Sources; the first that fits is taken:
/// * *sigtrap*: a synchronous SIGTRAP at the interrupted instruction. From Linux 6.1 on. Not where
///   a debugger traces the process, which would stop at each overflow, nor on valgrind.
/// * *signal*: O_ASYNC with a standard signal that is ignored by default.
/// * *timer* (kForcedSoftware): a timer on the counted thread's CPU clock, at the kernel's HZ. The
///   handler is called at most once per tick and event; the other multiples are in `missed`.
/// * *told* (kReported): the library that keeps the counter reports each count, in the thread that
///   counts. Counters that the library does not report are polled by the same timer.
///
/// Counts stay exact. No event is disabled or refreshed for its overflows, with one exception:
/// where the kernel reports that an event is throttled (PERF_RECORD_THROTTLE: more interrupts in a
/// tick than perf_event_max_sample_rate allows), the handler disables and enables the leader of its
/// group (CounterSet::EndThrottle). Until then the event counts nothing, nor does its group on
/// Linux 6.16 and later. Where the record cannot be had (no ring), this is done at each overflow.
/// docs/design/overflow.md has the figures.
///
/// One signal may stand for several overflows, also of several events: standard signals merge, and
/// the kernel does not report overflows that occur while it delivers another. The number of
/// overflows is read from a ring of two pages for each event, where one can be mapped (locked
/// memory; events that are not inherited), and from the counts where several events are armed. A
/// clock's count is read at every 64th signal, and at each signal while the signals are behind the
/// count (OverflowArming::clock).
///
/// Guard: where overflows come so fast that the program makes hardly any progress (OverflowGuard),
/// the handler is called only for every 2nd, 4th, ... multiple. The others are in `missed`, and one
/// warning names the threshold.
///
/// Owns:    a slot of a table, a reference to the process's signal handler, a timer, rings.
/// Threads: one at a time. Arm must be called by the thread that is counted and that starts the
/// set. The other functions may be called by any thread; a pending signal can be removed only by
/// the counted thread, and after a Release elsewhere our SIGTRAP handler may have to stay
/// installed.
/// Signals: Arm and Disarm are safe: a handler may stop and start its set. A handler that is left
/// by plain longjmp leaves the signal blocked in its thread, as any handler does, until the next
/// Arm there.
class SetOverflow {
 public:
  SetOverflow() noexcept = default;
  ~SetOverflow() { Release(); }
  SetOverflow(const SetOverflow&) = delete;
  SetOverflow& operator=(const SetOverflow&) = delete;

  /// Replaces the armings, chooses the source and sets requests[i].sampling of all requests (kNone
  /// for events that are not armed). `forced`: the source to use, for tests. `owner` is passed to
  /// `handler`. Must not be called while armed.
  /// Errors: kInvalid (threshold 0, an event twice or out of range, a derived event with
  /// kHardware), kLimit (no slot, no memory), kConflict (the set is armed), kUnsupported (the
  /// forced source does not exist here).
  Result<void> Prepare(std::span<CounterRequest> requests, std::span<const OverflowArming> armings,
                       OverflowMode mode, OverflowHandler handler, void* owner,
                       OverflowSourceKind forced = OverflowSourceKind::kAutomatic) noexcept;
  bool prepared() const noexcept { return state_ != nullptr; }

  /// Prepares delivery in the calling thread and unblocks the signal there. Called before
  /// CounterSet::Start, on the counted thread. `set` must stay valid until Disarm.
  /// Errors: kConflict (armed already), kInvalid (set.counted_tid() is not the caller, so another
  /// thread must call Configure first; or `set` has another size than prepared), kLimit (no timer
  /// is left).
  Result<void> Arm(CounterSet& set) noexcept;
  /// Ends delivery. Called after CounterSet::Stop. Restores the thread's signal mask to what it was
  /// at Arm. Waits for a handler that runs on another thread, for at most a second.
  void Disarm() noexcept;
  bool armed() const noexcept;
  /// Must be called after the set's counts were reset (nullptr) or set to counts[]: by Reset,
  /// ReadAndReset, Write; for a Write before Start, after Arm. Multiples that were due count as
  /// delivered, and the next ones are multiples of the thresholds in the new counts. Signals: safe.
  void CountsSet(const long long* counts) noexcept;
  /// Disarms and gives everything back, after which the owner may be destroyed. When the last set
  /// is released, the process's signal disposition is what it was before.
  void Release() noexcept;

  /// In a forked child, where the set belongs to the parent: gives the slot back without touching
  /// timers or descriptors.
  void ForgetAfterFork() noexcept;
  /// In a forked child, before any other call: resets locks that threads of the parent may hold.
  static void ProcessForked() noexcept;

  /// The source in use: "sigtrap", "signal", "timer", "reported"; "" before Prepare.
  const char* source() const noexcept;
  /// Why this source was chosen, as a phrase for the user.
  const char* reason() const noexcept;
  OverflowTotals totals() const noexcept;

  struct State;

 private:
  Result<void> ArmOn(CounterSet& set, int* errno_address) noexcept;

  State* state_ = nullptr;
};

}  // namespace csink
