#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/control/controller.h"
#include "agent/devices/meter.h"
#include "agent/drain/drainer.h"
#include "agent/events/batch_job.h"
#include "agent/moments/threads.h"
#include "agent/moments/unloads.h"
#include "agent/process/process_state.h"
#include "agent/process/start_state.h"
#include "agent/sampling/sampled_events.h"
#include "agent/settings/config.h"
#include "agent/spool_place/spool_place.h"
#include "core/perf/kernel.h"
#include "core/sampling/ring_source.h"
#include "core/sampling/thread_registry.h"
#include "core/sampling/timer_source.h"
#include "core/util/thread_id.h"
#include "profil/collector/collector.h"
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
  void Start(int argument_count, char* const* arguments, char* const* environment) noexcept;

  // Moments of a thread. Called by the hooks, on the thread that is meant.

  /// Before the program makes a thread: from the first one on the agent thread drains. False: make
  /// it without us, in a process that is not ours, or not yet: a fork handler of somebody who came
  /// before us may make threads in the child, and ours empties the registry after it.
  bool BeforeThread() noexcept;
  /// Before it makes one past our trampolines, by a system call: the agent thread looks for it from
  /// now on every 5 ms, some times.
  void BeforeUnseenThread() noexcept;
  /// Before this thread waits for another: the only one that we know waits for one that we do
  /// not know. A pointer or two to look at, unless it is so.
  void BeforeJoin() noexcept { drainer_.BeforeJoin(); }
  /// On a new thread, before its routine.
  void ThreadStarted(ThreadSlot& slot) noexcept;
  /// On a thread that ends, after everything of the program's.
  void ThreadEnded(ThreadSlot& slot) noexcept;
  /// A thread that came to be without our trampoline. Threads: its creator, or the
  /// agent thread.
  void AdoptThread(pid_t tid) noexcept;

  // Moments of the process.

  void AfterForkInChild() noexcept;
  /// Before a child is made, however. Signals: safe.
  void BeforeFork() noexcept { made_child_ = true; }
  /// True when this is the process that was started; false in a vfork or clone
  /// child, which shares our memory and must leave everything as it is.
  bool IsOurProcess() const noexcept { return process_.IsOurProcess(); }
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
  // Around dlclose. Threads: the one that unloads.
  void BeforeUnload() noexcept;
  void AfterUnload() noexcept { unloads_.After(); }

  /// The program has switched the events of this thread off, or on again (prctl).
  void EventsSwitched(bool off) noexcept;

  /// The program closes stderr by fclose: keep its target for the report.
  void BeforeStderrCloses() noexcept;

  /// SIGURG, in the thread it was sent to. False: it was not ours. Signals: it is one.
  bool OnDrainSignal(const siginfo_t& info, const void* context) noexcept {
    return drainer_.OnSignal(info, context);
  }
  /// The program has taken the drain signal for itself (or given it back).
  void DrainSignalTaken() noexcept { drainer_.ReplaceSignal(); }

  void StopDrainTimer() noexcept { drainer_.StopTimer(); }
  /// Before the drain signal is the program's, for good: no timer of ours may send it.
  /// Signals: safe outside handlers of ours, as sigaction is.
  void StopTicks(std::string_view why = "the program uses SIGURG itself") noexcept;
  /// After a handler had to step back from the drain signal: somebody must drain.
  void ReplaceDrainSignal() noexcept { drainer_.ReplaceSignal(); }

  /// Requests of scripts and of the program.
  Controller& control() noexcept { return control_; }
  bool sandboxed() const noexcept { return process_.sandboxed(); }

  bool active() const noexcept { return process_.active(); }
  const Config& config() const noexcept { return config_; }
  ThreadRegistry& registry() noexcept { return registry_; }
  Collector& collector() noexcept { return collector_; }
  Threads& threads() noexcept { return threads_; }
  SpoolWriter& spool() noexcept { return spool_; }
  StartState& start_state() noexcept { return start_state_; }

  /// A thread's routine is about to be called from there. Threads: any.
  void NoteThreadRoot(const void* return_address) noexcept;

  // SpoolFactory
  bool MakeSpool(SpoolWriter& spool) noexcept override;

 private:
  void Publish() noexcept;
  /// Counters of devices, if any are asked for; in the first process of a tree alone.
  void StartMeter() noexcept;
  void EndMeter() noexcept;
  void StartStacks() noexcept;
  static void StacksAfterFork() noexcept;
  void SayWhereTheSpoolIs(const char* why) noexcept;
  /// What CSINK_FOLLOW, _INCLUDE and _EXCLUDE say of this process.
  bool IsWanted() noexcept;
  /// Now that it ends: whether it may be in a report (`leaf`).
  bool IsWantedAtEnd() const noexcept { return made_child_ ? !only_leaves_ : !only_parents_; }
  /// Who we are, for a spool (`brief`: without what a tree's record does not hold).
  void DescribeSpool(spool::Header& header, bool brief) noexcept;
  /// True when this image has no sample for `user_ns` of user time, and that is long.
  bool BurnedForNothing(std::uint64_t& user_ns) const noexcept;
  void SayThatNothingWasSampled() noexcept;
  /// The file to which the tree's processes append. False: not in a tree.
  bool TreeFile(Text<512>& path) const noexcept;
  /// Instead of a spool, at the end of a small process of a tree; after DrainAll. False: not
  /// possible, or it has too many samples.
  bool LeaveSmallRecord(spool::End end, int detail) noexcept;

  ProcessState process_;
  Kernel& kernel_;
  ThreadRegistry& registry_;
  RingSource rings_;
  TimerSource timers_;
  SpoolWriter spool_;
  Collector collector_;
  SampledEvents events_;
  Threads threads_;
  Drainer drainer_;
  Controller control_;
  Unloads unloads_;
  SpoolPlace spool_place_;
  Config config_;
  BatchJob batch_job_;
  StartState start_state_;
  Meter meter_;

  bool early_threads_ = false;  ///< Some were made in a forked child before our handler
  bool forked_ = false;         ///< By a process of ours, since this image began
  bool only_leaves_ = false;    ///< A process that made a child is not wanted
  bool only_parents_ = false;   ///< ... or one that made none
  bool made_child_ = false;
  bool entering_sandbox_ = false;
  bool exec_lock_held_ = false;
};

/// The agent, or nullptr before Start and when CSINK_ENABLE=0.
Agent* TheAgent() noexcept;

}  // namespace csink::agent
