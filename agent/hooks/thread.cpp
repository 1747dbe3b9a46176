#include <dlfcn.h>
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <stdarg.h>
#include <threads.h>
#include <unistd.h>

#include "agent/libc/real.h"
#include "agent/process/program_observer.h"
#include "agent/signals/signal_view.h"

/// File: interposed functions that create threads or processes, and pthread_join. They contain no
/// logic beyond guards and forwarding.

namespace csink::agent {

void* FindNext(const char* name) noexcept { return dlsym(RTLD_NEXT, name); }

namespace {

using PthreadCreate = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
using ThrdCreate = int (*)(thrd_t*, thrd_start_t, void*);
using PthreadJoin = int (*)(pthread_t, void**);
using Clone = int (*)(int (*)(void*), void*, int, void*, ...);

constinit Real<PthreadCreate> g_pthread_create("pthread_create");
constinit Real<ThrdCreate> g_thrd_create("thrd_create");
constinit Real<PthreadJoin> g_pthread_join("pthread_join");
constinit Real<Clone> g_clone("clone");
constinit Real<pid_t (*)()> g_fork("fork");
constinit Real<pid_t (*)()> g_plain_fork("_Fork");  // glibc 2.34

// Handlers may call _Fork, and a look-up is not safe there (Real).
__attribute__((constructor)) void LookUp() noexcept { (void)g_plain_fork.get(); }

// The agent's first code on a new thread. The thread's routine is called as a tail call, so
// debuggers and unwinders see the same frames as without the agent.
void* ThreadMain(void* arg) {
  auto* slot = static_cast<ThreadSlot*>(arg);
  const auto routine = reinterpret_cast<void* (*)(void*)>(slot->start_routine);
  void* argument = slot->start_argument;
  if (ProgramObserver* agent = TheObserver()) {
    agent->NoteThreadRoot(__builtin_return_address(0));
    agent->ThreadStarted(*slot);
  }
  return routine(argument);
}

// As ThreadMain, for threads.h, whose routines return int.
int C11ThreadMain(void* arg) {
  auto* slot = static_cast<ThreadSlot*>(arg);
  const auto routine = reinterpret_cast<thrd_start_t>(slot->start_routine);
  void* argument = slot->start_argument;
  if (ProgramObserver* agent = TheObserver()) {
    agent->NoteThreadRoot(__builtin_return_address(0));
    agent->ThreadStarted(*slot);
  }
  return routine(argument);
}

// Claims a slot for a thread that is about to be created, and stores in it whether the creator
// believes that the drain signal is blocked, because a thread inherits its creator's mask. nullptr:
// create the thread without the agent (not active, a vfork child, no free slot).
ThreadSlot* NewThreadSlot(ProgramObserver* agent) noexcept {
  if (!agent || !agent->BeforeThread()) return nullptr;
  ThreadSlot* slot = agent->ClaimSlot();
  if (slot) slot->assumed_blocked = AssumedBlocked();
  return slot;
}

// True if the kernel may have refused the program's task because of the agent's own thread, which
// is gone now: the call is repeated.
bool MadeRoom(ProgramObserver* agent) noexcept { return agent && agent->MakeRoomForTask(); }

// Calls create(), which returns 0, or `no_room` if the kernel refused the thread for want of room,
// or another error. If no thread was created, none releases the slot.
template <class Create>
int CreateThread(ProgramObserver& agent, ThreadSlot& slot, int no_room, Create create) noexcept {
  int r = create();
  if (r == no_room && MadeRoom(&agent)) {
    r = create();
    if (r == no_room) agent.RoomWasInVain();
  }
  if (r == 0) {
    agent.ThreadCreated();
  } else {
    agent.GiveBackSlot(slot);
  }
  return r;
}

void NoteFork(pid_t child) noexcept {
  if (ProgramObserver* agent = TheObserver()) agent->Forked(child);
}

}  // namespace

int RealPthreadCreate(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                      void* argument) noexcept {
  return g_pthread_create.get()(thread, attributes, routine, argument);
}

}  // namespace csink::agent

using csink::ThreadSlot;
using csink::agent::TheObserver;

extern "C" {

__attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                          const pthread_attr_t* attributes,
                                                          void* (*routine)(void*), void* argument) {
  csink::agent::ProgramObserver* agent = TheObserver();
  const auto real = csink::agent::g_pthread_create.get();
  ThreadSlot* slot = csink::agent::NewThreadSlot(agent);
  if (!slot) {
    const int r = real(thread, attributes, routine, argument);
    if (r != EAGAIN || !csink::agent::MadeRoom(agent)) return r;
    return real(thread, attributes, routine, argument);
  }
  slot->start_routine = reinterpret_cast<void (*)()>(routine);
  slot->start_argument = argument;
  return csink::agent::CreateThread(*agent, *slot, EAGAIN, [&] {
    return real(thread, attributes, csink::agent::ThreadMain, slot);
  });
}

// The main thread may begin to wait here for a thread that the registry does not contain.
__attribute__((visibility("default"))) int pthread_join(pthread_t thread, void** result) {
  if (csink::agent::ProgramObserver* agent = TheObserver()) agent->BeforeJoin();
  return csink::agent::g_pthread_join.get()(thread, result);
}

// thrd_create does not call the interposed pthread_create.
__attribute__((visibility("default"))) int thrd_create(thrd_t* thread, thrd_start_t routine,
                                                       void* argument) {
  csink::agent::ProgramObserver* agent = TheObserver();
  const auto real = csink::agent::g_thrd_create.get();
  ThreadSlot* slot = csink::agent::NewThreadSlot(agent);
  if (!slot) return real(thread, routine, argument);
  slot->start_routine = reinterpret_cast<void (*)()>(routine);
  slot->start_argument = argument;
  // threads.h has no value for EAGAIN.
  return csink::agent::CreateThread(
      *agent, *slot, thrd_error, [&] { return real(thread, csink::agent::C11ThreadMain, slot); });
}

// Interposed for the want of room and the number of the child; what else concerns the agent is in
// its fork handlers.
__attribute__((visibility("default"))) pid_t fork(void) noexcept {
  const auto real = csink::agent::g_fork.get();
  pid_t r = real();
  if (r < 0 && errno == EAGAIN && csink::agent::MadeRoom(TheObserver())) r = real();
  if (r > 0) csink::agent::NoteFork(r);
  return r;
}

// libc runs no fork handlers for it.
__attribute__((visibility("default"))) pid_t _Fork(void) noexcept {
  const auto real = csink::agent::g_plain_fork.get();
  csink::agent::ProgramObserver* agent = TheObserver();
  if (!agent || !real) return real ? real() : fork();
  agent->BeforeFork();
  const pid_t r = real();
  if (r == 0) agent->AfterForkInChild();
  if (r > 0) agent->Forked(r);
  return r;
}

namespace {

// What a child of clone runs instead of `routine`. It is on the stack of the parent, which is
// suspended, or in the child's copy of that stack.
struct CloneCall {
  int (*routine)(void*);
  void* argument;
  csink::agent::VforkChild* child;
};

int CloneMain(void* arg) {
  const CloneCall call = *static_cast<CloneCall*>(arg);
  TheObserver()->VforkChildStarted(*call.child);
  return call.routine(call.argument);
}

int ForkedMain(void* arg) {
  const CloneCall call = *static_cast<CloneCall*>(arg);
  TheObserver()->AfterForkInChild();
  return call.routine(call.argument);
}

// A child that shares the memory until its exec or end, as that of vfork.
bool IsLikeVfork(int flags) noexcept {
  return (flags & CLONE_VM) && (flags & CLONE_VFORK) && !(flags & CLONE_THREAD);
}

}  // namespace

// CLONE_THREAD: the creator adopts the thread as soon as its id is known. The thread may run a
// short time before it is armed.
__attribute__((visibility("default"))) int clone(int (*routine)(void*), void* stack, int flags,
                                                 void* argument, ...) noexcept {
  va_list list;
  va_start(list, argument);
  void* parent_tid = va_arg(list, void*);
  void* tls = va_arg(list, void*);
  void* child_tid = va_arg(list, void*);
  va_end(list);
  CloneCall call = {routine, argument, nullptr};
  if (IsLikeVfork(flags) && TheObserver()) call.child = TheObserver()->BeforeVfork();
  if (call.child) {
    const int pid =
        csink::agent::g_clone.get()(CloneMain, stack, flags, &call, parent_tid, tls, child_tid);
    const int error = errno;
    TheObserver()->AfterVfork(*call.child, pid < 0 ? -error : pid);
    errno = error;
    return pid;
  }
  const bool is_fork = !(flags & CLONE_VM) && routine && TheObserver();
  if (is_fork) TheObserver()->BeforeFork();
  int (*const first)(void*) = is_fork ? ForkedMain : routine;
  void* const passed = is_fork ? &call : argument;
  csink::agent::ProgramObserver* agent = flags & CLONE_THREAD ? TheObserver() : nullptr;
  if (agent && !agent->BeforeThread()) agent = nullptr;
  const auto real = csink::agent::g_clone.get();
  int r = real(first, stack, flags, passed, parent_tid, tls, child_tid);
  if (r < 0 && errno == EAGAIN && csink::agent::MadeRoom(TheObserver())) {
    r = real(first, stack, flags, passed, parent_tid, tls, child_tid);
  }
  if (r > 0 && agent) agent->AdoptThread(r);
  if (r > 0 && is_fork) csink::agent::NoteFork(r);
  return r;
}

}  // extern "C"
