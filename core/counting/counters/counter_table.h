#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>

#include "core/perf/kernel.h"
#include "core/perf/user_read.h"
#include "core/util/cache_line.h"
#include "core/util/futex_lock.h"
#include "core/util/result.h"

/// File: the part of a counter set that is read and reset while the set runs, also by signal
/// handlers: plain tables without heap. PerfCounterSet builds the tables.

namespace csink {

/// One perf event of a counter. A counter has one event, or one on each processor package. Each
/// slot has a cache line of its own, because a read writes to the slot.
struct alignas(kCacheLineBytes) CounterSlot {
  const perf_event_mmap_page* page = nullptr;  ///< User-space reads; else null
  std::uint32_t counter = 0;  ///< Index of the counter that its counts are added to
  RawCount now;               ///< As last read
  RawCount base;              ///< The values at which the counter shows zero
};

/// Events that the kernel schedules and reads together: slots [first, first + count), in the order
/// in which the kernel reports them: the leader, then the members as they were opened.
struct CounterGroup {
  /// Switches the group: members are enabled and count whenever their leader does.
  int leader_fd = -1;
  /// A group is read through its last member, which is opened with PERF_FORMAT_GROUP. The leader is
  /// opened without, because a set of a single event is read a fifth faster so.
  int read_fd = -1;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  /// A group of several hardware events may lose its counters while it runs, and a read of a member
  /// does not report that. Software events never lose theirs.
  bool may_stand_still = false;
  /// An event of the processor: its counts are checked for jumps (CorrectJump).
  bool may_jump = false;
};

/// The layout of what read(2) returns for events of EventOpener, in 64-bit words: {value, enabled,
/// running} for a single event, {number, enabled, running, value...} for a group (read_format of
/// perf_event_open(2)). AnswerWords: the words in all; FirstCountWord: where the counts begin.
constexpr std::size_t AnswerWords(std::size_t events) noexcept {
  return events > 1 ? 3 + events : 3;
}
constexpr std::size_t FirstCountWord(std::size_t events) noexcept { return events > 1 ? 3 : 0; }

/// The value of a counter is `offset` plus what its slots counted since their bases.
struct CounterValue {
  /// Set by Write and Rebase; 0 after a reset.
  long long offset = 0;
  long long shown = 0;  ///< The last value returned. Estimates (multiplexing) never go below it
};

/// `now` - `base`, and 0 where that is negative: a reset in a signal handler may move a base past
/// the value that the interrupted code has just read.
inline std::uint64_t Since(std::uint64_t now, std::uint64_t base) noexcept {
  std::uint64_t since;
  return __builtin_sub_overflow(now, base, &since) ? 0 : since;  // compiles without a branch
}

/// The value of a counter with one slot and without scaling, when its event reads `count`.
inline long long ShownValue(const CounterValue& value, const CounterSlot& slot,
                            std::uint64_t count) noexcept {
  return static_cast<long long>(static_cast<std::uint64_t>(value.offset) +
                                Since(count, slot.base.value));
}

/// How counts become the values that are shown.
enum class Scaling : std::uint8_t {
  kNone,
  kRunning,  ///< Multiplexing by the kernel: counts are scaled by enabled / running time
  kTurns,    ///< Multiplexing by us: counts are scaled by the time of all groups / the group's own
};

/// Counters of a virtual processor were seen to jump by multiples of 2^47: bit 47 is the sign bit
/// of a 48-bit counter, and the hypervisor's save and restore got it wrong. A count is impossible
/// where it exceeds kMostPerNs events a nanosecond, plus a quarter of a jump for short times
/// (docs/design/counting.md).
inline constexpr unsigned kJumpBit = 47;
inline constexpr std::uint64_t kMostPerNs = 64;

/// Removes jumps from a counter whose count since its base is impossible, by moving the base. The
/// kernel continues from the value that jumped, so later counts are right, too. Returns false if
/// the count is impossible and no multiple of 2^47 explains it.
bool CorrectJump(CounterSlot& slot, const RawCount& now) noexcept;

/// The most events of one group: their values are read onto the stack (about 1 KiB).
inline constexpr std::size_t kMaxGroupEvents = 120;

/// A number that identifies the calling thread, from 1 on: no other thread of this process ever had
/// it or will get it. A thread id, or the address of thread-local data, may be used again by a
/// later thread. The child of a fork keeps its parent's number. Makes no system call: a
/// thread-local variable.
/// Threads: any. Signals: safe.
std::uint64_t ThisThread() noexcept;

/// What the functions below work on.
/// Owns:    nothing: the arrays belong to PerfCounterSet.
/// Threads: one at a time.
/// Signals: all functions below are safe. A handler that interrupts one of them on the same table
/// sees values from before or after, never below zero.
struct CounterTable {
  /// For switching and reading; never null once a set is configured.
  Kernel* kernel = nullptr;
  const CounterInstructions* instructions = nullptr;
  /// slots[slot_count], groups[group_count] and values[value_count].
  CounterSlot* slots = nullptr;
  CounterGroup* groups = nullptr;
  CounterValue* values = nullptr;
  std::size_t slot_count = 0;
  std::size_t group_count = 0;
  std::size_t value_count = 0;
  Scaling scaling = Scaling::kNone;
  bool plain_user = false;         ///< ReadPlainInUserSpace is worth a try
  bool direct = false;             ///< `kernel` is the machine's own and may be bypassed
  bool user_reads = false;         ///< At least one slot has a page
  std::uint64_t owner_thread = 0;  ///< ThisThread() of the only thread that may use the pages
  std::size_t turn = 0;            ///< kTurns: index of the group that counts now
  FutexLock turns;                 ///< kTurns: held while groups are switched or read
};

/// Updates `now` of every slot: one system call for each group, none for groups whose slots can all
/// be read in user space (`allow_user`).
/// Errors: kConflict (the only group lost its counters), kLost (one of several did; its slots keep
/// their last counts), kSystem (a jump that cannot be corrected), or ErrcFromErrno of read(2).
/// The slots of the groups that can be read are up to date in any case.
Result<void> Refresh(CounterTable& table, bool allow_user) noexcept;

/// Whether Evaluate may follow this result of Refresh. After kLost some values are lower bounds.
inline bool HasValues(const Result<void>& refreshed) noexcept {
  return refreshed || refreshed.error().code == Errc::kLost;
}

/// Refresh and Evaluate in one, without a system call, for events that have pages and need no
/// scaling. Changes neither bases nor last values. Returns false if this is not possible now:
/// `values` is then undefined, and Refresh must be called.
bool ReadPlainInUserSpace(CounterTable& table, long long* values) noexcept;

/// Whether Refresh would make no system call now. Tries it: `now` of the slots may be changed.
bool ReadableInUserSpace(CounterTable& table) noexcept;

/// Stores the values of all counters in values[value_count], from what Refresh found. Sets
/// CounterValue::shown.
void Evaluate(CounterTable& table, long long* values) noexcept;

/// Makes `now` the base of every slot, and keeps the counters' offsets.
void RebaseSlots(CounterTable& table) noexcept;

/// Makes `now` the base of every slot and sets the counters to values[value_count]; nullptr: to
/// zero.
void Rebase(CounterTable& table, const long long* values) noexcept;

/// Evaluate and Rebase to zero in one, so that no count is lost in between.
void EvaluateAndRebase(CounterTable& table, long long* values) noexcept;

/// `counted` times `whole` / `part`, rounded to the nearest; 0 when `part` is 0; at most 2^63 - 1,
/// the largest value that PAPI can show.
std::uint64_t Scaled(std::uint64_t counted, std::uint64_t whole, std::uint64_t part) noexcept;

}  // namespace csink
