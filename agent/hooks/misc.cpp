#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/libc/real.h"
#include "agent/process/program_observer.h"
#include "core/util/raw_syscall.h"

/// File: interposed functions after which the agent could no longer do its work: sandboxes, changes
/// of user or root, closing of stderr, dlclose. They do the work before the call.

namespace csink::agent {
namespace {

using Dlclose = int (*)(void*);
using Fclose = int (*)(FILE*);
using Chroot = int (*)(const char*);
using SetId = int (*)(unsigned);
using SetId2 = int (*)(unsigned, unsigned);
using SetId3 = int (*)(unsigned, unsigned, unsigned);

constinit Real<Dlclose> g_dlclose("dlclose");
constinit Real<Fclose> g_fclose("fclose");
constinit Real<Chroot> g_chroot("chroot");
constinit Real<SetId> g_setuid("setuid");
constinit Real<SetId> g_setgid("setgid");
constinit Real<SetId> g_seteuid("seteuid");
constinit Real<SetId2> g_setreuid("setreuid");
constinit Real<SetId3> g_setresuid("setresuid");

void BeforeUserChange() noexcept {
  if (ProgramObserver* agent = TheObserver()) agent->BeforeUserChange();
}

// A raw system call's result as libc returns it: values from -4095 to -1 are errors (syscall(2)).
int Answer(long r) noexcept {
  if (r >= 0 || r < -4095) return static_cast<int>(r);
  errno = static_cast<int>(-r);
  return -1;
}

}  // namespace
}  // namespace csink::agent

using namespace csink::agent;
using csink::RawSyscall;

#define CSINK_EXPORT __attribute__((visibility("default")))

extern "C" {

CSINK_EXPORT int prctl(int option, ...) noexcept {
  // Four more words are taken and passed on for every option, whatever the caller gave.
  va_list list;
  va_start(list, option);
  const long a = va_arg(list, long);
  const long b = va_arg(list, long);
  const long c = va_arg(list, long);
  const long d = va_arg(list, long);
  va_end(list);
  const bool switches =
      option == PR_TASK_PERF_EVENTS_DISABLE || option == PR_TASK_PERF_EVENTS_ENABLE;
  ProgramObserver* agent = option == PR_SET_SECCOMP || switches ? TheObserver() : nullptr;
  // prctl makes the system call itself and does not look up libc's function: allocators may call it
  // before dlsym can be used (agent/libc/real.h).
  if (!agent) return Answer(RawSyscall(SYS_prctl, option, a, b, c, d));
  // The switch is reported after the call and only if it succeeded, so that the time off is not
  // counted for a refused call.
  if (switches) {
    const long r = RawSyscall(SYS_prctl, option, a, b, c, d);
    if (r >= 0) agent->EventsSwitched(option == PR_TASK_PERF_EVENTS_DISABLE);
    return Answer(r);
  }
  agent->BeforeSeccomp(a == SECCOMP_MODE_FILTER ? reinterpret_cast<const void*>(b) : nullptr);
  const long r = RawSyscall(SYS_prctl, option, a, b, c, d);
  agent->AfterSeccomp(r >= 0);
  return Answer(r);
}

CSINK_EXPORT int chroot(const char* path) noexcept {
  if (ProgramObserver* agent = TheObserver()) agent->BeforeChroot();
  return g_chroot.get()(path);
}
// A change of user may take away the right to write to the spool's folder; so space is reserved
// before.
CSINK_EXPORT int setuid(unsigned id) noexcept {
  BeforeUserChange();
  return g_setuid.get()(id);
}
CSINK_EXPORT int setgid(unsigned id) noexcept {
  BeforeUserChange();
  return g_setgid.get()(id);
}
CSINK_EXPORT int seteuid(unsigned id) noexcept {
  BeforeUserChange();
  return g_seteuid.get()(id);
}
CSINK_EXPORT int setreuid(unsigned real, unsigned effective) noexcept {
  BeforeUserChange();
  return g_setreuid.get()(real, effective);
}
CSINK_EXPORT int setresuid(unsigned real, unsigned effective, unsigned saved) noexcept {
  BeforeUserChange();
  return g_setresuid.get()(real, effective, saved);
}

// Many programs close stderr in an exit handler to detect write errors; the agent writes its last
// messages later. A duplicate of stderr, above the usual numbers, is made at this moment only.
CSINK_EXPORT int fclose(FILE* file) {
  if (file == stderr) {
    if (ProgramObserver* agent = TheObserver()) agent->BeforeStderrCloses();
  }
  return g_fclose.get()(file);
}

// dlopen is not interposed: it searches relative to its caller, which must be the program.
CSINK_EXPORT int dlclose(void* handle) noexcept {
  ProgramObserver* agent = TheObserver();
  if (agent) agent->BeforeUnload();
  const int r = g_dlclose.get()(handle);
  if (agent) agent->AfterUnload();
  return r;
}

}  // extern "C"
