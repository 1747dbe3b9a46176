#include <errno.h>

#include "core/machine/clocks.h"
#include "core/machine/thread_name.h"
#include "core/sampling/ring_source.h"
#include "core/util/raw_syscall.h"
#include "profil/inside/collector/time_line.h"
#include "profil/inside/collector/wall_times.h"
#include "profil/inside/spool/writer.h"

/// File: divides a thread's wall time. The CPU clock costs little and gives the running time;
/// schedstat is read only for what the clock leaves open.

namespace csink {
namespace {

// The difference, or 0: two clocks that are read one after the other may cross.
std::uint64_t Less(std::uint64_t from, std::uint64_t what) noexcept {
  return from > what ? from - what : 0;
}

std::uint64_t AtMost(std::uint64_t value, std::uint64_t most) noexcept {
  return value < most ? value : most;
}

// As Kernel::ScheduleTimes. The number of a thread that has ended may be another thread's by now.
long ScheduleTimesOf(Kernel& kernel, const ThreadSlot& slot, ThreadTimes& times) noexcept {
  if (!slot.has_ended()) {
    return kernel.ScheduleTimes(slot.tid.load(std::memory_order_relaxed), &times);
  }
  if (slot.end.schedule_error != 0) return -slot.end.schedule_error;
  times = slot.end.schedule;
  return 0;
}

}  // namespace

void BeginWallTimes(Kernel& kernel, ThreadSlot& slot, std::uint64_t cpu_ns,
                    std::uint64_t now_ns) noexcept {
  SlotTimes& times = slot.times;
  // The thread's creator has begun them: the times of a thread begin with its creation.
  if (times.begin_ns != 0) return;
  times.begin_ns = now_ns;
  const pid_t tid = slot.tid.load(std::memory_order_relaxed);
  const long r = kernel.ScheduleTimes(tid, &times.before);
  times.unreadable = r < 0;
  if (r < 0) times.error = static_cast<int>(-r);
  // The first number of schedstat lacks the time since the last tick where the thread runs; its CPU
  // clock has it.
  times.before.run_ns = cpu_ns;
}

WallLook LookAtWallTimes(Kernel& kernel, ThreadSlot& slot, std::uint64_t cpu_ns,
                         std::uint64_t now_ns, bool may_read) noexcept {
  SlotTimes& times = slot.times;
  if (times.begin_ns == 0 || now_ns <= times.begin_ns) return WallLook::kNoReading;
  const std::uint64_t wall_ns = now_ns - times.begin_ns;
  // The clocks were read one after the other.
  const std::uint64_t run_ns = AtMost(Less(cpu_ns, times.before.run_ns), wall_ns);
  const std::uint64_t off_ns = wall_ns - run_ns;
  // A thread that has not run since the last reading has not ended a wait for a processor either:
  // the kernel adds a wait when the thread gets its processor.
  std::uint64_t undivided_ns = 0;
  if (times.unreadable || run_ns != times.read_run_ns) {
    undivided_ns = Less(off_ns, times.read_off_ns);
  }
  WallLook done = WallLook::kNoReading;
  if (!times.unreadable && undivided_ns >= kLeastUndividedNs && wall_ns >= kShortestLifeNs) {
    if (!may_read) return WallLook::kNotUpToDate;
    done = WallLook::kRead;
    ThreadTimes read;
    const long r = ScheduleTimesOf(kernel, slot, read);
    times.error = r < 0 ? static_cast<int>(-r) : 0;
    // An error keeps the numbers of the reading before, and the time since then stays undivided.
    if (r >= 0) {
      times.wait_ns = Less(read.wait_ns, times.before.wait_ns);
      times.turns = Less(read.turns, times.before.turns);
      times.read_run_ns = run_ns;
      times.read_off_ns = off_ns;
      undivided_ns = 0;
    }
  }
  times.end_ns = now_ns;
  times.run_ns = run_ns;
  times.undivided_ns = undivided_ns;
  // A wait may have begun before begin_ns, where the creator's clock was read late.
  times.wait_ns = AtMost(times.wait_ns, off_ns - AtMost(undivided_ns, off_ns));
  return done;
}

void ReadAtEnd(Kernel& kernel, ThreadSlot& slot) noexcept {
  LastReadings& end = slot.end;
  const pid_t tid = slot.tid.load(std::memory_order_relaxed);
  const long cpu_ns = kernel.ThreadCpuNs(tid);
  end.cpu_ns = cpu_ns > 0 ? static_cast<std::uint64_t>(cpu_ns) : 0;
  end.monotonic_ns = MonotonicNs();
  ReadThreadName(tid, end.name);
  // The times may have been begun anew since, so less may be left to divide, but never more.
  const std::uint64_t wall_ns = Less(end.monotonic_ns, slot.created_ns);
  end.schedule_error = ENODATA;
  const bool divides = wall_ns >= kShortestLifeNs && Less(wall_ns, end.cpu_ns) >= kLeastUndividedNs;
  if (!divides && wall_ns < TimeLine::kLeastThreadLifeNs) return;
  // A thread that never gave its processor back was running or runnable all the time. schedstat
  // would cost 15 to 30 us: the kernel makes two entries of /proc for each new thread.
  std::uint64_t waits = 0;
  std::uint64_t preempted = 0;
  if (slot.created_ns != 0 && kernel.OwnSwitches(&waits, &preempted) == 0 && waits == 0) {
    end.schedule = {end.cpu_ns, Less(wall_ns, end.cpu_ns), preempted + 1};
    end.schedule_error = 0;
    return;
  }
  const long r = kernel.ScheduleTimes(tid, &end.schedule);
  end.schedule_error = r < 0 ? static_cast<int>(-r) : 0;
}

void WallSums::Add(const SlotTimes& times) noexcept {
  // The last error stands for all: the verdict needs one reason.
  if (times.error != 0) error = times.error;
  if (times.end_ns == 0) return;
  ++threads;
  wall_ns += times.end_ns - times.begin_ns;
  run_ns += times.run_ns;
  wait_ns += times.wait_ns;
  turns += times.turns;
  undivided_ns += times.undivided_ns;
}

void WallSums::Store(spool::WallTotals& wall) const noexcept {
  StoreLive(wall.threads, threads);
  StoreLive(wall.wall_ns, wall_ns);
  StoreLive(wall.run_ns, run_ns);
  StoreLive(wall.wait_ns, wait_ns);
  StoreLive(wall.undivided_ns, undivided_ns);
  StoreLive(wall.read_errno, static_cast<std::uint32_t>(error));
}

void WallSums::Store(spool::ThreadRecord& merged) const noexcept {
  StoreLive(merged.end_monotonic_ns, wall_ns);
  StoreLive(merged.run_ns, run_ns);
  StoreLive(merged.wait_ns, wait_ns);
  StoreLive(merged.turns, turns);
  StoreLive(merged.undivided_ns, undivided_ns);
}

void StoreWallTimes(const SlotTimes& times, spool::ThreadRecord& record) noexcept {
  if (times.end_ns == 0) return;
  StoreLive(record.start_monotonic_ns, times.begin_ns);
  StoreLive(record.end_monotonic_ns, times.end_ns);
  StoreLive(record.run_ns, times.run_ns);
  StoreLive(record.wait_ns, times.wait_ns);
  StoreLive(record.turns, times.turns);
  StoreLive(record.undivided_ns, times.undivided_ns);
}

void AddWallTimes(const SlotTimes& times, spool::ThreadRecord& record) noexcept {
  if (times.end_ns == 0) return;
  StoreLive(record.end_monotonic_ns, record.end_monotonic_ns + (times.end_ns - times.begin_ns));
  StoreLive(record.run_ns, record.run_ns + times.run_ns);
  StoreLive(record.wait_ns, record.wait_ns + times.wait_ns);
  StoreLive(record.turns, record.turns + times.turns);
  StoreLive(record.undivided_ns, record.undivided_ns + times.undivided_ns);
}

std::uint32_t AllowedProcessors() noexcept {
  unsigned long mask[128] = {};  // 8,192 processors, the most that x86-64 can have
  // The mask of the main thread: the agent's own thread has a wider one (agent_thread.cpp).
  const long bytes =
      RawSyscall(SYS_sched_getaffinity, RawSyscall(SYS_getpid), sizeof mask, SyscallArg(mask));
  std::uint32_t count = 0;
  for (long i = 0; i < bytes / static_cast<long>(sizeof mask[0]); ++i) {
    for (unsigned long rest = mask[i]; rest != 0; rest &= rest - 1) ++count;
  }
  return count;
}

}  // namespace csink
