#include "core/counting/counter_sets/perf_counter_set.h"
#include "core/perf/perf_event.h"
#include "core/util/thread_id.h"

/// File: the calls of a set that a signal handler may make: read, reset, switch on and off. They
/// use no heap and no lock that may wait.

namespace csink {
namespace {

Error SwitchError(long answer) noexcept {
  const int error = static_cast<int>(-answer);
  return Error{ErrcFromErrno(error), error, "the counters could not be enabled or disabled"};
}

}  // namespace

Result<void> PerfCounterSet::SwitchOn() noexcept {
  if (table_.scaling == Scaling::kTurns) {
    // Starts with the first group; the others follow by the timer.
    return turns_.Start(table_, counted_tid_, options_.multiplex_slice_ns);
  }
  for (std::size_t g = 0; g < table_.group_count; ++g) {
    const long r = SwitchEvent(kernel_, table_.groups[g].leader_fd, true);
    if (r >= 0) continue;
    // All groups or none: a set that counts in part would show wrong sums.
    while (g > 0) SwitchEvent(kernel_, table_.groups[--g].leader_fd, false);
    return SwitchError(r);
  }
  return {};
}

Result<void> PerfCounterSet::SwitchOff() noexcept {
  if (table_.scaling == Scaling::kTurns) {
    turns_.Stop(table_);
    return {};
  }
  // All groups are tried, so that none goes on counting because another one failed.
  long worst = 0;
  for (std::size_t g = 0; g < table_.group_count; ++g) {
    const long r = SwitchEvent(kernel_, table_.groups[g].leader_fd, false);
    if (r < 0) worst = r;
  }
  if (worst < 0) return SwitchError(worst);
  return {};
}

// Switches the leader, whichever member is throttled. On Linux 6.16 and later the kernel stops the
// whole group. And a member on another software PMU than its leader's (cpu-clock beside task-clock)
// that is enabled alone counts nothing until the next context switch (docs/design/overflow.md).
void PerfCounterSet::EndThrottle(std::size_t i) noexcept {
  if (!switched_on_.load(std::memory_order_seq_cst)) return;
  const bool turns = table_.scaling == Scaling::kTurns;
  // The holder of the lock is switching the groups itself, which ends the throttle.
  if (turns && !table_.turns.TryLock(AskTid())) return;
  for (std::size_t g = 0; g < table_.group_count; ++g) {
    const CounterGroup& group = table_.groups[g];
    if (turns && g != table_.turn) continue;
    bool is_there = false;
    for (std::uint32_t s = 0; s < group.count; ++s) {
      is_there = is_there || table_.slots[group.first + s].counter == i;
    }
    if (!is_there) continue;
    SwitchEvent(kernel_, group.leader_fd, false);
    SwitchEvent(kernel_, group.leader_fd, true);
    // Another thread may have begun to stop the set. Whichever of its calls and ours comes last
    // must switch the group off.
    if (!switched_on_.load(std::memory_order_seq_cst)) {
      SwitchEvent(kernel_, group.leader_fd, false);
    }
  }
  if (turns) table_.turns.Unlock();
}

// Takes the lock of software multiplexing, so that no group is exchanged for the next during a
// read. Returns false if another function holds the lock, or if the lock is not needed.
bool PerfCounterSet::TurnsTaken() noexcept {
  return table_.scaling == Scaling::kTurns && table_.turns.TryLock(AskTid());
}

Result<void> PerfCounterSet::RefreshRunning() noexcept {
  // Read all the same if the lock is held: then this is a handler inside of a switch, and a value
  // from before or after the switch is right.
  const bool taken = TurnsTaken();
  const Result<void> read = Refresh(table_, true);
  if (taken) table_.turns.Unlock();
  return read;
}

bool PerfCounterSet::ReadableInUserSpace() noexcept { return csink::ReadableInUserSpace(table_); }

Result<void> PerfCounterSet::Read(long long* values) noexcept {
  if (!running_) {
    for (std::size_t i = 0; i < table_.value_count; ++i) values[i] = table_.values[i].shown;
    return {};
  }
  // The fast way first: one pass without locks.
  if (table_.plain_user && ReadPlainInUserSpace(table_, values)) return {};
  // One system call a group, or none with pages (Refresh).
  const Result<void> read = RefreshRunning();
  if (HasValues(read)) Evaluate(table_, values);
  return read;
}

Result<void> PerfCounterSet::Reset() noexcept {
  if (running_) {
    if (const Result<void> read = RefreshRunning(); !HasValues(read)) return read;
  }
  Rebase(table_, nullptr);
  written_ = false;
  return {};
}

Result<void> PerfCounterSet::ReadAndReset(long long* values) noexcept {
  if (!running_) {
    const Result<void> read = Read(values);
    Rebase(table_, nullptr);
    written_ = false;
    return read;
  }
  const Result<void> read = RefreshRunning();
  if (HasValues(read)) EvaluateAndRebase(table_, values);
  return read;
}

Result<void> PerfCounterSet::Write(const long long* values) noexcept {
  if (running_) {
    if (const Result<void> read = RefreshRunning(); !HasValues(read)) return read;
  } else {
    // Start then begins from these values (Start, RebaseSlots).
    written_ = true;
  }
  Rebase(table_, values);
  return {};
}

void PerfCounterSet::Times(std::size_t i, std::uint64_t* enabled_ns,
                           std::uint64_t* running_ns) const noexcept {
  *enabled_ns = *running_ns = 0;
  std::uint64_t all_turns_ns = 0;
  for (std::size_t g = 0; g < table_.group_count; ++g) {
    const CounterGroup& group = table_.groups[g];
    // All events of a group have the leader's times.
    const CounterSlot& leader = table_.slots[group.first];
    const std::uint64_t enabled = leader.now.enabled_ns - leader.base.enabled_ns;
    all_turns_ns += enabled;
    for (std::uint32_t s = 0; s < group.count; ++s) {
      if (table_.slots[group.first + s].counter != i) continue;
      *enabled_ns += enabled;
      *running_ns += leader.now.running_ns - leader.base.running_ns;
    }
  }
  // With turns of our own the kernel's times of a group are equal: the group is on for its turn and
  // off for the rest. The time of all turns is what PAPI calls enabled.
  if (table_.scaling == Scaling::kTurns) *enabled_ns = all_turns_ns;
}

}  // namespace csink
