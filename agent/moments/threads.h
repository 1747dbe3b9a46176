#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>

#include "agent/process/process_state.h"
#include "agent/sampling/sampled_events.h"
#include "core/perf/kernel.h"
#include "core/sampling/thread_registry.h"
#include "profil/collector/collector.h"

namespace csink::agent {

/// Which threads are sampled: the beginning and the end of a thread that came through a hook, and
/// the search for threads that did not (a raw clone, a library that was there before us).
///
/// A search reads /proc/self/task. A thread that is on its way out has given its slot back already,
/// so it looks like an unknown one: only a thread without a slot in two searches is adopted.
///
/// Owns:    the thread-specific key whose destructor ends a slot, the list of suspects, and the
///          tids of threads of our own, which are never sampled.
/// Threads: Started and Ended: the thread itself. AdoptNew, LookForUnknown, RetireDead: the one
///          that drains, one at a time. Lock: Ended, RetireDead, EventsSwitched and Started (where
///          a pause began meanwhile) take the collector's lock, the first of all locks.
/// Signals: what lies in threads_signal.cpp is safe.
class Threads {
 public:
  Threads(const ProcessState& process, Kernel& kernel, ThreadRegistry& registry,
          SampledEvents& events, Collector& collector) noexcept
      : process_(process),
        kernel_(kernel),
        registry_(registry),
        events_(events),
        collector_(collector) {}

  /// Slots of threads end by `at_end`, which gets the slot. Once, before the first thread.
  void MakeKey(void (*at_end)(void*)) noexcept;
  /// Keeps the slot of the calling thread under the key; or again, from the key's destructor.
  void KeepSlot(ThreadSlot& slot) noexcept { pthread_setspecific(key_, &slot); }
  /// The slot of the calling thread; nullptr: it did not come through a hook.
  ThreadSlot* OwnSlot() const noexcept {
    return key_made_ ? static_cast<ThreadSlot*>(pthread_getspecific(key_)) : nullptr;
  }

  /// Gives the calling thread, the main one, its slot, arms it and begins its accounts. False: it
  /// is not sampled.
  bool StartMain() noexcept;
  /// On a new thread, before its routine. `slot` was claimed by its creator. In a sandbox the
  /// thread is counted, but not sampled. False: the thread has no slot any more.
  bool Started(ThreadSlot& slot) noexcept;
  /// On a thread that ends, after everything of the program's.
  void Ended(ThreadSlot& slot) noexcept;
  /// Arms a thread that did not come through a hook.
  void Adopt(pid_t tid) noexcept;
  /// At our start: all but main. No thread is on its way in or out through a hook yet.
  void AdoptEarlier() noexcept;
  /// Adopts threads without a slot that had none at the last search either.
  void AdoptNew() noexcept;
  /// The same, where there are more threads than slots: for a process that drains itself.
  void LookForUnknown() noexcept;
  /// There are more threads than slots and threads of ours. Reads /proc.
  bool HasUnknown() const noexcept;
  /// Ends the slots of threads that ended without a hook (a raw exit, adopted ones): their CPU
  /// clock is gone.
  void RetireDead() noexcept;
  /// The program has switched the events of the calling thread off or on (prctl).
  void EventsSwitched(bool off) noexcept;

  /// Some thread without a slot waits for the second search.
  bool suspects() const noexcept { return seen_suspects_ != 0; }
  /// Main has ended (pthread_exit, a raw exit), other threads live.
  bool MainHasGone() const noexcept;

  /// In a forked child: no thread of ours exists.
  void ForgetAfterFork() noexcept {
    agent_tid_ = 0;
    control_tid_.store(0, std::memory_order_relaxed);
  }
  /// The agent thread; 0: none was started yet.
  void set_agent_thread(pid_t tid) noexcept { agent_tid_ = tid; }
  pid_t agent_thread() const noexcept { return agent_tid_; }
  /// The control thread; 0: there is none. That thread and its creator both store the number:
  /// either may come first, and a search must not adopt that thread.
  void set_control_thread(pid_t tid) noexcept {
    control_tid_.store(tid, std::memory_order_release);
  }
  pid_t control_thread() const noexcept { return control_tid_.load(); }

 private:
  static constexpr std::size_t kSuspects = 32;

  void Suspect(pid_t tid) noexcept;
  void AgreeOnPause(ThreadSlot& slot) noexcept;

  const ProcessState& process_;
  Kernel& kernel_;
  ThreadRegistry& registry_;
  SampledEvents& events_;
  Collector& collector_;
  bool key_made_ = false;
  pthread_key_t key_ = 0;
  std::atomic<pid_t> control_tid_{0};
  pid_t agent_tid_ = 0;
  pid_t suspects_[kSuspects] = {};  ///< Threads without a slot at the last search
  pid_t next_suspects_[kSuspects] = {};
  std::size_t seen_suspects_ = 0;
  std::size_t new_suspects_ = 0;
};

}  // namespace csink::agent
