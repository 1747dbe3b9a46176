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
class Agent final : public SpoolFactory {
 public:
  Agent() noexcept;

  /// Reads the configuration, chooses the events and arms the main thread. Called once, in the
  /// library's constructor, before main. Returns without effect when the process is not to be
  /// profiled (CSINK_FOLLOW, CSINK_INCLUDE, CSINK_EXCLUDE) or CSINK_DOCTOR is set; TheAgent stays
  /// nullptr then.
  void Start(int argument_count, char* const* arguments, char* const* environment) noexcept;

  // Events of a thread. The hooks call these on the thread in question.

  /// Before the program creates a thread. From the first one on, the agent thread drains. Returns
  /// false if the thread must be created without a trampoline: in a process that the agent does not
  /// own, or in a forked child before the agent's fork handler has run. (Fork handlers that were
  /// registered earlier may create threads in the child; the agent's handler empties the registry
  /// after them.)
  bool BeforeThread() noexcept;
  /// Before the program creates a thread by a system call, which has no trampoline. The agent
  /// thread then searches for the new thread every 5 ms, a limited number of times.
  void BeforeUnseenThread() noexcept;
  /// Before this thread waits for another one (pthread_join). Starts a search if the registry has
  /// this thread only: the thread that it waits for is then one that the registry does not contain.
  /// Otherwise costs two loads.
  void BeforeJoin() noexcept { drainer_.BeforeJoin(); }
  /// On a new thread, before its routine: fills the slot, which the creator claimed, and arms the
  /// thread's events. Wakes the agent thread for an early sweep.
  void ThreadStarted(ThreadSlot& slot) noexcept;
  /// On a thread that ends, after all code of the program: the last round of the destructors of
  /// thread-specific data. Drains the thread's rings and frees the slot.
  void ThreadEnded(ThreadSlot& slot) noexcept;
  /// Registers and arms a thread that has no trampoline. Threads: its creator, or the agent thread.
  void AdoptThread(pid_t tid) noexcept;

  // Events of the process.

  /// The child handler of pthread_atfork: forgets the parent's threads, rings and spool, and arms
  /// the child's only thread. With CSINK_FOLLOW=none, or in a sandbox, the agent does nothing in
  /// the child from then on.
  void AfterForkInChild() noexcept;
  /// Before the program creates a child process by any call. Signals: safe.
  void BeforeFork() noexcept { made_child_ = true; }
  /// True in the process that the agent was started in. False in a vfork or clone child, which
  /// shares this memory and must not change anything.
  bool IsOurProcess() const noexcept { return process_.IsOurProcess(); }
  /// Drains, and marks the spool as ended by exec. Returns at once in a vfork child. The caller
  /// calls ExecFailed if exec fails.
  void BeforeExec() noexcept;
  /// After an exec that returned: reverts BeforeExec and gives back the collector's lock, which
  /// BeforeExec kept. Threads: the one that called BeforeExec.
  void ExecFailed() noexcept;
  /// Drains everything, completes the spool and runs the report. The first caller does this; other
  /// callers wait until it is done, 30 s at most. `detail`: the exit status or the signal's number,
  /// by `end`. Does nothing in a process that was never activated and in a vfork child. Signals:
  /// safe when a signal's default action is about to end the program (finish_signal.cpp).
  void Finish(spool::End end, int detail) noexcept;
  /// Before seccomp with the program's `filter` (a sock_fprog; nullptr: strict mode). If the filter
  /// could kill the process for one of the agent's system calls, the spool is created now and none
  /// later.
  void BeforeSeccomp(const void* filter) noexcept;
  /// After the call that BeforeSeccomp announced. `succeeded` false: the kernel refused the filter,
  /// and the agent works as before.
  void AfterSeccomp(bool succeeded) noexcept;
  /// Before chroot: creates the spool while its folder can still be reached.
  void BeforeChroot() noexcept;
  /// Before the process changes its user: reserves space in an existing spool. A spool that does
  /// not exist yet is created later, in the new user's folder.
  void BeforeUserChange() noexcept;
  /// Before dlclose, and after it (AfterUnload). Threads: the one that unloads. Before: assigns
  /// waiting samples to the library while its mapping still exists.
  void BeforeUnload() noexcept;
  void AfterUnload() noexcept { unloads_.After(); }

  /// The program has switched the events of this thread off, or on again (prctl).
  void EventsSwitched(bool off) noexcept;

  /// Before the program closes stderr by fclose: keeps its target for the report.
  void BeforeStderrCloses() noexcept;

  /// The handler of SIGURG. Returns false if the agent did not send the signal. Signals: safe.
  bool OnDrainSignal(const siginfo_t& info, const void* context) noexcept {
    return drainer_.OnSignal(info, context);
  }
  /// The program has set its own disposition of the drain signal, or reset it to the default.
  void DrainSignalTaken() noexcept { drainer_.ReplaceSignal(); }

  void StopDrainTimer() noexcept { drainer_.StopTimer(); }
  /// Before the program takes the drain signal for good: stops all timers that send it.
  /// Signals: safe outside the agent's handlers, as sigaction is.
  void StopTicks(std::string_view why = "the program handles SIGURG itself") noexcept;
  /// After a handler gave up the drain signal: arranges another way to drain.
  void ReplaceDrainSignal() noexcept { drainer_.ReplaceSignal(); }

  /// Requests of scripts and of the program.
  Controller& control() noexcept { return control_; }
  /// True after the program installed a seccomp filter under which a system call of the agent could
  /// kill the process.
  bool sandboxed() const noexcept { return process_.sandboxed(); }

  /// True from the time when the main thread is armed until Finish is complete.
  bool active() const noexcept { return process_.active(); }
  const Config& config() const noexcept { return config_; }
  ThreadRegistry& registry() noexcept { return registry_; }
  Collector& collector() noexcept { return collector_; }
  Threads& threads() noexcept { return threads_; }
  SpoolWriter& spool() noexcept { return spool_; }
  StartState& start_state() noexcept { return start_state_; }

  /// A thread's routine is about to be called with this return address. Threads: any.
  void NoteThreadRoot(const void* return_address) noexcept;

  /// SpoolFactory: creates the spool's file, and writes its header and configuration. Under the
  /// collector's lock. Returns false if no folder can hold the spool; a line on stderr says so.
  /// Signals: safe.
  bool MakeSpool(SpoolWriter& spool) noexcept override;

 private:
  /// Makes this agent the result of TheAgent. From then on hooks call it.
  void Publish() noexcept;
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
Agent* TheAgent() noexcept;

}  // namespace csink::agent
