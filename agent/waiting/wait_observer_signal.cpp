#include <errno.h>
#include <sys/mman.h>

#include "agent/waiting/wait_observer.h"
#include "core/machine/clocks.h"
#include "core/util/raw_syscall.h"

/// File: the moments of the observer in the profiled program. The collector's lock is held for one
/// thread at a time.

namespace csink::agent {
namespace {

// A drain may hold the lock for some milliseconds; longer than this, the moment is given up.
constexpr std::uint64_t kLockNs = 100'000'000;

}  // namespace

void WaitObserver::Begin(pid_t tid) noexcept {
  if (state_ == nullptr) {
    // Most slots are never used. Their pages are touched by no look and take no memory.
    const long r = RawSyscall(SYS_mmap, 0, sizeof(State), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (r < 0 && r > -4096) {
      complaint_ = "not enough memory to observe blocked threads: CSINK_WAIT has no effect";
      return;
    }
    state_ = reinterpret_cast<State*>(r);
  } else {
    // A forked child: descriptors and records are the parent's.
    RawSyscall(SYS_madvise, SyscallArg(state_), sizeof(State), MADV_DONTNEED);
  }
  state_->looks.Start(*this, spool_, regions_, "/proc/self", /*is_own=*/true, glibc_);
  tid_ = tid;
  epoch_ = collector_.epoch();
  most_files_ = MostKeptFiles();
  rebase_ = false;
  begin_ns_ = rebased_ns_ = MonotonicNs();
  cpu_ns_ = ThreadCpuNs();
  // With the TID, processes that begin at the same moment have different moments.
  clock_.Start(begin_ns_ ^ static_cast<std::uint64_t>(tid) << 40);
  next_ns_ = begin_ns_ + clock_.NextNs();
}

std::uint64_t WaitObserver::NextNs(std::uint64_t now_ns) const noexcept {
  if (next_ns_ == kNever) return kNever;
  return next_ns_ > now_ns ? next_ns_ - now_ns : 0;
}

const WatchedThread* WaitObserver::FindThread(pid_t tid) noexcept {
  ThreadSlot* slot = registry_.Find(tid);
  if (slot == nullptr) return nullptr;
  const WatchedThread& thread = state_->watched[slot - &registry_.at(0)];
  // The slot may belong to another thread since the last look.
  return thread.tid == tid ? &thread : nullptr;
}

ObservedProcess::LastPlace WaitObserver::LastPlaceOf(const WatchedThread& thread) noexcept {
  // The last sample is at most one period of CPU time old.
  ThreadSlot& slot = SlotOf(thread);
  if (slot.armed()) collector_.DrainSlot(slot);
  // Region and chain are records of a spool that is gone.
  if (slot.last_place.epoch != epoch_) return {};
  return {slot.last_place.pc, slot.last_place.region, slot.last_place.chain};
}

bool WaitObserver::BeginOf(const WatchedThread& thread, std::uint64_t& begin_ns,
                           ThreadTimes& before) noexcept {
  const SlotTimes& times = SlotOf(thread).times;
  if (times.begin_ns < rebased_ns_ || times.unreadable) return false;
  begin_ns = times.begin_ns;
  before = times.before;
  return true;
}

bool WaitObserver::Enter() noexcept {
  if (!collector_.lock().Lock(tid_, kLockNs)) return false;
  if (!process_.active() || process_.ending() || process_.sandboxed() || collector_.frozen()) {
    Leave();
    return false;
  }
  // The records of the last looks are forgotten: a reset has made a new spool.
  if (collector_.epoch() != epoch_) ForgetRecords();
  return true;
}

void WaitObserver::ForgetRecords() noexcept {
  epoch_ = collector_.epoch();
  std::uint32_t threads = 0;
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    if (state_->watched[i].tid != 0) ++threads;
  }
  state_->looks.ForgetRecords(threads);
  Rebase();
}

void WaitObserver::Rebase() noexcept {
  rebased_ns_ = MonotonicNs();
  for (std::size_t i = 0; i < registry_.high_water(); ++i) ThreadLooks::Rebase(state_->watched[i]);
}

void WaitObserver::Moment() noexcept {
  if (state_ == nullptr || next_ns_ == kNever) return;
  // The accounts begin anew after the pause, so that its time is in no place.
  if (collector_.pauses().pausing()) {
    rebase_ = true;
    return Schedule();
  }
  if (!Enter()) return Schedule();
  if (rebase_) Rebase();
  rebase_ = false;
  if (!spool_.open() && MonotonicNs() - begin_ns_ >= ThreadLooks::kSpoolAfterNs)
    collector_.EnsureSpool();
  Leave();

  // The lock is given back between two threads, so that no drain waits for a thousand looks.
  state_->looks.BeginMoment(most_files_);
  std::uint32_t threads = 0;
  const std::size_t end = registry_.high_water();
  for (std::size_t i = 0; i < end; ++i) {
    ThreadSlot& slot = registry_.at(i);
    WatchedThread& watched = state_->watched[i];
    const pid_t tid = slot.tid.load(std::memory_order_relaxed);
    if (slot.state.load(std::memory_order_acquire) != SlotState::kLive || tid == 0) {
      if (watched.tid != 0) state_->looks.Drop(watched);
      continue;
    }
    ++threads;
    if (!Enter()) return Schedule();
    // A slot changes its thread under the lock only; it may have done so since it was read.
    if (slot.state.load(std::memory_order_acquire) == SlotState::kLive &&
        slot.tid.load(std::memory_order_relaxed) == tid) {
      state_->looks.Look(watched, tid);
    }
    Leave();
  }
  if (!Enter()) return Schedule();
  // Everything that this thread has used since the last moment, so that its wake-ups count, too.
  const std::uint64_t cpu = ThreadCpuNs();
  const std::uint64_t cost = cpu - cpu_ns_;
  cpu_ns_ = cpu;
  const int error = state_->looks.EndMoment(threads, cost);
  clock_.NoteCost(cost, threads);
  collector_.accounts().AddOwnCost(cost);
  if (error != 0) {
    Stop(error);
  } else {
    Schedule();
  }
  state_->looks.StoreHeader();
  Leave();
}

void WaitObserver::Schedule() noexcept { next_ns_ = MonotonicNs() + clock_.NextNs(); }

void WaitObserver::Stop(int error) noexcept {
  next_ns_ = kNever;
  complaint_ = error == ENOTSUP
                   ? "blocked threads are not observed: this kernel keeps no times of threads "
                     "(/proc/self/task/*/schedstat)"
                   : "blocked threads are not observed: /proc/self/task/*/schedstat and "
                     "/proc/self/task/*/syscall cannot be read";
}

void WaitObserver::NoteSandbox() noexcept {
  if (state_ == nullptr || next_ns_ == kNever) return;
  next_ns_ = kNever;
  // In a sandbox no request can discard the spool, so the lock is not needed.
  state_->looks.NoteStopped(EPERM);
  state_->looks.StoreHeader();
}

}  // namespace csink::agent
