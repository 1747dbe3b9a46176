#include "agent/drain/drainer.h"

#include "agent/process/drain_signal.h"
#include "core/util/futex.h"
#include "core/util/thread_id.h"

/// File: which of the two drains, the timer or the agent thread, and the changes from one to the
/// other outside of handlers.

namespace csink::agent {

void Drainer::Start(bool several) noexcept {
  // A thread of ours makes the C library slower and unshare fail, so it is the exception.
  if (several) {
    StartThread();
  } else if (!events_.source().drains_itself) {
    StartTimer(AskTid());
  }
}

void Drainer::StartTimer(pid_t tid) noexcept {
  // A CPU timer needs the drain signal, and with RLIMIT_RTTIME at 0 the kernel would end the
  // process for one.
  if (!DrainSignalIsOurs() || !SampledEvents::CpuTimersAreSurvivable()) {
    StartThread();
    return;
  }
  const long timer = kernel_.TimerCreate(tid, DrainSignal(), &timer_);
  if (timer < 0)
    return;  // still drained at the end, and by the agent thread once there are threads
  timer_ = static_cast<int>(timer);
  SetTimer(tid);
  by_.store(By::kTimer, std::memory_order_release);
}

void Drainer::ReplaceSignal() noexcept {
  if (!process_.active() || events_.source().drains_itself || process_.sandboxed()) return;
  StopTimer();
  StartThread();
}

void Drainer::Wake() noexcept {
  wake_.fetch_add(1, std::memory_order_release);
  FutexWake(&wake_);
}

void Drainer::SearchSoon() noexcept {
  // A new thread is known at the second search; the thread may begin late.
  constexpr unsigned kSearches = 6;
  if (searches_.exchange(kSearches) == 0) Wake();
}

void Drainer::SweepSoon() noexcept {
  if (!sleeps_long_.load(std::memory_order_relaxed) ||
      !sleeps_long_.exchange(false, std::memory_order_relaxed)) {
    return;
  }
  Wake();
}

void Drainer::BeforeJoin() noexcept {
  if (by_.load(std::memory_order_relaxed) == By::kAgentThread) return;
  if (!process_.active() || process_.sandboxed() || !process_.IsOurProcess()) return;
  // The agent thread searches for the unknown thread and adopts it.
  if (threads_.HasUnknown()) StartThread();
}

void Drainer::ForgetAfterFork() noexcept {
  // POSIX timers are not inherited by a child (timer_create(2)), and the agent thread does not
  // exist in it.
  timer_ = -1;
  thread_starting_.store(false, std::memory_order_relaxed);
  working_.store(false, std::memory_order_relaxed);
  yields_.store(false, std::memory_order_relaxed);
  no_room_.store(false, std::memory_order_relaxed);
  in_vain_.store(false, std::memory_order_relaxed);
  by_.store(By::kNobody, std::memory_order_relaxed);
}

}  // namespace csink::agent
