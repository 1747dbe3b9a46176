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
#include "agent/observer/program_observer.h"
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

/// The agent of one process. Owns its parts (drain, threads, control, ...), wires them, and is what
/// the hooks call. Constructed in static storage by the library's constructor and never destroyed,
/// because hooks may be called until the last instruction of the program.
///
/// The hook functions test active() themselves and, where they would change state in a vfork child
/// that shares this memory, IsOurProcess(). So a hook may call them at any time after Publish.
///
/// Owns:    the parts below by value. The thread registry and the region index are static objects
///          in agent.cpp; the members are references to them.
/// Threads: any; each function says on which thread the hook calls it. Locks: functions that drain
///          or make the spool take the collector's lock, with all signals blocked.
/// Signals: as each function says; functions that say nothing are not safe in handlers.
class Agent final : public ProgramObserver, public SpoolFactory {
 public:
  Agent() noexcept;

  /// Reads the configuration, chooses the events and arms the main thread. Called once, in the
  /// library's constructor, before main. Returns without effect when the process is not to be
  /// profiled (CSINK_FOLLOW, CSINK_INCLUDE, CSINK_EXCLUDE) or CSINK_DOCTOR is set; TheAgent stays
  /// nullptr then.
  void Start(int argument_count, char* const* arguments, char* const* environment) noexcept;

  // What the program does; the contracts are those of ProgramObserver.
  bool BeforeThread() noexcept override;
  ThreadSlot* ClaimSlot() noexcept override { return registry_.Claim(); }
  void GiveBackSlot(ThreadSlot& slot) noexcept override { registry_.Release(slot); }
  void BeforeUnseenThread() noexcept override;
  void BeforeJoin() noexcept override { drainer_.BeforeJoin(); }
  void NoteThreadRoot(const void* return_address) noexcept override;
  void ThreadStarted(ThreadSlot& slot) noexcept override;
  void AdoptThread(pid_t tid) noexcept override;
  void EventsSwitched(bool off) noexcept override;
  bool HasThreads() const noexcept override { return registry_.used() >= 2; }
  bool IsOurProcess() const noexcept override { return process_.IsOurProcess(); }
  bool sandboxed() const noexcept override { return process_.sandboxed(); }
  void BeforeFork() noexcept override { made_child_ = true; }
  void BeforeExec() noexcept override;
  void ExecFailed() noexcept override;
  void Finish(spool::End end, int detail) noexcept override;
  void BeforeSeccomp(const void* filter) noexcept override;
  void AfterSeccomp(bool succeeded) noexcept override;
  void BeforeChroot() noexcept override;
  void BeforeUserChange() noexcept override;
  void BeforeStderrCloses() noexcept override;
  void BeforeUnload() noexcept override;
  void AfterUnload() noexcept override { unloads_.After(); }
  bool OnDrainSignal(const siginfo_t& info, const void* context) noexcept override {
    return drainer_.OnSignal(info, context);
  }
  void ReplaceDrainSignal() noexcept override { drainer_.ReplaceSignal(); }
  void StopDrainTimer() noexcept override { drainer_.StopTimer(); }
  void StopTicks(std::string_view why) noexcept override;
  void RequestSnapshot() noexcept override { control_.RequestSnapshot(); }

  /// On a thread that ends, after all code of the program: the last round of the destructors of
  /// thread-specific data. Drains the thread's rings and frees the slot.
  void ThreadEnded(ThreadSlot& slot) noexcept;
  /// The child handler of pthread_atfork: forgets the parent's threads, rings and spool, and arms
  /// the child's only thread. With CSINK_FOLLOW=none, or in a sandbox, the agent does nothing in
  /// the child from then on.
  void AfterForkInChild() noexcept;

  /// Requests of scripts and of the program.
  Controller& control() noexcept { return control_; }
  /// True from the time when the main thread is armed until Finish is complete.
  bool active() const noexcept { return process_.active(); }
  Threads& threads() noexcept { return threads_; }

  /// SpoolFactory: creates the spool's file, and writes its header and configuration. Under the
  /// collector's lock. Returns false if no folder can hold the spool; a line on stderr says so.
  /// Signals: safe.
  bool MakeSpool(SpoolWriter& spool) noexcept override;

 private:
  /// Starts csink-meter if CSINK_EVENTS names counters of devices, in the first process of a tree
  /// only.
  void StartMeter() noexcept;
  /// At exec or exit, under the collector's lock: asks csink-meter for a last reading and copies
  /// the values into the spool.
  void EndMeter() noexcept;
  /// Prepares the recording of callers as CSINK_STACKS says. Before the first event is armed,
  /// because the size of the stack copy is part of an event.
  void StartStacks() noexcept;
  /// In a forked child: stops the use of libunwind if another thread of the parent was inside it.
  static void StacksAfterFork() noexcept;
  /// Prints one line: `why` there is no report, and how to make it from the spool.
  void SayWhereTheSpoolIs(const char* why) noexcept;
  /// Whether CSINK_FOLLOW, CSINK_INCLUDE and CSINK_EXCLUDE select this process.
  bool IsWanted() noexcept;
  /// At the end of the process: whether `leaf` in CSINK_INCLUDE or CSINK_EXCLUDE lets it be
  /// reported.
  bool IsWantedAtEnd() const noexcept { return made_child_ ? !only_leaves_ : !only_parents_; }
  /// Fills in the spool's header: process, program, command (`brief`: only what a tree's record
  /// holds).
  void DescribeSpool(spool::Header& header, bool brief) noexcept;
  /// True if this image has no sample although its user time is at least kBurnedNs and
  /// CSINK_MIN_SAMPLES periods of the default clock. `user_ns` receives the user time of this image
  /// without pauses.
  bool BurnedForNothing(std::uint64_t& user_ns) const noexcept;
  /// Prints NothingSampledLine if BurnedForNothing and no report or csink run will say so.
  void SayThatNothingWasSampled() noexcept;
  /// The file to which the processes of the tree append. Returns false outside a tree.
  bool TreeFile(Text<512>& path) const noexcept;
  /// Appends a record to the tree's file instead of leaving a spool, at the end of a small process
  /// and after DrainAll. Returns false if that is impossible or the process has too many samples.
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

  bool early_threads_ =
      false;             ///< A forked child created threads before the agent's fork handler ran
  bool forked_ = false;  ///< This process was forked by a profiled one, and has not called exec
  bool only_leaves_ = false;       ///< A process that created a child is not reported
  bool only_parents_ = false;      ///< A process that created no child is not reported
  bool made_child_ = false;        ///< The program has called a function that makes a child
  bool entering_sandbox_ = false;  ///< Between BeforeSeccomp and AfterSeccomp
  bool exec_lock_held_ = false;    ///< BeforeExec has kept the collector's lock
};

/// The agent, or nullptr before Start and when CSINK_ENABLE=0.
inline Agent* TheAgent() noexcept { return static_cast<Agent*>(TheObserver()); }

}  // namespace csink::agent
