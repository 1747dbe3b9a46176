#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>

#include "core/perf/kernel.h"
#include "core/perf/user_read.h"
#include "core/util/cache_line.h"
#include "core/util/futex_lock.h"
#include "core/util/result.h"

/// File: the part of a counter set that is read and reset while it runs, also by signal handlers:
/// plain tables without heap. PerfCounterSet builds them.

namespace csink {

/// One perf event. A counter has one, or one a processor package. A line each, because reading
/// writes it.
struct alignas(kCacheLineBytes) CounterSlot {
  const perf_event_mmap_page* page = nullptr;  ///< User-space reads; else null
  std::uint32_t counter = 0;                   ///< Which counter its counts are added to
  RawCount now;                                ///< As read last
  RawCount base;                               ///< Where counting from zero began
};

/// Events that the kernel schedules and reads together: slots [first, first + count), in the
/// order in which the kernel lists them: the leader, then the others as they were opened.
struct CounterGroup {
  int leader_fd = -1;
  /// A group is read through its last member, which has PERF_FORMAT_GROUP; the leader has not,
  /// because a single event is read a fifth faster without.
  int read_fd = -1;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  /// More than one event, of hardware: it may lose its counters, and a read of a member does not
  /// tell. Software events are never refused theirs.
  bool may_stand_still = false;
  /// Of the processor: its counts are checked for jumps (CorrectJump).
  bool may_jump = false;
};

/// read(2) of the events that EventOpener opens answers {value, enabled, running} for one, {number,
/// enabled, running, value...} for a group (read_format of perf_event_open(2)).
constexpr std::size_t AnswerWords(std::size_t events) noexcept {
  return events > 1 ? 3 + events : 3;
}
constexpr std::size_t FirstCountWord(std::size_t events) noexcept { return events > 1 ? 3 : 0; }

/// What a counter shows is offset + what its slots counted since their bases.
struct CounterValue {
  long long offset = 0;
  long long shown = 0;  ///< Last answer. Estimates (multiplexing) never go below it
};

/// A reset in a handler may move a base past what its victim has just read: never below zero.
inline std::uint64_t Since(std::uint64_t now, std::uint64_t base) noexcept {
  std::uint64_t since;
  return __builtin_sub_overflow(now, base, &since) ? 0 : since;  // no jump
}

/// What a counter of one slot shows without scaling when `count` is read.
inline long long ShownValue(const CounterValue& value, const CounterSlot& slot,
                            std::uint64_t count) noexcept {
  return static_cast<long long>(static_cast<std::uint64_t>(value.offset) +
                                Since(count, slot.base.value));
}

/// How counts become the values that are shown.
enum class Scaling : std::uint8_t {
  kNone,
  kRunning,  ///< Kernel multiplexing: by enabled / running
  kTurns,    ///< Software multiplexing: by the time of all groups / the group's own
};

/// Counters of a virtual processor were seen to jump by multiples of 2^47: bit 47 is the sign of a
/// counter of 48 bits, and its save and restore got that wrong. Nothing counts so fast: more than
/// kMostPerNs a nanosecond, with a bound of a quarter of a jump for short times.
inline constexpr unsigned kJumpBit = 47;
inline constexpr std::uint64_t kMostPerNs = 64;

/// Takes jumps out of a counter whose count since its base is not possible, by moving the base. The
/// kernel goes on from the value that jumped, so that the later ones are right, too.
/// False: the count is impossible and no multiple of 2^47 explains it.
bool CorrectJump(CounterSlot& slot, const RawCount& now) noexcept;

/// At most this many events in a group: its values are read onto the stack.
inline constexpr std::size_t kMaxGroupEvents = 120;

/// Owns:    nothing: the arrays are PerfCounterSet's.
/// Threads: one at a time. Signals: all functions below are safe; one that interrupts another of
///          the same table sees values of before or after, never less than zero.
struct CounterTable {
  Kernel* kernel = nullptr;
  const CounterInstructions* instructions = nullptr;
  CounterSlot* slots = nullptr;
  CounterGroup* groups = nullptr;
  CounterValue* values = nullptr;
  std::size_t slot_count = 0;
  std::size_t group_count = 0;
  std::size_t value_count = 0;
  Scaling scaling = Scaling::kNone;
  bool plain_user = false;         ///< ReadPlainInUserSpace may be tried
  bool direct = false;             ///< `kernel` is the machine's own: called without the seam
  bool user_reads = false;         ///< At least one slot has a page
  std::uint64_t owner_thread = 0;  ///< ThisThread of the one thread that may use them
  std::size_t turn = 0;            ///< kTurns: the group that counts
  FutexLock turns;                 ///< kTurns: held while groups are switched or read
};

/// Brings `now` of every slot up to date: a system call a group, none for groups whose slots can
/// all be read in user space (`allow_user`). Fails with kConflict (a pinned group lost its
/// counters), or what read(2) says; slots of groups before the failing one are then up to date.
Result<void> Refresh(CounterTable& table, bool allow_user) noexcept;

/// Refresh and Evaluate in one, without a system call, for events that have pages and need no
/// scaling. Bases and last answers stay as they are. False: not now, and `values` hold nothing of
/// use; Refresh and Evaluate can tell.
bool ReadPlainInUserSpace(CounterTable& table, long long* values) noexcept;

/// Whether Refresh would ask the kernel nothing now.
bool ReadableInUserSpace(CounterTable& table) noexcept;

/// values[value_count], out of what Refresh found.
void Evaluate(CounterTable& table, long long* values) noexcept;

/// Counting begins at `now`, added to the offsets as they are.
void RebaseSlots(CounterTable& table) noexcept;

/// Counting from zero begins at `now`; values[value_count], or nullptr: zero.
void Rebase(CounterTable& table, const long long* values) noexcept;

/// Evaluate and Rebase in one, so that no count falls in between.
void EvaluateAndRebase(CounterTable& table, long long* values) noexcept;

/// `counted` times `whole` / `part`, rounded to the nearest; 0 when `part` is 0; at most 2^63 - 1.
std::uint64_t Scaled(std::uint64_t counted, std::uint64_t whole, std::uint64_t part) noexcept;

}  // namespace csink
