#pragma once

#include <sys/types.h>

#include <atomic>

namespace csink::agent {

/// What every part of the agent must know before it works: whether the agent samples this process,
/// whether the calling code runs in that process, and whether system calls are permitted.
///
/// A vfork or clone(CLONE_VM) child runs in our memory, but it is another process: IsOurProcess is
/// false there, and every part must leave everything as it is.
///
/// Owns:    nothing. Part of the agent's static storage.
/// Threads: any, but Begin and EnterSandbox, LeaveSandbox: the one that starts the agent, the one
///          that calls seccomp. No lock. Signals: safe.
class ProcessState {
 public:
  /// Remembers which process this is; in the constructor of the library, and in a forked child.
  void RememberProcess() noexcept;
  pid_t pid() const noexcept { return pid_; }

  /// The main thread is armed: the agent works from now on.
  void Activate() noexcept { phase_.store(Phase::kActive, std::memory_order_release); }
  /// The agent does nothing any more in this process. `order`: relaxed where no other thread runs.
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

  /// The program may answer a system call of ours with death (seccomp). From then on no part makes
  /// any but those of the sources.
  void EnterSandbox() noexcept { sandboxed_ = true; }
  /// The kernel refused the filter.
  void LeaveSandbox() noexcept { sandboxed_ = false; }
  bool sandboxed() const noexcept { return sandboxed_; }

  /// True when this is the process that was started; false in a vfork or clone child. One system
  /// call; none in a sandbox.
  bool IsOurProcess() const noexcept;
  /// The calling thread, as owner of a FutexLock. In a sandbox even gettid may be death. There all
  /// threads have one number: a lock that another thread holds looks like the caller's own, so no
  /// thread waits.
  pid_t Tid() const noexcept;

  /// The first thread that ends the process claims its end. Returns 0 to that thread, and the
  /// claimant's tid to all others.
  pid_t ClaimEnd(pid_t tid) noexcept {
    pid_t nobody = 0;
    return ending_tid_.compare_exchange_strong(nobody, tid) ? 0 : nobody;
  }
  /// Some thread has claimed the end: reports and requests come too late.
  bool ending() const noexcept { return ending_tid_.load(std::memory_order_acquire) != 0; }
  /// In a forked child: its end is not claimed.
  void ForgetEnd() noexcept { ending_tid_.store(0, std::memory_order_relaxed); }

 private:
  enum class Phase : unsigned char { kOff, kActive, kFinished };

  std::atomic<Phase> phase_{Phase::kOff};
  std::atomic<pid_t> ending_tid_{0};
  pid_t pid_ = 0;
  bool sandboxed_ = false;
};

/// The process id as the kernel has it, not as libc may have cached it. Signals: safe.
pid_t OwnPid() noexcept;

}  // namespace csink::agent
