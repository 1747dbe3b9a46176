#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/counting/counter_set.h"
#include "core/util/result.h"

namespace csink {

/// One overflow, as the handler sees it.
struct OverflowHit {
  void* pc;              ///< The interrupted instruction
  std::uint64_t vector;  ///< OverflowArming::vector of what overflowed; never 0
  std::uint64_t missed;  ///< Further multiples of the threshold that passed without a call
  void* context;         ///< ucontext_t of the interrupted code; valid during the call
};

/// Called on the counted thread, in signal context, with errno kept around it. It may read, reset,
/// stop or start its set, and may leave by siglongjmp. While it runs, no other hit of its thread
/// is delivered; those that fall due are in the next hit's `missed`.
using OverflowHandler = void (*)(void* owner, const OverflowHit& hit) noexcept;

/// A value out of the set's counts: a derived event. Signals: must be safe.
using OverflowValue = long long (*)(const void* formula, const long long* counts) noexcept;

enum class OverflowMode : std::uint8_t {
  kHardware,        ///< The counter interrupts (software events of the kernel do, too)
  kForcedSoftware,  ///< A timer compares counts with thresholds; any event, also a derived one
  kTold,            ///< Who keeps the counters says when they move (told_overflow.h)
};

/// kTold: how an event's overflows become known.
enum class OverflowTeller : std::uint8_t {
  kLibrary,  ///< TellOverflow, at each count
  kNobody,   ///< The thread's tick looks
  kLater,    ///< The counter is still to come: one of the two
};

/// Which counter reports, and how often.
struct OverflowArming {
  std::size_t counter = 0;      ///< Index into the requests and counts
  std::uint64_t vector = 0;     ///< What the handler is told; bit i: native event i of the set
  std::uint64_t threshold = 0;  ///< > 0; in counts
  /// May count in kernel mode (domain, modifier, or an event of the scheduler). Such an event is
  /// not sampled by SIGTRAP: one that is due during exec would kill the new image.
  bool kernel_mode = false;
  /// A clock of the kernel (task-clock, cpu-clock). Its timer may be late and pass multiples
  /// without a signal, so its count is read now and then.
  bool clock = false;
  OverflowValue value = nullptr;  ///< kForcedSoftware: compared instead of counts[counter]. kTold:
                                  ///< what the tick looks at, instead of reading the set
  const void* formula = nullptr;
  OverflowTeller teller = OverflowTeller::kLibrary;
  std::uint32_t told_as = 0;  ///< kTold: the counter's number in its library
};

enum class OverflowSourceKind : std::uint8_t { kAutomatic, kSigtrap, kSignal, kTimer, kTold };

/// What happened to overflows since Prepare.
struct OverflowTotals {
  std::uint64_t calls = 0;   ///< Of the handler
  std::uint64_t missed = 0;  ///< The sum of OverflowHit::missed
  std::uint64_t late = 0;    ///< Signals that came when the set was no longer armed (all sets)
  /// The guard's largest factor now: the handler is called for each `thinning`-th multiple.
  std::uint64_t thinning = 1;
};

/// The overflows of one event set: chooses how they are delivered, has the counters opened for
/// that, and calls the handler.
///
/// Order of use: Prepare; CounterSet::Configure with the requests; { Arm; Start; ... Stop;
/// Disarm } any number of times; Release. A failed call leaves everything as it was.
///
/// Sources, the first that fits: *sigtrap* (a synchronous SIGTRAP at the interrupted instruction;
/// Linux 6.1, not when a debugger traces the process, which would stop at each, nor on valgrind),
/// *signal* (O_ASYNC with a standard signal that is ignored by default), *timer* (kForcedSoftware:
/// a timer on the counted thread's own CPU clock at the kernel's HZ; the handler is called once a
/// tick and arming, the other multiples are in `missed`), *told* (kTold: a call of the library that
/// counts, in the thread that counts; of counters that nobody tells of, the same timer).
///
/// Counts stay exact. No event is disabled or refreshed for its overflows, with one exception: when
/// the kernel reports that an event is throttled (PERF_RECORD_THROTTLE: more interrupts in a tick
/// than perf_event_max_sample_rate allows), the handler disables and enables the leader of its
/// group (CounterSet::EndThrottle). Until then the event stands still, on Linux 6.16 and later with
/// its whole group, and counts nothing. Where the record cannot be had (no ring), this is done at
/// each overflow. docs/design/overflow.md has the figures.
///
/// One signal may stand for several overflows, also of several events (standard signals merge, and
/// the kernel does not report what falls due while it delivers another). How many there were is
/// read from a ring of two pages an arming, where one can be had (locked memory, events that are
/// not inherited), and, when several events are armed, from their counts. A clock's count is read
/// at every 64th signal, and at each signal while the signals are behind it
/// (OverflowArming::clock).
///
/// Guard: when overflows come so close that the program hardly runs any more (25 us of CPU time
/// apart, or mostly while the handler still runs, for a quarter of a second), the arming is
/// thinned: the handler is called for every 2nd, 4th, ... multiple, the others are in `missed`, and
/// one warning names the threshold.
///
/// Owns:    a slot of a table, a reference to the process's signal handler, a timer, memory.
/// Threads: one at a time. Arm is called by the thread that is counted, and that starts the set;
///          the other functions by any, but best by that one too: only there can a signal that is
///          still pending be taken back. Else our handler for SIGTRAP stays for good.
/// Signals: Arm and Disarm are safe (a handler may stop and start its set). A handler that leaves
///          by plain longjmp leaves the signal blocked in its thread, as any handler does, until
///          the next Arm there.
class SetOverflow {
 public:
  SetOverflow() noexcept = default;
  ~SetOverflow() { Release(); }
  SetOverflow(const SetOverflow&) = delete;
  SetOverflow& operator=(const SetOverflow&) = delete;

  /// Takes the armings in place of former ones, chooses the source and fills in
  /// requests[i].sampling for all requests (kNone for those that are not armed). Not while armed.
  /// Fails with kInvalid (threshold 0, a counter twice or out of range, a value with kHardware),
  /// kLimit (no slot, no memory), kConflict (while armed), kUnsupported (the forced source does
  /// not exist here).
  Result<void> Prepare(std::span<CounterRequest> requests, std::span<const OverflowArming> armings,
                       OverflowMode mode, OverflowHandler handler, void* owner,
                       OverflowSourceKind forced = OverflowSourceKind::kAutomatic) noexcept;
  bool prepared() const noexcept { return state_ != nullptr; }

  /// Before CounterSet::Start, on the counted thread (else kInvalid: set.counted_tid() must be the
  /// caller's; Configure first where another thread starts the set). Lets the signal through in
  /// this thread. `set` stays until Disarm.
  /// Fails with kLimit (no timer left).
  Result<void> Arm(CounterSet& set) noexcept;
  /// After CounterSet::Stop: nothing is delivered any more, the thread's signal mask is what it
  /// was at Arm.
  void Disarm() noexcept;
  bool armed() const noexcept;
  /// After the set's counts were reset (nullptr) or set to counts[], by Reset, ReadAndReset, Write
  /// (one before Start: after Arm): what was due is done, the next deadlines are multiples of the
  /// thresholds in the new counts. Signals: safe.
  void CountsSet(const long long* counts) noexcept;
  /// Gives everything back; the owner may go afterwards: waits for a handler that still runs on
  /// another thread. The process's signal disposition is what it was when the last user has gone.
  void Release() noexcept;

  /// In a forked child: the set belongs to the parent. Touches no timer or descriptor.
  void ForgetAfterFork() noexcept;
  /// In a forked child, before anything else here: locks of threads that are not there.
  static void ProcessForked() noexcept;

  /// "sigtrap", "signal", "timer", "told"; "" before Prepare.
  const char* source() const noexcept;
  /// Why this one, in words for the user.
  const char* reason() const noexcept;
  OverflowTotals totals() const noexcept;

  struct State;

 private:
  Result<void> ArmOn(CounterSet& set, int* errno_address) noexcept;

  State* state_ = nullptr;
};

}  // namespace csink
