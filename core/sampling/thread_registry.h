#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/events/event_spec.h"
#include "core/machine/thread_times.h"
#include "core/perf/ring_buffer.h"
#include "core/sampling/event_account.h"
#include "core/sampling/first_period.h"
#include "core/sampling/soft_ring.h"

namespace csink {

/// The life of a slot goes from each state to the next, and from kEnded back to kFree.
enum class SlotState : std::uint32_t {
  kFree = 0,
  kStarting = 1,  ///< Claimed by pthread_create; the thread has not run yet.
  kLive = 2,      ///< The thread runs; its rings may fill.
  kEnded = 3,  ///< The thread has ended (PutEnded); its rings and accounts are still to be taken.
};

/// What a thread reads of itself at its end. Afterwards its clock and its folder in /proc are gone,
/// and its number may be another thread's.
struct LastReadings {
  std::uint64_t cpu_ns = 0;        ///< The thread's CPU clock
  std::uint64_t monotonic_ns = 0;  ///< CLOCK_MONOTONIC at that time
  ThreadTimes schedule;            ///< schedstat at that time
  int schedule_error = 0;          ///< errno of the reading; ENODATA: there was nothing to divide
  char name[16] = {};              ///< As ReadThreadName stores it
};

/// How a thread's wall time divides, as of a look at it (profil/inside/collector/wall_times.h).
/// Times in ns. All zero: not begun.
struct SlotTimes {
  std::uint64_t begin_ns = 0;  ///< CLOCK_MONOTONIC of the thread's begin, or of its adoption
  std::uint64_t end_ns = 0;    ///< CLOCK_MONOTONIC of the last look; 0: none yet
  std::uint64_t run_ns = 0;    ///< On a processor between them
  std::uint64_t wait_ns = 0;   ///< Runnable, but waiting for a processor, as of the last reading
  std::uint64_t turns = 0;     ///< How often it was given a processor
  std::uint64_t undivided_ns = 0;  ///< Waiting or blocked since the last reading of schedstat
  std::uint64_t read_run_ns = 0;   ///< run_ns at the last reading of schedstat
  std::uint64_t read_off_ns = 0;   ///< Wall time less run_ns at the last reading
  ThreadTimes before;              ///< schedstat at begin_ns; zero for a new thread
  int error = 0;                   ///< errno of the last reading that failed; 0: it succeeded
  bool unreadable = false;         ///< `before` is not known, so nothing can be divided
};

/// All that is known about one thread of the program. A free slot is all zero, so that the table is
/// untouched .bss memory; Claim sets the fields that are not zero.
/// Owns:    the rings, until Release; the soft ring for ever.
/// Threads: any thread may read `state` and `tid`. Rings and counters are used under the
/// collector's lock, the start fields by the creating thread and then by the thread itself.
struct ThreadSlot {
  std::atomic<SlotState> state{SlotState::kFree};
  std::atomic<pid_t> tid{0};
  bool hooked = false;  ///< Started through our trampoline, which will report its end.
  bool is_main = false;
  /// A child process that shares this memory (vfork). Not in the registry.
  bool is_child = false;
  bool records_mappings = false;  ///< Its first ring records mappings, too.
  bool timer_blocked = false;   ///< Timer source, and the thread's signal mask blocked the signal.
  std::uint8_t ring_count = 0;  ///< Rings mapped, one per event; 0: a soft ring, or nothing.
  // `timer` and `rings`: written under the rule of `resting`, and read by the tick's handler on the
  // slot's thread.
  std::atomic<int> timer{0};  ///< POSIX timer of the timer source, -1: none.
  RingBuffer rings[kMaxEventSpecs];
  FirstPeriod first[kMaxEventSpecs];  ///< By ring; set when the thread is armed
  std::atomic<SoftRing*> soft{
      nullptr};  ///< Timer source only; stays with the slot for the slot's next thread.
  /// What the program passed to pthread_create or thrd_create. Written by the creating thread, read
  /// by the new one.
  void (*start_routine)() = nullptr;  ///< pthread or C11 thread function; its trampoline casts back
  void* start_argument = nullptr;
  /// Clocks and sums of the thread. CPU times are those of its CLOCK_THREAD_CPUTIME_ID, in ns.
  std::uint64_t armed_cpu_ns = 0;    ///< The thread's CPU clock when its events were opened.
  std::uint64_t before_cpu_ns = 0;   ///< Its CPU clock before that, at the latest.
  std::uint64_t drained_cpu_ns = 0;  ///< The thread's CPU clock at the last drain.
  std::uint64_t samples = 0;         ///< Of all events.
  std::uint64_t clock_weight = 0;    ///< Sampled CPU time in ns, of clock events only.
  /// Samples that the ring had no room for, and CPU time in which a blocked signal kept the timer
  /// source from sampling.
  std::uint64_t lost_records = 0;
  std::uint64_t blocked_lost_ns = 0;
  bool left_alone = false;         ///< RingSource::LeavesAlone, of the last drain
  std::uint32_t spool_thread = 0;  ///< Index of its record in the spool; spool::kNone: none yet.
  /// Its row in the time line + 1; 0: none. Only valid if the row names spool_thread.
  std::uint8_t time_row = 0;
  bool assumed_blocked = false;  ///< The creator assumes that the thread blocks our drain signal.
  std::uint32_t end_rounds = 0;  ///< Calls of the thread-specific destructor so far.
  // Written under the collector's lock, or before the slot is kLive. The slot's own thread reads
  // without the lock.
  std::atomic<bool> in_pause{false};  ///< Its CPU time since pause_from_ns counts as paused.
  std::atomic<bool> resting{false};   ///< A pause has closed its events.
  std::uint64_t pause_from_ns = 0;    ///< The thread's CPU clock when its pause began.
  std::uint64_t paused_ns = 0;        ///< CPU time in earlier pauses.
  /// Where the last sample of the thread was placed in the spool. `epoch`: Collector::epoch at that
  /// time; 0: no sample was placed.
  struct LastPlace {
    std::uint64_t pc = 0;
    std::uint32_t region = 0;
    std::uint32_t chain = 0;
    std::uint32_t epoch = 0;
  };
  LastPlace last_place;  ///< Under the collector's lock
  /// Bytes of the stack in its samples, if they are more than those of other threads; else 0.
  std::uint32_t stack_bytes = 0;
  std::uint32_t stack_samples = 0;  ///< Samples with a stack since its events were opened
  std::uint32_t short_stacks = 0;   ///< Of these, the caller was behind the copied part
  bool stack_is_final = false;      ///< The copy cannot grow further
  bool switched_off = false;        ///< The program disabled the thread's events at off_from_ns.
  std::uint64_t off_from_ns = 0;
  std::uint64_t off_ns = 0;  ///< CPU time in earlier such phases.
  /// As ReadThreadName stores it; "": not read yet.
  char name[16] = {};
  /// begin_ns: written by the creating thread, where a hook saw it.
  SlotTimes times;
  /// times.begin_ns as of the thread's start, for the thread itself: `times` is under the lock.
  std::uint64_t created_ns = 0;
  /// With CSINK_CRITICAL: what is known of the thread's begin, and of its last context switch.
  struct Timed {
    std::uint64_t start_ns = 0;  ///< CLOCK_MONOTONIC of its first instruction of ours; 0: unknown
    std::uint64_t handle = 0;    ///< pthread_self
    pid_t creator = 0;           ///< 0: the process's first thread, or not known
    unsigned char last_switch = 0;  ///< A Switch; 0: none, or records were lost since
    bool begin_is_written = false;
    std::uint64_t last_record_ns = 0;  ///< Of its last record that had a time
  };
  Timed timed;
  /// Written by the slot's thread before kEnded; valid in that state.
  LastReadings end;
  ThreadSlot* next_ended = nullptr;  ///< The next one in the list of PutEnded
  /// Accounts of the events that need a counter; only the first `account_count` may differ from
  /// zero. They stand last in the slot: where no such event is sampled, this memory is never
  /// touched.
  std::uint8_t account_count = 0;
  EventAccount accounts[kMaxEventSpecs];

  /// Whether the thread is sampled, by rings or by a timer.
  bool armed() const noexcept { return ring_count > 0 || timer >= 0; }
  /// Whether the thread has ended and left its readings in `end`.
  bool has_ended() const noexcept {
    return state.load(std::memory_order_acquire) == SlotState::kEnded;
  }
  /// Clears the accounts. The slot gets another thread, or its thread other events.
  void ForgetAccounts() noexcept {
    for (std::size_t i = 0; i < account_count; ++i) accounts[i] = {};
    account_count = 0;
  }
};

/// The threads of the program, in a fixed table in static storage: neither a new thread nor a
/// signal handler ever needs to allocate.
/// Owns:    the slots. Threads: any; Claim, Release and PutEnded are lock-free. TakeEnded: one at a
/// time (the collector's lock).
/// Signals: safe.
class ThreadRegistry {
 public:
  /// Threads at one time. A program with more is sampled in part.
  static constexpr std::size_t kSlots = 4096;

  /// Claims a free slot, in state kStarting; nullptr: the table is full. The caller owns the slot
  /// until Release.
  ThreadSlot* Claim() noexcept;
  /// Frees a slot. Its rings must have been unmapped and its timer deleted: neither is done here.
  void Release(ThreadSlot& slot) noexcept;
  /// The slot of the live thread `tid`; nullptr: there is none. A linear search.
  ThreadSlot* Find(pid_t tid) noexcept;
  /// The same, or else a slot of a thread `tid` that has ended.
  ThreadSlot* FindWithEnded(pid_t tid) noexcept;

  /// The slot's thread, which calls this, ends: the slot goes from kLive to kEnded and into the
  /// list of TakeEnded. `slot.end` is complete. Returns false, with nothing changed, if the slot is
  /// not live. Never waits.
  bool PutEnded(ThreadSlot& slot) noexcept;
  /// Takes the slot that was put last out of the list; it stays kEnded until Release. nullptr: the
  /// list is empty.
  ThreadSlot* TakeEnded() noexcept;
  /// The number of slots in the list, about.
  std::size_t ended() const noexcept { return ended_.load(std::memory_order_relaxed); }

  /// The slot at this address; nullptr: no slot begins there. For addresses that a signal carried.
  ThreadSlot* FromAddress(std::uintptr_t address) noexcept {
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(slots_);
    if (offset >= sizeof slots_ || offset % sizeof(ThreadSlot) != 0) return nullptr;
    return &slots_[offset / sizeof(ThreadSlot)];
  }

  /// One past the highest slot ever used: a sweep looks at [0, high_water()).
  std::size_t high_water() const noexcept { return high_water_.load(std::memory_order_acquire); }
  /// `index` must be below kSlots. The slot may be free, and may change its state at any time.
  ThreadSlot& at(std::size_t index) noexcept { return slots_[index]; }
  /// The number of slots that are neither free nor kEnded.
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

  /// In a forked child: frees all slots, and gives up ring mappings without unmapping them (the
  /// kernel did not copy them).
  void ResetAfterFork() noexcept;

 private:
  static constexpr std::size_t kWords = kSlots / 64;
  /// Takes the bit of a slot. Returns false if the slot is taken.
  bool TakeBit(std::size_t index) noexcept;
  /// The slot whose bit the caller has taken, in state kStarting.
  ThreadSlot& Begin(std::size_t index) noexcept;

  /// A bit for each slot that is not free. The slots themselves are 1.3 KiB apart: Claim would read
  /// a cache line for each one that is taken.
  std::atomic<std::uint64_t> taken_[kWords] = {};
  /// The slot freed last, where Claim begins.
  std::atomic<std::size_t> hint_{0};
  /// Only grows: a sweep looks at each slot that was ever used.
  std::atomic<std::size_t> high_water_{0};
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> ended_{0};
  std::atomic<ThreadSlot*> last_ended_{nullptr};  ///< Begin of the list
  /// Last, so that the words above and the slot of main lie in one page.
  ThreadSlot slots_[kSlots];
};

}  // namespace csink
