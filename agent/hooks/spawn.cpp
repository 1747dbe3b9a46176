#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/hooks/outside.h"
#include "agent/libc/real.h"
#include "agent/lifecycle/exec_policy.h"
#include "agent/process/program_observer.h"
#include "agent/signals/program_memory.h"
#include "agent/signals/signal_mask.h"

/// File: posix_spawn, interposed only to change the environment of the new program. libc makes the
/// child internally, so no other hook sees it; the new program starts with the agent as any other
/// does. system and popen also spawn inside libc; they are interposed only to note that the process
/// has made a child. The new image inherits the kernel's signal mask, so during these calls that
/// mask must be the one that the program believes it has (MaskShown).

namespace csink::agent {
namespace {

using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                      const posix_spawnattr_t*, char* const*, char* const*);

constinit Real<Spawn> g_posix_spawn("posix_spawn");
constinit Real<Spawn> g_posix_spawnp("posix_spawnp");
constinit Real<int (*)(const char*)> g_system("system");
constinit Real<FILE* (*)(const char*, const char*)> g_popen("popen");

void NoteChild() noexcept {
  if (ProgramObserver* agent = TheObserver()) agent->BeforeFork();
}

// Wraps posix_spawn. `call` gets the environment to use, which lies on this function's stack:
// posix_spawn returns after the child has called exec, so the list lives long enough.
// `spawn` starts another program with other arguments.
// `pid`: where `call` stores the number of the child.
template <class Call, class Spawn>
int WithEnvironment(const pid_t* pid, const ExecTarget& target, char* const* argv,
                    char* const* envp, Call call, Spawn spawn) noexcept {
  NoteChild();
  const MaskShown shown;
  const ExecPolicy& policy = TheExecPolicy();
  ExecPolicy::Refused refused;
  if (!policy.idle() && MayReadText(target.name) && MayReadTexts(envp)) {
    if (TryOutside(policy, target, argv, envp, spawn)) return 0;
    refused = policy.Examine(target, envp);
    const ExecPolicy::Change change = policy.PlanFor(target, envp);
    if (change.bytes != 0) envp = policy.Apply(change, envp, __builtin_alloca(change.bytes));
  }
  int r = call(envp);
  ProgramObserver* agent = r == EAGAIN ? TheObserver() : nullptr;
  if (agent && agent->MakeRoomForTask()) r = call(envp);
  if (r == 0) policy.Announce(refused, *pid);
  return r;
}

}  // namespace
}  // namespace csink::agent

using namespace csink::agent;

namespace {

// A child was made: its CPU time so far is counted.
int Counted(int r, pid_t pid, pid_t* out) noexcept {
  if (r != 0) return r;
  if (out) *out = pid;
  if (ProgramObserver* agent = TheObserver()) agent->AfterSpawn(pid);
  return r;
}

}  // namespace

#define CSINK_EXPORT __attribute__((visibility("default")))

extern "C" {

CSINK_EXPORT int posix_spawn(pid_t* pid, const char* path,
                             const posix_spawn_file_actions_t* actions,
                             const posix_spawnattr_t* attributes, char* const argv[],
                             char* const envp[]) {
  pid_t child = 0;
  if (!pid) pid = &child;
  return WithEnvironment(
      pid, {AT_FDCWD, path, false}, argv, envp,
      [&](char* const* env) {
        pid_t child = 0;
        const int r = g_posix_spawn.get()(&child, path, actions, attributes, argv, env);
        return Counted(r, child, pid);
      },
      [&](const char* attacher, char* const* words, char* const* env) {
        return g_posix_spawn.get()(pid, attacher, actions, attributes, words, env) == 0;
      });
}

CSINK_EXPORT int posix_spawnp(pid_t* pid, const char* file,
                              const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const argv[],
                              char* const envp[]) {
  pid_t child = 0;
  if (!pid) pid = &child;
  return WithEnvironment(
      pid, {AT_FDCWD, file, true}, argv, envp,
      [&](char* const* env) {
        pid_t child = 0;
        const int r = g_posix_spawnp.get()(&child, file, actions, attributes, argv, env);
        return Counted(r, child, pid);
      },
      [&](const char* attacher, char* const* words, char* const* env) {
        return g_posix_spawn.get()(pid, attacher, actions, attributes, words, env) == 0;
      });
}

CSINK_EXPORT int system(const char* command) {
  if (command) NoteChild();
  const MaskShown shown;
  return g_system.get()(command);
}

CSINK_EXPORT FILE* popen(const char* command, const char* type) {
  NoteChild();
  const MaskShown shown;
  return g_popen.get()(command, type);
}

}  // extern "C"
