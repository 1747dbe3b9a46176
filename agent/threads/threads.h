#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>

#include "agent/process/process_state.h"
#include "agent/start/sampled_events.h"
#include "core/perf/kernel.h"
#include "core/sampling/thread_registry.h"
#include "profil/inside/collector/collector.h"

namespace csink::agent {

/// Which threads are sampled: the begin and the end of a thread that came through a hook, and the
/// search for threads that did not (a raw clone, a library that was loaded before the agent).
///
/// A search reads /proc/self/task. A thread that is about to end has released its slot already and
/// looks like an unknown one; so a thread is adopted only if it had no slot in two searches. As
/// long as no thread but main has come through a hook, none can end through one, and the first
/// search adopts.
///
/// A thread that ends waits for nobody: it leaves its slot in the registry's list, and takes as
/// many slots out of the list as one LeftRings holds if the collector's lock is free. So the list
/// stays short without the agent thread, which may not get its turn for long.
///
/// Owns:    the thread-specific key whose destructor ends a slot, the list of suspects, and the
///          tids of the agent's own threads, which are never sampled.
/// Threads: Started and Ended: the thread itself. AdoptNew, LookForUnknown, RetireDead: the thread
///          that drains, one at a time. Lock: Ended and Claim try to take the collector's lock;
///          RetireDead, EventsSwitched and Started (if a pause began meanwhile) take it, and hold
///          no other.
/// Signals: functions in threads_signal.cpp are safe.
class Threads {
 public:
  Threads(const ProcessState& process, Kernel& kernel, ThreadRegistry& registry,
          SampledEvents& events, Collector& collector) noexcept
      : process_(process),
        kernel_(kernel),
        registry_(registry),
        events_(events),
        collector_(collector) {}

  /// Makes the thread-specific key. `at_end` is its destructor and gets the slot. Called once,
  /// before the first thread.
  void MakeKey(void (*at_end)(void*)) noexcept;
  /// Stores the slot of the calling thread under the key. Called again from the key's destructor,
  /// so that the destructor runs in the next round, too.
  void KeepSlot(ThreadSlot& slot) noexcept { pthread_setspecific(key_, &slot); }
  /// The slot of the calling thread; nullptr: the thread did not come through a hook. No system
  /// call.
  ThreadSlot* OwnSlot() const noexcept {
    return key_made_ ? static_cast<ThreadSlot*>(pthread_getspecific(key_)) : nullptr;
  }

  /// Gives the calling thread, which is the main thread, its slot, arms it and begins its accounts.
  /// Returns false if the thread is not sampled. At the start and in a forked child.
  /// `cpu_ns`: the thread's CPU clock, or less.
  bool StartMain(std::uint64_t cpu_ns = 0) noexcept;
  /// A slot for a thread that the caller is about to create; nullptr: all are taken. The thread's
  /// wall time begins now.
  ThreadSlot* Claim() noexcept;
  /// On a new thread, before its routine. `slot` was claimed by its creator. In a sandbox the
  /// thread is counted, but not sampled, and the slot is released. Returns false if the thread has
  /// no slot any more.
  bool Started(ThreadSlot& slot) noexcept;
  /// On a thread that ends, after all code of the program: leaves the slot to be drained, settled
  /// and released. Does nothing if the thread holds the collector's lock.
  void Ended(ThreadSlot& slot) noexcept;
  /// How a thread without a hook became known: by the call that made it, or by a search, late.
  enum class Found { kByItsCreator, kBeforeTheAgent, kLate };
  /// Arms a thread that did not come through a hook.
  void Adopt(pid_t tid, Found how = Found::kByItsCreator) noexcept;
  /// At the agent's start: adopts all threads but main at once. No thread can be on its way in or
  /// out through a hook yet.
  void AdoptEarlier() noexcept;
  /// Adopts threads without a slot that had none at the last search either, or at once where no
  /// other thread has come through a hook.
  void AdoptNew() noexcept;
  /// AdoptNew, if there are more threads than slots. For a process that drains itself.
  void LookForUnknown() noexcept;
  /// True if the process has more threads than slots and the control thread account for. Reads
  /// /proc.
  bool HasUnknown() const noexcept;
  /// Ends the slots of threads that ended without a hook (a raw exit, adopted threads): their CPU
  /// clock does not exist any more. Takes the collector's lock with the agent thread's tid.
  void RetireDead() noexcept;
  /// The program has switched the events of the calling thread off or on (prctl).
  void EventsSwitched(bool off) noexcept;

  /// True if a thread without a slot waits for the second search. Needs no lock: the next call
  /// corrects a stale answer.
  bool suspects() const noexcept { return __atomic_load_n(&seen_suspects_, __ATOMIC_RELAXED) != 0; }
  /// True if no live slot is the main thread's: main has ended (pthread_exit, a raw exit).
  bool MainHasGone() const noexcept;

  /// In a forked child: the agent's threads do not exist.
  void ForgetAfterFork() noexcept {
    agent_tid_.store(0, std::memory_order_relaxed);
    control_tid_.store(0, std::memory_order_relaxed);
    any_hooked_.store(false, std::memory_order_relaxed);
  }
  /// The agent thread; 0: none was started yet.
  void set_agent_thread(pid_t tid) noexcept { agent_tid_.store(tid, std::memory_order_release); }
  pid_t agent_thread() const noexcept { return agent_tid_.load(); }
  /// The control thread; 0: none. That thread and its creator both store the number: either may
  /// come first, and a search must not adopt the thread.
  void set_control_thread(pid_t tid) noexcept {
    control_tid_.store(tid, std::memory_order_release);
  }
  pid_t control_thread() const noexcept { return control_tid_.load(); }

 private:
  /// Drains, settles and releases some slots of threads that have ended, if the collector's lock is
  /// free. With all signals blocked.
  void EndSome(pid_t tid) noexcept;
  /// Suspects of one search; further ones are found by later searches.
  static constexpr std::size_t kSuspects = 32;
  /// Slots of ended threads from which on threads that create others end some of them, too.
  static constexpr std::size_t kManyEnded = 64;

  /// What is recorded with a time of the calling thread's begin (CSINK_CRITICAL).
  static void BeginTimes(ThreadSlot& slot) noexcept;
  /// Adopts `tid` if it was a suspect at the last search, otherwise notes it.
  void Suspect(pid_t tid) noexcept;
  /// Brings the slot of a new thread in line with the pause that may have begun or ended meanwhile.
  void AgreeOnPause(ThreadSlot& slot) noexcept;

  const ProcessState& process_;
  Kernel& kernel_;
  ThreadRegistry& registry_;
  SampledEvents& events_;
  Collector& collector_;
  bool key_made_ = false;
  /// A thread other than main has come through a hook
  std::atomic<bool> any_hooked_{false};
  pthread_key_t key_ = 0;
  std::atomic<pid_t> control_tid_{0};
  std::atomic<pid_t> agent_tid_{0};
  pid_t suspects_[kSuspects] = {};       ///< Threads without a slot at the last search
  pid_t next_suspects_[kSuspects] = {};  ///< Those of the search that is under way
  std::size_t seen_suspects_ = 0;        ///< Number of suspects_
  std::size_t new_suspects_ = 0;         ///< Number of next_suspects_
};

}  // namespace csink::agent
