#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <string_view>

#include "core/sampling/thread_registry.h"
#include "profil/format/format.h"

namespace csink::agent {

struct VforkChild;  // agent/threads/vfork_children.h

/// What the program does, as far as the agent must know: the one interface through which the
/// interposed functions (agent/hooks) and the handlers of signals (agent/signals) see the agent.
/// class Agent implements it.
///
/// The functions never change errno, and do nothing in a vfork or clone child, which shares the
/// memory of the process that the agent was started in, unless a function says otherwise.
///
/// Threads: any; those about a thread are called on the thread in question.
/// Signals: only functions that say so are safe in a handler.
class ProgramObserver {
 public:
  // Threads.

  /// Before the program creates a thread. From the first one on, the agent thread drains. Returns
  /// false if the thread must be created without a trampoline: in a process that the agent does not
  /// own, or in a forked child before the agent's fork handler has run. (Fork handlers that were
  /// registered earlier may create threads in the child; the agent's handler empties the registry
  /// after them.)
  virtual bool BeforeThread() noexcept = 0;
  /// A slot for a thread that is about to be created with a trampoline, after BeforeThread; nullptr
  /// if all are taken. GiveBackSlot, if the thread could not be created.
  virtual ThreadSlot* ClaimSlot() noexcept = 0;
  virtual void GiveBackSlot(ThreadSlot& slot) noexcept = 0;
  /// Before the program creates a thread by a system call, which has no trampoline. The agent
  /// thread then searches for the new thread every 5 ms, a limited number of times.
  virtual void BeforeUnseenThread() noexcept = 0;
  /// Before this thread waits for another one (pthread_join). Starts a search if the registry has
  /// this thread only: the thread that it waits for is then one that the registry does not contain.
  /// Otherwise costs two loads.
  virtual void BeforeJoin() noexcept = 0;
  /// The kernel refused a new thread or process for want of room (EAGAIN: ulimit -u, pids.max).
  /// Ends the agent thread, which takes one of the places, and waits for its end, 1 s at most.
  /// Returns true if a place is free now, so that the program's call is to be repeated.
  virtual bool MakeRoomForTask() noexcept = 0;
  /// The repeated call was refused, too: the place was not what it wanted.
  virtual void RoomWasInVain() noexcept = 0;
  /// A thread was created, after BeforeThread.
  virtual void ThreadCreated() noexcept = 0;
  /// A thread's routine is about to be called with this return address: the end of call chains.
  virtual void NoteThreadRoot(const void* return_address) noexcept = 0;
  /// On a new thread, before its routine: fills the slot, which the creator claimed, and arms the
  /// thread's events. Wakes the agent thread for an early sweep.
  virtual void ThreadStarted(ThreadSlot& slot) noexcept = 0;
  /// Registers and arms a thread that has no trampoline. Threads: its creator, or the agent thread.
  virtual void AdoptThread(pid_t tid) noexcept = 0;
  /// The program has switched the events of this thread off, or on again (prctl).
  virtual void EventsSwitched(bool off) noexcept = 0;
  /// True if there is another thread than the main one. Signals: safe.
  virtual bool HasThreads() const noexcept = 0;

  // The process.

  /// True in the process that the agent was started in. False in a vfork or clone child, which
  /// shares this memory and must not change anything. Signals: safe.
  virtual bool IsOurProcess() const noexcept = 0;
  /// True after the program installed a seccomp filter under which a system call of the agent could
  /// kill the process. Signals: safe.
  virtual bool sandboxed() const noexcept = 0;
  /// Before the program creates a child process by any call. Signals: safe.
  virtual void BeforeFork() noexcept = 0;
  /// In the parent, after BeforeFork: the child `pid` was made. Signals: safe.
  virtual void Forked(pid_t pid) noexcept = 0;
  /// The first code of a child with memory of its own that no handler of pthread_atfork has seen
  /// (clone, _Fork). BeforeFork comes before, in the parent. Signals: safe, as fork is.
  virtual void AfterForkInChild() noexcept = 0;
  /// True if ChildEnded is to be called: in a tree of `csink run`. Signals: safe.
  virtual bool WantsChildEnds() const noexcept = 0;
  /// A wait call has returned the end of a child: `status` as of waitpid(2), `usage` as of
  /// wait4(2). Signals: safe.
  virtual void ChildEnded(pid_t pid, int status, const struct rusage& usage) noexcept = 0;
  /// Before a child that shares this memory until its exec or end (vfork). Returns its account;
  /// nullptr: none is kept. Signals: safe, as the next three.
  virtual VforkChild* BeforeVfork() noexcept = 0;
  /// The first code of that child.
  virtual void VforkChildStarted(VforkChild& child) noexcept = 0;
  /// In the parent, which goes on. `pid`: the child's, or -errno.
  virtual void AfterVfork(VforkChild& child, long pid) noexcept = 0;
  /// posix_spawn has made this child.
  virtual void AfterSpawn(pid_t pid) noexcept = 0;
  /// Drains, and marks the spool as ended by exec. In a vfork child it only shows the program's
  /// signal mask to the kernel and notes the child's CPU time. The caller calls ExecFailed if exec
  /// fails.
  virtual void BeforeExec() noexcept = 0;
  /// After an exec that returned: reverts BeforeExec and gives back the collector's lock, which
  /// BeforeExec kept. Threads: the one that called BeforeExec.
  virtual void ExecFailed() noexcept = 0;
  /// Drains everything, completes the spool and runs the report. The first caller does this; other
  /// callers wait until it is done, 30 s at most. `detail`: the exit status or the signal's number,
  /// by `end`. Does nothing in a process that was never activated; in a vfork child it notes the
  /// child's CPU time. Signals: safe when a signal's default action is about to end the program
  /// (lifecycle/process_exit.h).
  virtual void Finish(spool::End end, int detail) noexcept = 0;

  // What takes rights or files away.

  /// Before seccomp with the program's `filter` (a sock_fprog; nullptr: strict mode). If the filter
  /// could kill the process for one of the agent's system calls, the spool is created now and none
  /// later.
  virtual void BeforeSeccomp(const void* filter) noexcept = 0;
  /// After the call that BeforeSeccomp announced. `succeeded` false: the kernel refused the filter,
  /// and the agent works as before.
  virtual void AfterSeccomp(bool succeeded) noexcept = 0;
  /// Before chroot: creates the spool while its folder can still be reached.
  virtual void BeforeChroot() noexcept = 0;
  /// Before the process changes its user: reserves space in an existing spool. A spool that does
  /// not exist yet is created later, in the new user's folder.
  virtual void BeforeUserChange() noexcept = 0;
  /// Before the program closes stderr by fclose: keeps its target for the report.
  virtual void BeforeStderrCloses() noexcept = 0;
  /// Before dlclose, and after it. Threads: the one that unloads. Before: assigns waiting samples
  /// to the library while its mapping still exists.
  virtual void BeforeUnload() noexcept = 0;
  virtual void AfterUnload() noexcept = 0;

  // Signals of the agent.

  /// The handler of SIGURG. Returns false if the agent did not send the signal. Signals: safe.
  virtual bool OnDrainSignal(const siginfo_t& info, const void* context) noexcept = 0;
  /// The program or a handler took the drain signal: the agent drains in another way from now on.
  virtual void ReplaceDrainSignal() noexcept = 0;
  /// Stops the timer that sends the drain signal. Signals: safe.
  virtual void StopDrainTimer() noexcept = 0;
  /// Before the program takes the drain signal for good: stops all timers that send it. `why`: for
  /// the user. Signals: safe outside the agent's handlers, as sigaction is.
  virtual void StopTicks(std::string_view why) noexcept = 0;
  /// Before the program handles the drain signal: the ticks of CPU timers get another signal.
  /// Returns false if that is not possible or not needed; StopTicks is to be called then. Signals:
  /// as StopTicks.
  virtual bool MoveTicks() noexcept = 0;
  /// The signal of CSINK_SIGNAL has come: the control thread makes a snapshot. Signals: safe.
  virtual void RequestSnapshot() noexcept = 0;

 protected:
  ~ProgramObserver() = default;
};

/// The agent of this process, or nullptr before Start and when CSINK_ENABLE=0. Once set it stays:
/// hooks may run until the last instruction of the process. Signals: safe.
ProgramObserver* TheObserver() noexcept;
/// Makes `observer` the result of TheObserver.
void PublishObserver(ProgramObserver* observer) noexcept;

}  // namespace csink::agent
