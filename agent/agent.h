#pragma once

#include <sys/types.h>

#include "agent/control/controller.h"
#include "agent/critical/moments.h"
#include "agent/devices/meter.h"
#include "agent/drain/drainer.h"
#include "agent/lifecycle/execs.h"
#include "agent/lifecycle/forks.h"
#include "agent/lifecycle/last_drain.h"
#include "agent/lifecycle/process_exit.h"
#include "agent/lifecycle/restrictions.h"
#include "agent/process/process_state.h"
#include "agent/process/program_observer.h"
#include "agent/process/selection.h"
#include "agent/process/start_state.h"
#include "agent/results/child_ends.h"
#include "agent/results/spool_maker.h"
#include "agent/results/spool_place.h"
#include "agent/results/tree_record.h"
#include "agent/settings/config.h"
#include "agent/start/batch_job.h"
#include "agent/start/sampled_events.h"
#include "agent/threads/threads.h"
#include "agent/threads/unloads.h"
#include "agent/threads/vfork_children.h"
#include "agent/waiting/wait_observer.h"
#include "core/perf/kernel.h"
#include "core/sampling/ring_source.h"
#include "core/sampling/thread_registry.h"
#include "core/sampling/timer_source.h"
#include "profil/inside/collector/collector.h"
#include "profil/inside/spool/writer.h"

namespace csink::agent {

/// The agent of one process. Owns its parts (drain, threads, control, fork, exec, end, ...), wires
/// them, and passes on what the hooks and handlers observe. Constructed in static storage by the
/// library's constructor and never destroyed, because hooks may be called until the last
/// instruction of the program.
///
/// The hook functions test active() themselves and, where they would change state in a vfork child
/// that shares this memory, IsOurProcess(). So a hook may call them at any time after Publish.
///
/// Owns:    the parts below by value. Does not own the kernel, the thread registry and the region
///          index, which are static objects in the library (library.cpp).
/// Threads: any; each function says on which thread the hook calls it. Locks: those of the parts.
/// Signals: as each function says; functions that say nothing are not safe in handlers.
class Agent final : public ProgramObserver {
 public:
  /// `registry` and `regions` are empty. All three must exist as long as the agent.
  Agent(Kernel& kernel, ThreadRegistry& registry, RegionIndex& regions) noexcept;

  /// Reads the configuration, chooses the events and arms the main thread. Called once, in the
  /// library's constructor, before main. Returns without effect when the process is not to be
  /// profiled (CSINK_FOLLOW, CSINK_INCLUDE, CSINK_EXCLUDE) or CSINK_DOCTOR is set; TheAgent stays
  /// nullptr then.
  void Start(int argument_count, char* const* arguments, char* const* environment) noexcept;

  // What the program does; the contracts are those of ProgramObserver.
  bool BeforeThread() noexcept override;
  ThreadSlot* ClaimSlot() noexcept override { return threads_.Claim(); }
  void GiveBackSlot(ThreadSlot& slot) noexcept override { registry_.Release(slot); }
  void BeforeUnseenThread() noexcept override;
  void BeforeJoin() noexcept override { drainer_.BeforeJoin(); }
  bool MakeRoomForTask() noexcept override { return drainer_.YieldThread(); }
  void RoomWasInVain() noexcept override { drainer_.YieldedInVain(); }
  void ThreadCreated() noexcept override { drainer_.ThreadCreated(); }
  void NoteThreadRoot(const void* return_address) noexcept override;
  void ThreadStarted(ThreadSlot& slot) noexcept override;
  void AdoptThread(pid_t tid) noexcept override;
  void EventsSwitched(bool off) noexcept override;
  bool HasThreads() const noexcept override { return registry_.used() >= 2; }
  bool IsOurProcess() const noexcept override { return process_.IsOurProcess(); }
  bool sandboxed() const noexcept override { return process_.sandboxed(); }
  void BeforeFork() noexcept override {
    selection_.NoteChild();
    moments_.BeforeFork();
  }
  void Forked(pid_t pid) noexcept override { moments_.Forked(pid); }
  /// Also the child handler of pthread_atfork.
  void AfterForkInChild() noexcept override {
    moments_.AfterFork();
    forks_.InChild();
  }
  bool WantsChildEnds() const noexcept override {
    return active() && !sandboxed() && child_ends_.wanted();
  }
  void ChildEnded(pid_t pid, int status, const struct rusage& usage) noexcept override {
    if (process_.IsOurProcess()) child_ends_.Add(pid, status, usage);
  }
  VforkChild* BeforeVfork() noexcept override {
    moments_.BeforeFork();
    VforkChild* const child = vfork_children_.Before();
    // Without an account there is no AfterVfork.
    if (child) moments_.VforkBegins();
    return child;
  }
  void VforkChildStarted(VforkChild& child) noexcept override { vfork_children_.Started(child); }
  void AfterVfork(VforkChild& child, long pid) noexcept override {
    vfork_children_.After(child, pid);
    moments_.VforkEnds();
    moments_.Forked(static_cast<pid_t>(pid));
  }
  void AfterSpawn(pid_t pid) noexcept override {
    vfork_children_.Spawned(pid);
    moments_.Forked(pid);
  }
  void BeforeExec() noexcept override {
    vfork_children_.Ended(spool::End::kExec, 0);
    execs_.Before();
  }
  void ExecFailed() noexcept override {
    vfork_children_.ExecFailed();
    execs_.Failed();
  }
  void Finish(spool::End end, int detail) noexcept override {
    vfork_children_.Ended(end, detail);
    process_exit_.Finish(end, detail);
  }
  void BeforeSeccomp(const void* filter) noexcept override { restrictions_.BeforeSeccomp(filter); }
  void AfterSeccomp(bool succeeded) noexcept override { restrictions_.AfterSeccomp(succeeded); }
  void BeforeChroot() noexcept override { restrictions_.BeforeChroot(); }
  void BeforeUserChange() noexcept override { restrictions_.BeforeUserChange(); }
  void BeforeStderrCloses() noexcept override;
  void BeforeUnload() noexcept override;
  void AfterUnload() noexcept override { unloads_.After(); }
  bool OnDrainSignal(const siginfo_t& info, const void* context) noexcept override {
    return vfork_children_.OnTick(info, context) || drainer_.OnSignal(info, context);
  }
  void ReplaceDrainSignal() noexcept override { drainer_.ReplaceSignal(); }
  void StopDrainTimer() noexcept override { drainer_.StopTimer(); }
  void StopTicks(std::string_view why) noexcept override { drainer_.StopTicks(why); }
  bool MoveTicks() noexcept override { return drainer_.MoveTicks(); }
  void RequestSnapshot() noexcept override { control_.RequestSnapshot(); }

  /// On a thread that ends, after all code of the program: the last round of the destructors of
  /// thread-specific data. Drains the thread's rings and frees the slot.
  void ThreadEnded(ThreadSlot& slot) noexcept;

  /// Requests of scripts and of the program.
  Controller& control() noexcept { return control_; }
  /// True from the time when the main thread is armed until Finish is complete.
  bool active() const noexcept { return process_.active(); }
  Threads& threads() noexcept { return threads_; }

 private:
  /// Starts csink-meter if CSINK_EVENTS names counters of devices, in the first process of a tree
  /// only.
  void StartMeter() noexcept;

  ProcessState process_;
  Kernel& kernel_;
  ThreadRegistry& registry_;
  Config config_;
  BatchJob batch_job_;
  StartState start_state_;
  Moments moments_;
  Selection selection_;
  SpoolPlace spool_place_;
  Meter meter_;
  RingSource rings_;
  TimerSource timers_;
  SpoolWriter spool_;
  SpoolMaker spool_maker_;
  Collector collector_;
  SampledEvents events_;
  Threads threads_;
  Drainer drainer_;
  WaitObserver waits_;
  Controller control_;
  Unloads unloads_;
  VforkChildren vfork_children_;
  TreeRecord tree_record_;
  ChildEnds child_ends_;
  LastDrain last_drain_;
  Execs execs_;
  Forks forks_;
  Restrictions restrictions_;
  ProcessExit process_exit_;
};

/// The agent, or nullptr before Start and when CSINK_ENABLE=0.
inline Agent* TheAgent() noexcept { return static_cast<Agent*>(TheObserver()); }

}  // namespace csink::agent
