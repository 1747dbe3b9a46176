#include <errno.h>

#include "core/counting/counters/slice_timer.h"
#include "core/perf/perf_event.h"
#include "core/util/thread_id.h"

// File: one group is on at a time. The tick's handler switches to the next one; reads and stops
// hold the table's lock, at which the handler gives up its turn.

namespace csink {
namespace {

// Only leaders are switched; their members follow.
long Switch(const CounterTable& table, std::size_t group, bool on) noexcept {
  return SwitchEvent(*table.kernel, table.groups[group].leader_fd, on);
}

// The tick's handler; runs on the counted thread.
void NextTurn(void* argument, std::uint64_t, void*) noexcept {
  CounterTable& table = *static_cast<CounterTable*>(argument);
  // The lock is held while the set is read or stopped. The group then keeps its turn for another
  // slice: a handler must not wait for the thread that it interrupted.
  if (!table.turns.TryLock(AskTid())) return;
  // Off before on: both groups may need the same counters.
  const std::size_t next = (table.turn + 1) % table.group_count;
  Switch(table, table.turn, false);
  Switch(table, next, true);
  table.turn = next;
  table.turns.Unlock();
}

Error TimerError(const Error& error) noexcept {
  // timer_create(2) refuses the CPU clock of a thread of another process with EINVAL.
  if (error.sys_errno != EINVAL && error.sys_errno != ESRCH) return error;
  return Error{Errc::kUnsupported, error.sys_errno,
               "software multiplexing can count threads of this process only"};
}

}  // namespace

Result<void> SliceTimer::Start(CounterTable& table, pid_t tid, std::uint64_t slice_ns) noexcept {
  if (table.group_count == 0) return {};
  table.turn = 0;
  const long r = Switch(table, 0, true);
  if (r < 0) {
    const int error = static_cast<int>(-r);
    return Error{ErrcFromErrno(error), error, "the counters could not be started"};
  }
  if (table.group_count == 1) return {};  // a single group counts all the time, without a timer
  if (slice_ns == 0) slice_ns = kDefaultSliceNs;
  const Result<void> ticks = tick_.Start(*table.kernel, tid, slice_ns, NextTurn, &table);
  if (ticks) return {};
  Switch(table, 0, false);
  return TimerError(ticks.error());
}

void SliceTimer::Stop(CounterTable& table) noexcept {
  // First: a tick behind the switch would enable the next group again.
  tick_.Stop();
  if (table.group_count > 0) Switch(table, table.turn, false);
}

}  // namespace csink
