#include <atomic>
#include <cstring>

#include "core/counting/counters/counter_table.h"
#include "core/util/raw_syscall.h"

// A read has two steps. Refresh stores what each event has counted in the slots' `now`, by rdpmc or
// by one read(2) a group. Evaluate computes the counters' values from the slots: offset + (now -
// base), scaled where the set is multiplexed. A reset moves the bases and changes nothing in the
// kernel. A handler may do both while another read of the same set is interrupted, so each slot is
// valid after every store, and differences below 0 are shown as 0 (Since).

namespace csink {
namespace {

// Values are shown as long long.
constexpr std::uint64_t kMost = INT64_MAX;

std::atomic<std::uint64_t> g_threads{0};
// initial-exec: the dynamic models call __tls_get_addr, which may allocate in a signal handler.
thread_local std::uint64_t t_number __attribute__((tls_model("initial-exec"))) = 0;

/// A quick test: nearly no count is that large, and CorrectJump accepts those that are correct.
bool MayHaveJumped(std::uint64_t since) noexcept { return since >> (kJumpBit - 1) != 0; }

// Reads `count` slots by their pages. Returns false if one of them needs the kernel; the slots
// before that one are then up to date, which does no harm.
bool ReadInUserSpace(const CounterTable& table, CounterSlot* slots, std::size_t count) noexcept {
  const bool with_times = table.scaling != Scaling::kNone;
  for (std::size_t i = 0; i < count; ++i) {
    if (!slots[i].page) return false;
    RawCount now;
    if (!UserRead(*slots[i].page, *table.instructions, with_times, now)) return false;
    // The correction needs the running time, which the read by the kernel gives.
    if (MayHaveJumped(now.value - slots[i].base.value)) return false;
    slots[i].now = now;
  }
  return true;
}

Error ReadError(long answer) noexcept {
  if (answer >= 0) {
    return Error{Errc::kConflict, 0,
                 "the events could not be scheduled: other programs use the counters"};
  }
  const int error = static_cast<int>(-answer);
  return Error{ErrcFromErrno(error), error, "the counters could not be read"};
}

// Whether a pinned group lost its counters. The kernel reports that (by end of file) to a read of
// the leader alone; in a read of a member the group's times stand still, which may have other
// reasons.
bool HasLostItsCounters(const CounterTable& table, const CounterGroup& group) noexcept {
  std::uint64_t words[3];
  return table.kernel->EventRead(group.leader_fd, words, sizeof words) == 0;
}

// Reads without the Kernel interface where possible: right after a system call the processor's
// branch predictors are empty, and the call through a pointer costs 10 ns.
long ReadEvent(const CounterTable& table, int fd, void* buffer, std::size_t size_bytes) noexcept {
  if (table.direct) {
    return RawSyscall(SYS_read, fd, SyscallArg(buffer), static_cast<long>(size_bytes));
  }
  return table.kernel->EventRead(fd, buffer, size_bytes);
}

Error JumpError() noexcept {
  return Error{Errc::kSystem, 0,
               "a counter of this (virtual) processor jumped: its count is not valid"};
}

Result<void> ReadByKernel(const CounterTable& table, const CounterGroup& group) noexcept {
  CounterSlot* slots = table.slots + group.first;
  std::uint64_t words[3 + kMaxGroupEvents];
  // The read is of the last member, which has PERF_FORMAT_GROUP (CounterGroup::read_fd).
  const std::size_t wanted = AnswerWords(group.count) * sizeof words[0];
  const long answer = ReadEvent(table, group.read_fd, words, wanted);
  if (answer != static_cast<long>(wanted)) return ReadError(answer);
  const bool stood_still = words[2] == slots[0].now.running_ns;
  // A second system call only where the time has not moved since the last read.
  if (group.may_stand_still && stood_still && HasLostItsCounters(table, group)) return ReadError(0);
  const std::uint64_t* values = words + FirstCountWord(group.count);
  bool known = true;
  for (std::size_t i = 0; i < group.count; ++i) {
    // Stored even when this read fails: the next start measures from here.
    slots[i].now = {values[i], words[1], words[2]};
    if (!group.may_jump || !MayHaveJumped(values[i] - slots[i].base.value)) continue;
    known = CorrectJump(slots[i], slots[i].now) && known;
  }
  return known ? Result<void>() : Result<void>(JumpError());
}

// The time in which any group was on. In software multiplexing exactly one group is on at a time,
// so this is the sum over the groups.
std::uint64_t TimeOfAllTurns(const CounterTable& table) noexcept {
  std::uint64_t total = 0;
  for (std::size_t g = 0; g < table.group_count; ++g) {
    const CounterSlot& leader = table.slots[table.groups[g].first];
    total += Since(leader.now.enabled_ns, leader.base.enabled_ns);
  }
  return total;
}

std::uint64_t Counted(const CounterTable& table, const CounterSlot& slot, const RawCount& now,
                      std::uint64_t all_turns_ns) noexcept {
  const std::uint64_t counted = Since(now.value, slot.base.value);
  if (table.scaling == Scaling::kNone) return counted;
  const std::uint64_t running = Since(now.running_ns, slot.base.running_ns);
  const std::uint64_t whole =
      table.scaling == Scaling::kTurns ? all_turns_ns : Since(now.enabled_ns, slot.base.enabled_ns);
  return Scaled(counted, whole, running);
}

// One loop for Evaluate and EvaluateAndRebase, compiled twice. `now` is copied before the base is
// set: a handler's read in between may have renewed the slot, and the base must be exactly what was
// added to the value.
template <bool kRebase>
void Sum(CounterTable& table, long long* values) noexcept {
  for (std::size_t i = 0; i < table.value_count; ++i) values[i] = table.values[i].offset;
  const std::uint64_t all = table.scaling == Scaling::kTurns ? TimeOfAllTurns(table) : 0;
  for (std::size_t s = 0; s < table.slot_count; ++s) {
    CounterSlot& slot = table.slots[s];
    const RawCount now = slot.now;
    values[slot.counter] = static_cast<long long>(static_cast<std::uint64_t>(values[slot.counter]) +
                                                  Counted(table, slot, now, all));
    if (kRebase) slot.base = now;
  }
  for (std::size_t i = 0; i < table.value_count; ++i) {
    CounterValue& value = table.values[i];
    // With scaling a value is an estimate, and a later estimate may be lower. A value that the user
    // has seen never goes down.
    if (table.scaling != Scaling::kNone && values[i] < value.shown) values[i] = value.shown;
    value.shown = kRebase ? 0 : values[i];
    if (kRebase) value.offset = 0;
  }
}

}  // namespace

std::uint64_t ThisThread() noexcept {
  // A signal handler that runs between the test and the store gives the thread a number that is
  // then replaced. The only effect: what the handler opened looks like another thread's.
  if (t_number == 0) t_number = g_threads.fetch_add(1, std::memory_order_relaxed) + 1;
  return t_number;
}

bool CorrectJump(CounterSlot& slot, const RawCount& now) noexcept {
  constexpr std::uint64_t kJump = std::uint64_t{1} << kJumpBit;
  const std::uint64_t running_ns = Since(now.running_ns, slot.base.running_ns);
  // The first branch avoids an overflow of the product. After 37 minutes `most` exceeds one jump,
  // which then cannot be distinguished from a count.
  const std::uint64_t most =
      running_ns > (kMost >> 8) / kMostPerNs ? kMost >> 8 : running_ns * kMostPerNs + kJump / 4;
  const std::uint64_t since = now.value - slot.base.value;  // two's complement: may be negative
  // A reset in a signal handler may have moved the base a little above `now`; that is no jump.
  if (since <= most || 0 - since < kJump / 4) return true;
  // The count is what remains below a multiple of 2^47. The mask also handles a jump backwards,
  // which reads as 2^64 - n * 2^47.
  const std::uint64_t counted = since & (kJump - 1);
  if (counted > most) return false;
  slot.base.value = now.value - counted;
  return true;
}

bool ReadPlainInUserSpace(CounterTable& table, long long* values) noexcept {
  if (table.owner_thread != ThisThread()) return false;
  for (std::size_t i = 0; i < table.slot_count; ++i) {
    const CounterSlot& slot = table.slots[i];
    RawCount now;
    if (!slot.page || !UserRead(*slot.page, *table.instructions, false, now)) return false;
    if (MayHaveJumped(now.value - slot.base.value)) return false;
    values[slot.counter] = ShownValue(table.values[slot.counter], slot, now.value);
  }
  return true;
}

Result<void> Refresh(CounterTable& table, bool allow_user) noexcept {
  const bool user = allow_user && table.user_reads && table.owner_thread == ThisThread();
  Result<void> first_failure;
  for (std::size_t g = 0; g < table.group_count; ++g) {
    const CounterGroup& group = table.groups[g];
    if (user && ReadInUserSpace(table, table.slots + group.first, group.count)) continue;
    const Result<void> read = ReadByKernel(table, group);
    if (!read && first_failure) first_failure = read;
  }
  if (!first_failure && first_failure.error().code == Errc::kConflict && table.group_count > 1) {
    return Error{
        Errc::kLost, 0,
        "some events lost their counters (other programs use them, or a CPU went offline): "
        "their counts are those of before"};
  }
  return first_failure;
}

bool ReadableInUserSpace(CounterTable& table) noexcept {
  if (!table.user_reads || table.owner_thread != ThisThread()) return false;
  return ReadInUserSpace(table, table.slots, table.slot_count);
}

void Evaluate(CounterTable& table, long long* values) noexcept { Sum<false>(table, values); }

void EvaluateAndRebase(CounterTable& table, long long* values) noexcept {
  Sum<true>(table, values);
}

void RebaseSlots(CounterTable& table) noexcept {
  for (std::size_t s = 0; s < table.slot_count; ++s) table.slots[s].base = table.slots[s].now;
}

void Rebase(CounterTable& table, const long long* values) noexcept {
  RebaseSlots(table);
  for (std::size_t i = 0; i < table.value_count; ++i) {
    table.values[i].offset = table.values[i].shown = values ? values[i] : 0;
  }
}

std::uint64_t Scaled(std::uint64_t counted, std::uint64_t whole, std::uint64_t part) noexcept {
  if (part == 0) return 0;
  if (whole == part) return counted;
  // 128 bits: count times nanoseconds exceeds 64 bits after minutes.
  // part / 2: the division rounds to the nearest.
  const unsigned __int128 product = static_cast<unsigned __int128>(counted) * whole + part / 2;
  const unsigned __int128 scaled = product / part;
  return scaled > kMost ? kMost : static_cast<std::uint64_t>(scaled);
}

}  // namespace csink
