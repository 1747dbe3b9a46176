#pragma once

#include <sys/types.h>

#include <atomic>

namespace csink::agent {

/// What every part of the agent must know before it works: whether the agent samples this process,
/// whether the calling code runs in that process, and whether system calls are permitted.
///
/// A vfork or clone(CLONE_VM) child shares this memory, but it is another process. IsOurProcess is
/// false there, and no part may change anything.
///
/// Owns:    nothing. Part of the agent's static storage.
/// Threads: any. RememberProcess, RememberFork and Activate: the thread that starts the agent.
///          EnterSandbox and LeaveSandbox: the thread that calls seccomp. No lock. Signals: safe.
class ProcessState {
 public:
  /// Remembers which process this is, in the constructor of the library.
  void RememberProcess() noexcept;
  /// The same in a forked child.
  void RememberFork() noexcept {
    RememberProcess();
    forked_ = true;
  }
  pid_t pid() const noexcept { return pid_; }
  /// True if this process was forked by a profiled one and has not called exec since.
  bool forked() const noexcept { return forked_; }

  /// The main thread is armed: the agent works from now on.
  void Activate() noexcept { phase_.store(Phase::kActive, std::memory_order_release); }
  /// From now on the agent does nothing in this process. `order`: may be relaxed if no other thread
  /// runs.
  void Finish(std::memory_order order = std::memory_order_release) noexcept {
    phase_.store(Phase::kFinished, order);
  }
  bool active() const noexcept { return phase_.load(std::memory_order_acquire) == Phase::kActive; }
  bool was_activated() const noexcept {
    return phase_.load(std::memory_order_acquire) != Phase::kOff;
  }
  bool finished() const noexcept {
    return phase_.load(std::memory_order_acquire) == Phase::kFinished;
  }

  /// The program's seccomp filter may kill the process for a system call of the agent. From now on
  /// no part makes system calls, except those of the sources. `one_thread`: strict mode, in which
  /// the kernel restricts the calling thread alone.
  void EnterSandbox(bool one_thread = false) noexcept {
    one_thread_sandboxed_ = one_thread;
    sandboxed_ = true;
  }
  /// The kernel refused the filter.
  void LeaveSandbox() noexcept { sandboxed_ = false; }
  bool sandboxed() const noexcept { return sandboxed_; }
  /// True if the sandbox does not concern the agent's own threads.
  bool one_thread_sandboxed() const noexcept { return sandboxed_ && one_thread_sandboxed_; }

  /// True in the process that the agent was started in, false in a vfork or clone child. One system
  /// call; none in a sandbox.
  bool IsOurProcess() const noexcept;
  /// The id of the calling thread, as owner of a FutexLock. In a sandbox, where gettid may kill the
  /// process, all threads have one id. A lock that another thread holds then looks like the
  /// caller's own, so that no thread waits.
  pid_t Tid() const noexcept;

  /// The first thread that ends the process claims its end. Returns 0 to that thread, and the
  /// claimant's tid to all others.
  pid_t ClaimEnd(pid_t tid) noexcept {
    pid_t nobody = 0;
    return ending_tid_.compare_exchange_strong(nobody, tid) ? 0 : nobody;
  }
  /// True if a thread has claimed the end: reports and requests are refused from then on.
  bool ending() const noexcept { return ending_tid_.load(std::memory_order_acquire) != 0; }
  /// In a forked child: clears the claim.
  void ForgetEnd() noexcept { ending_tid_.store(0, std::memory_order_relaxed); }

 private:
  enum class Phase : unsigned char { kOff, kActive, kFinished };

  std::atomic<Phase> phase_{Phase::kOff};
  std::atomic<pid_t> ending_tid_{0};
  pid_t pid_ = 0;
  bool forked_ = false;
  std::atomic<bool> sandboxed_{false};  ///< See Drainer::WaitForRest
  bool one_thread_sandboxed_ = false;
};

/// The process id from the kernel, not from a cache of libc. Signals: safe.
pid_t OwnPid() noexcept;

}  // namespace csink::agent
