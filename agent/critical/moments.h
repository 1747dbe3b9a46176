#pragma once

#include <atomic>
#include <cstdint>

#include "agent/critical/critical_hooks.h"
#include "agent/process/process_state.h"
#include "profil/inside/collector/collector.h"

namespace csink::agent {

/// The waits of the process's threads and what wakes them: makes the threads' buffers, which
/// libcsink-critical.so fills, and passes the moments to the collector at each of its drains.
///
/// Why a library of its own has the hooks: libagent.so is in every profiled program, and
/// pthread_mutex_lock is called a million times a second where an event of perf is not. The
/// library is preloaded by `csink run --critical` alone. Without it the samples have times and the
/// switches are recorded, but nothing says who woke whom.
///
/// Owns:    the list of buffers and their memory.
/// Threads: BeginThread, Forked, BeforeFork: any thread of the program. TakeMoments: under the
///          collector's lock. AfterFork: the only thread of the child.
/// Signals: safe (moments_signal.cpp), except Start.
class Moments final : public MomentSource {
 public:
  explicit Moments(const ProcessState& process) noexcept : process_(process) {}

  /// Recording begins in `collector` with the main thread's first sample, and that of moments with
  /// Hold(false). Without hooks (see the class) one line says so.
  /// `is_ours`: whether a tid is that of a thread of the agent. Signals: safe.
  void Start(Collector& collector, bool (*is_ours)(pid_t tid)) noexcept;
  /// The hooks are there; their `on` is not set yet. For tests, beside Start.
  void Use(CriticalHooks& hooks, bool (*is_ours)(pid_t tid)) noexcept;
  /// A seccomp filter forbids what the agent does, or was refused: recording stops or goes on.
  void Hold(bool held) noexcept override;

  /// A buffer for the calling thread; nullptr: it is not the program's, or there is no memory.
  MomentBuffer* BeginThread() noexcept;
  /// Before the calling thread makes a process, and after that: `pid` is the child's.
  void BeforeFork() noexcept;
  void Forked(pid_t pid) noexcept;
  /// Around the life of a child that shares this memory.
  void VforkBegins() noexcept;
  void VforkEnds() noexcept;
  /// In a forked child: forgets the parent's moments.
  void AfterFork() noexcept;

  void TakeMoments(TimedRecords& to, bool last) noexcept override;

 private:
  /// The calling thread's buffer, made if it has none; nullptr: nothing is recorded.
  MomentBuffer* Own() noexcept;
  /// Takes `buffer`, which follows `before` (nullptr: it is the first), out of the list. Returns
  /// false if another one has become the first meanwhile.
  bool Unlink(MomentBuffer* before, MomentBuffer* buffer) noexcept;

  const ProcessState& process_;
  CriticalHooks* hooks_ = nullptr;  ///< Not nullptr: recording has begun
  bool (*is_ours_)(pid_t tid) = nullptr;
  std::atomic<MomentBuffer*> buffers_{nullptr};
};

/// Makes `moments` the object of BeginThreadOfHooks, which is CriticalHooks::begin_thread.
void PublishMoments(Moments* moments) noexcept;
MomentBuffer* BeginThreadOfHooks() noexcept;

}  // namespace csink::agent
