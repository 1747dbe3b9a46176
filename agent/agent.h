#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/config.h"
#include "agent/start_state.h"
#include "core/counting/thread_registry.h"
#include "core/overflow/ring_source.h"
#include "core/overflow/timer_source.h"
#include "core/perf/kernel.h"
#include "core/util/thread_id.h"
#include "profil/collector.h"
#include "profil/spool/writer.h"

namespace csink::agent {

/// The whole agent of one process. Made in static storage by the library's
/// constructor and never destroyed: hooks may be called until the last
/// instruction of the program.
///
/// Threads: each function says so. Signals: as each function says.
class Agent final : public SpoolFactory {
 public:
  Agent() noexcept;

  /// Reads the configuration and arms the main thread. Once, in the constructor.
  void Start(char* const* environment) noexcept;

  // Moments of a thread. Called by the hooks, on the thread that is meant.

  /// Before the program's first further thread: from then on the agent thread drains.
  void BeforeThread() noexcept;
  /// On a new thread, before its routine.
  void ThreadStarted(ThreadSlot& slot) noexcept;
  /// On a thread that ends, after everything of the program's.
  void ThreadEnded(ThreadSlot& slot) noexcept;
  /// A thread that came to be without our trampoline. Threads: its creator, or the
  /// agent thread.
  void AdoptThread(pid_t tid) noexcept;

  // Moments of the process.

  void AfterForkInChild() noexcept;
  /// True when this is the process that was started; false in a vfork or clone
  /// child, which shares our memory and must leave everything as it is.
  bool IsOurProcess() const noexcept;
  /// Drains and marks the spool before the image is replaced. Returns at once in
  /// a vfork child. `returns_to_us`: ExecFailed will be called when it fails.
  void BeforeExec(bool returns_to_us) noexcept;
  void ExecFailed() noexcept;
  /// Drains everything, completes the spool and runs the report. The first caller
  /// does it, others wait until it is done.
  /// Signals: safe at the program's default action of a signal (see finish_signal.cpp).
  void Finish(spool::End end, int detail) noexcept;
  /// Before seccomp with the program's `filter` (a sock_fprog; nullptr: strict
  /// mode). When the filter could answer one of our system calls with death, the
  /// spool is made now, and after this we make none any more.
  void BeforeSeccomp(const void* filter) noexcept;
  void AfterSeccomp(bool succeeded) noexcept;
  /// Before chroot: makes the spool while its place can still be reached.
  void BeforeChroot() noexcept;
  /// Before another user: room in the spool that is there. One that is not there yet
  /// is made in the new user's own place when it is needed.
  void BeforeUserChange() noexcept;
  /// Drains now when `share_eighths` of the main ring are full (dlclose storms).
  void DrainIfFilling() noexcept;

  /// The program closes stderr by fclose: keep its target for the report.
  void BeforeStderrCloses() noexcept;

  /// SIGURG, in the thread it was sent to. False: it was not ours. Signals: it is one.
  bool OnDrainSignal(const siginfo_t& info, const void* context) noexcept;
  /// The program has taken the drain signal for itself (or given it back).
  void DrainSignalTaken() noexcept;

  void StopDrainTimer() noexcept;
  /// After a handler had to step back from the drain signal: somebody must drain.
  void ReplaceDrainSignal() noexcept;

  bool active() const noexcept { return phase_.load(std::memory_order_acquire) == Phase::kActive; }
  const Config& config() const noexcept { return config_; }
  ThreadRegistry& registry() noexcept { return registry_; }
  Collector& collector() noexcept { return collector_; }
  SpoolWriter& spool() noexcept { return spool_; }
  StartState& start_state() noexcept { return start_state_; }
  pthread_key_t thread_key() const noexcept { return thread_key_; }

  // The agent thread (agent_thread.cpp).
  void RunAgentThread() noexcept;

  // SpoolFactory
  bool MakeSpool(SpoolWriter& spool) noexcept override;

 private:
  enum class Phase : unsigned char { kOff, kActive, kFinished };
  enum class Drainer : unsigned char { kNobody, kTimer, kAgentThread };

  void Publish() noexcept;
  bool ChooseEvents() noexcept;
  bool ArmMain() noexcept;
  bool Arm(ThreadSlot& slot, pid_t tid) noexcept;
  void UseTimerSource(const Error& why) noexcept;
  void StartDrainTimer(pid_t tid) noexcept;
  void StartAgentThread() noexcept;
  void RetireDeadThreads() noexcept;
  void AdoptNewThreads() noexcept;
  void Suspect(pid_t tid) noexcept;
  bool MainHasGone() const noexcept;
  std::uint64_t LongestSweepNs() const noexcept;
  void DrainMeasured() noexcept;
  pid_t Tid() const noexcept;
  void SayWhereTheSpoolIs(const char* why) noexcept;
  void ReadSpoolPlaces(char* const* environment) noexcept;
  bool TrySpoolIn(SpoolWriter& spool, const char* directory, const spool::Header& header,
                  bool last_try) noexcept;

  Kernel& kernel_;
  ThreadRegistry& registry_;
  RingSource rings_;
  TimerSource timers_;
  SpoolWriter spool_;
  Collector collector_;
  Config config_;
  StartState start_state_;

  std::atomic<Phase> phase_{Phase::kOff};
  std::atomic<Drainer> drainer_{Drainer::kNobody};
  std::atomic<pid_t> finishing_tid_{0};
  std::atomic<std::uint32_t> agent_wake_{0};
  std::atomic<bool> agent_thread_starting_{false};
  pid_t agent_tid_ = 0;
  pid_t pid_ = 0;
  int drain_timer_ = -1;
  bool key_made_ = false;
  bool timer_source_ = false;
  bool sandboxed_ = false;
  bool entering_sandbox_ = false;
  bool exec_lock_held_ = false;
  static constexpr std::size_t kSuspects = 32;
  pid_t suspects_[kSuspects] = {};  ///< Threads without a slot at the last sweep
  pid_t next_suspects_[kSuspects] = {};
  std::size_t seen_suspects_ = 0;
  std::size_t new_suspects_ = 0;
  pthread_key_t thread_key_ = 0;
  std::uint64_t agent_thread_cost_ns_ = 0;
  unsigned timer_ticks_ = 0;
  Text<256> source_reason_;
  EventList events_;
  Text<400> runtime_dir_;    ///< $XDG_RUNTIME_DIR at start
  Text<400> temporary_dir_;  ///< $TMPDIR at start, else /tmp
};

/// The agent, or nullptr before Start and when CSINK_ENABLE=0.
Agent* TheAgent() noexcept;

/// The process id as the kernel says it, not as libc may have cached it.
pid_t OwnPid() noexcept;

inline constexpr int kDrainSignal = 23;                         // SIGURG: ignored by default
inline constexpr std::uint64_t kDrainIntervalNs = 100'000'000;  // of CPU time, one thread
inline constexpr std::uint64_t kSweepIntervalNs = 250'000'000;  // of wall time, several

}  // namespace csink::agent
