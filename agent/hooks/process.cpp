#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

#include <cstddef>

#include "agent/hooks/outside.h"
#include "agent/libc/real.h"
#include "agent/lifecycle/exec_policy.h"
#include "agent/process/process_state.h"
#include "agent/process/program_observer.h"
#include "agent/signals/program_memory.h"

/// File: interposed functions that end the process image: exec and exit. libc's exec functions call
/// each other internally, not through interposed symbols, so each of them is interposed.

namespace csink::agent {
namespace {

using Execve = int (*)(const char*, char* const*, char* const*);
using Fexecve = int (*)(int, char* const*, char* const*);
using Execveat = int (*)(int, const char*, char* const*, char* const*, int);
using ExitNow = void (*)(int);
using Abort = void (*)();

constinit Real<Execve> g_execve("execve");
constinit Real<Execve> g_execvpe("execvpe");
constinit Real<Fexecve> g_fexecve("fexecve");
constinit Real<Execveat> g_execveat("execveat");
constinit Real<ExitNow> g__exit("_exit");
constinit Real<ExitNow> g__Exit("_Exit");
constinit Real<Abort> g_abort("abort");

// The exec itself. BeforeExec takes the collector's lock and keeps it, so nothing is between it and
// the call. errno is that of the exec.
template <class Call>
int ExecNow(Call call) noexcept {
  ProgramObserver* agent = TheObserver();
  if (agent) agent->BeforeExec();
  const int r = call();
  const int error = errno;
  if (agent) agent->ExecFailed();
  errno = error;
  return r;
}

// Wraps an exec call, which returns only if it fails. `call` gets the environment to use. `argv`:
// nullptr where the program must not be executed by csink-attach.
template <class Call>
int Exec(const ExecTarget& target, char* const* argv, char* const* envp, Call call) noexcept {
  const ExecPolicy& policy = TheExecPolicy();
  // An unreadable name or list is passed on unchanged, so that the kernel answers EFAULT as without
  // the agent.
  if (!policy.idle() && MayReadText(target.name) && MayReadTexts(envp)) {
    // If csink-attach cannot be executed, for instance because the arguments are too long for
    // five more words, the program is executed unsampled.
    TryOutside(policy, target, argv, envp,
               [](const char* attacher, char* const* words, char* const* env) {
                 (void)ExecNow([&] { return g_execve.get()(attacher, words, env); });
                 return false;
               });
    policy.Announce(policy.Examine(target, envp), OwnPid());
    const ExecPolicy::Change change = policy.PlanFor(target, envp);
    if (change.bytes != 0) envp = policy.Apply(change, envp, __builtin_alloca(change.bytes));
  }
  return ExecNow([&] { return call(envp); });
}

ExecTarget ByPath(const char* path) noexcept { return {AT_FDCWD, path, false}; }
ExecTarget ByName(const char* file) noexcept { return {AT_FDCWD, file, true}; }

void Finish(spool::End end, int detail) noexcept {
  if (ProgramObserver* agent = TheObserver()) agent->Finish(end, detail);
}

// The number of arguments of execl and similar functions, including the NULL.
std::size_t CountArguments(va_list list) noexcept {
  std::size_t count = 1;
  while (va_arg(list, const char*)) ++count;
  return count;
}

// Copies `first` and the `count` arguments behind it, the last of which is the NULL.
void TakeArguments(const char* first, std::size_t count, va_list list, char** out) noexcept {
  out[0] = const_cast<char*>(first);
  for (std::size_t i = 1; i <= count; ++i) out[i] = va_arg(list, char*);
}

// True if SIGABRT is at its default as the program sees it.
bool DiesOfAbort() noexcept {
  struct sigaction action = {};
  return sigaction(SIGABRT, nullptr, &action) == 0 && action.sa_handler == SIG_DFL;
}

}  // namespace
}  // namespace csink::agent

using namespace csink::agent;

#define CSINK_EXPORT __attribute__((visibility("default")))

// Collects a variable argument list into `argv`, on the stack as libc does: a child of vfork shares
// the heap with its parent.
#define CSINK_COLLECT(first)                                                        \
  va_list list;                                                                     \
  va_start(list, first);                                                            \
  const std::size_t count = CountArguments(list); /* `first` is declared nonnull */ \
  va_end(list);                                                                     \
  auto** argv = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*))); \
  va_start(list, first);                                                            \
  TakeArguments(first, count, list, argv)

extern "C" {

CSINK_EXPORT int execve(const char* path, char* const argv[], char* const envp[]) noexcept {
  return Exec(ByPath(path), argv, envp,
              [&](char* const* env) { return g_execve.get()(path, argv, env); });
}
CSINK_EXPORT int execvpe(const char* file, char* const argv[], char* const envp[]) noexcept {
  return Exec(ByName(file), argv, envp,
              [&](char* const* env) { return g_execvpe.get()(file, argv, env); });
}
// execv and execvp have no environment argument; libc passes `environ`, and so do these.
CSINK_EXPORT int execv(const char* path, char* const argv[]) noexcept {
  return Exec(ByPath(path), argv, environ,
              [&](char* const* env) { return g_execve.get()(path, argv, env); });
}
CSINK_EXPORT int execvp(const char* file, char* const argv[]) noexcept {
  return Exec(ByName(file), argv, environ,
              [&](char* const* env) { return g_execvpe.get()(file, argv, env); });
}
CSINK_EXPORT int fexecve(int fd, char* const argv[], char* const envp[]) noexcept {
  return Exec({fd, nullptr, false}, nullptr, envp,
              [&](char* const* env) { return g_fexecve.get()(fd, argv, env); });
}
CSINK_EXPORT int execveat(int fd, const char* path, char* const argv[], char* const envp[],
                          int flags) noexcept {
  const auto real = g_execveat.get();
  if (!real) {  // glibc before 2.34
    errno = ENOSYS;
    return -1;
  }
  return Exec({fd, path, false}, nullptr, envp,
              [&](char* const* env) { return real(fd, path, argv, env, flags); });
}

CSINK_EXPORT int execl(const char* path, const char* first, ...) noexcept {
  CSINK_COLLECT(first);
  va_end(list);
  return Exec(ByPath(path), argv, environ,
              [&](char* const* env) { return g_execve.get()(path, argv, env); });
}
CSINK_EXPORT int execlp(const char* file, const char* first, ...) noexcept {
  CSINK_COLLECT(first);
  va_end(list);
  return Exec(ByName(file), argv, environ,
              [&](char* const* env) { return g_execvpe.get()(file, argv, env); });
}
CSINK_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  CSINK_COLLECT(first);
  char* const* envp = va_arg(list, char* const*);
  va_end(list);
  return Exec(ByPath(path), argv, envp,
              [&](char* const* env) { return g_execve.get()(path, argv, env); });
}

// _exit runs no exit handlers and no destructors, so StopAgent is not called.
CSINK_EXPORT void _exit(int status) {
  Finish(csink::spool::End::kQuickExit, status);
  g__exit.get()(status);
  __builtin_unreachable();
}
CSINK_EXPORT void _Exit(int status) noexcept {
  Finish(csink::spool::End::kQuickExit, status);
  g__Exit.get()(status);
  __builtin_unreachable();
}
CSINK_EXPORT void abort(void) noexcept {
  // A handler of the program may leave abort by a jump; then the program continues.
  if (DiesOfAbort()) Finish(csink::spool::End::kAbort, 6);
  g_abort.get()();
  __builtin_unreachable();
}

}  // extern "C"
