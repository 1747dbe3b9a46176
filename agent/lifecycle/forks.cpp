#include "agent/lifecycle/forks.h"

#include "agent/results/left_out.h"
#include "agent/results/outer_number.h"
#include "agent/threads/callers.h"
#include "core/machine/clocks.h"

/// File: the first thing of ours that runs in a forked child. The child has the parent's memory:
/// active agent, live slots, held locks, and file names that are the parent's. Nothing of ours may
/// look at them before they are forgotten, and pthread_atfork runs other libraries' handlers before
/// this one (BeforeThread).

namespace csink::agent {

void Forks::InChild() noexcept {
  // The child has one thread, a copy of the one that called fork. Other threads of the parent may
  // have held locks of the agent, and the rings are not mapped in the child. So every part forgets
  // its threads, locks, rings and descriptors before anything is armed.
  const std::uint64_t began_ns = ThreadCpuNs();
  const bool was_active = process_.active();
  const bool early_threads = early_threads_;
  const pid_t parent = process_.pid();
  early_threads_ = false;
  process_.RememberFork();
  selection_.ForgetAfterFork();
  execs_.ForgetAfterFork();
  child_ends_.ForgetAfterFork();
  vfork_children_.ForgetAfterFork();
  drainer_.ForgetAfterFork();
  threads_.ForgetAfterFork();
  process_.ForgetEnd();
  meter_.ForgetAfterFork();
  registry_.ResetAfterFork();
  collector_.ResetAfterFork();
  CallersAfterFork();
  control_.state().ResetAfterFork();
  if (!was_active || config_.follow == Follow::kNone) {
    if (was_active) RecordLeftOut(config_, spool::LeftOut::kExcluded, 0);
    process_.Finish(std::memory_order_relaxed);
    return;
  }
  // The child's times count from the fork.
  ReadStartState(start_state_);
  if (!process_.sandboxed()) SettleClock(config_.tree, start_state_);
  if (!process_.sandboxed()) RecordOuterNumber(config_, start_state_, parent);
  const std::uint64_t read_ns = ThreadCpuNs();
  collector_.accounts().evidence().start_agent_ns = read_ns - began_ns;
  // The filter of the parent holds in the child, too, and may not allow perf_event_open.
  if (process_.sandboxed()) {
    process_.Finish(std::memory_order_relaxed);
    return;
  }
  threads_.StartMain(read_ns);
  if (early_threads) threads_.AdoptEarlier();
  drainer_.Start(early_threads);
  control_.StartThread();
  collector_.accounts().AddOwnCost(ThreadCpuNs() - read_ns);
}

}  // namespace csink::agent
