#pragma once

#include <atomic>

#include "compat/papi/threads/thread_context.h"

namespace csink::papi {

class EventSet;

/// Whether an event set runs, and the thread that it counts. One set a component may count a
/// thread, a process or a CPU at a time, which PAPI demands.
/// Threads: running and CountsElsewhere: any. Claim: the thread that starts the set. Release: also
///          another one.
/// Signals: running is safe; Claim and Release are where the set counts its caller.
class SetRunner {
 public:
  bool running() const noexcept { return running_.load(std::memory_order_acquire); }
  /// True where the set runs and another thread may be reading it: it counts another thread than
  /// the caller, another process or a CPU, or its thread has ended.
  bool CountsElsewhere() const noexcept {
    const ThreadContext* thread = thread_.load(std::memory_order_acquire);
    return running() && (thread == nullptr || thread != t_context);
  }

  /// Marks the set as running. PAPI_EISRUN: another set of the component counts the same thread,
  /// process or CPU already; PAPI_ENOMEM; PAPI_EMISC: called in a handler that interrupted the
  /// library.
  int Claim(EventSet& set) noexcept;
  /// The reverse. `component`: that of the set.
  void Release(int component) noexcept;
  /// The thread has gone: the set counts no more and must not touch that thread's context.
  void LoseThread() noexcept { thread_.store(nullptr, std::memory_order_relaxed); }
  /// In a forked child: not running.
  void ForgetAfterFork() noexcept;

 private:
  std::atomic<bool> running_{false};
  /// The context whose entry `running` has this set; nullptr: the set does not count its caller.
  std::atomic<ThreadContext*> thread_{nullptr};
};

}  // namespace csink::papi
