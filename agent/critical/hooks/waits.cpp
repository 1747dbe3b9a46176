#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "agent/critical/hooks/hooks.h"

/// File: waits for threads, for children and for time to pass.

namespace csink::agent::critical {
namespace {

using spool::MomentKind;

constinit Next<int (*)(pthread_t, void**)> g_join("pthread_join");
constinit Next<int (*)(pthread_t, void**, const timespec*)> g_timedjoin("pthread_timedjoin_np");
constinit Next<int (*)(pthread_t, void**, clockid_t, const timespec*)> g_clockjoin(
    "pthread_clockjoin_np");
constinit Next<int (*)(thrd_t, int*)> g_thrd_join("thrd_join");
constinit Next<int (*)(const timespec*, timespec*)> g_nanosleep("nanosleep");
// Before glibc 2.17 in another library.
constinit Next<int (*)(clockid_t, int, const timespec*, timespec*)> g_clock_nanosleep(
    "clock_nanosleep");
constinit Next<int (*)(useconds_t)> g_usleep("usleep");
constinit Next<unsigned (*)(unsigned)> g_sleep("sleep");
constinit Next<pid_t (*)(int*)> g_wait("wait");
constinit Next<pid_t (*)(pid_t, int*, int)> g_waitpid("waitpid");
constinit Next<pid_t (*)(int*, int, rusage*)> g_wait3("wait3");
constinit Next<pid_t (*)(pid_t, int*, int, rusage*)> g_wait4("wait4");
constinit Next<int (*)(idtype_t, id_t, siginfo_t*, int)> g_waitid("waitid");

// Handlers wait for children, and sleep.
__attribute__((constructor)) void LookUp() noexcept {
  g_join.Find();
  g_timedjoin.Find();
  g_clockjoin.Find();
  g_thrd_join.Find();
  g_nanosleep.Find();
  g_clock_nanosleep.Find();
  g_usleep.Find();
  g_sleep.Find();
  g_wait.Find();
  g_waitpid.Find();
  g_wait3.Find();
  g_wait4.Find();
  g_waitid.Find();
}

template <class Call>
auto Join(std::uint64_t thread, Call&& call) {
  return Waiting({MomentKind::kJoinWait, thread, 0}, call);
}

template <class Call>
auto Sleep(Call&& call) {
  return Waiting({MomentKind::kSleep, 0, 0}, call);
}

// Which child it was is known afterwards. `wanted`: the child that is waited for, or not above 0.
template <class Call, class PidOf>
auto WaitForChild(pid_t wanted, Call&& call, PidOf&& pid_of) {
  MomentBuffer* const own = Own();
  if (!own) return call();
  MomentBuffer::Wait wait = {MomentKind::kChildWait,
                             wanted > 0 ? static_cast<std::uint64_t>(wanted) : 0, 0};
  const std::uint64_t start_ns = own->Begin(wait, NowNs());
  const auto r = call();
  const pid_t pid = pid_of(r);
  if (pid > 0) wait.object = static_cast<std::uint64_t>(pid);
  own->End(wait, start_ns, NowNs(), MomentBuffer::kLeastWaitNs);
  return r;
}
template <class Call>
pid_t WaitForChild(pid_t wanted, Call&& call) {
  return WaitForChild(wanted, call, [](pid_t r) { return r; });
}

}  // namespace
}  // namespace csink::agent::critical

using namespace csink::agent::critical;

extern "C" {

CSINK_EXPORT int pthread_join(pthread_t thread, void** result) {
  const auto real = g_join.get();
  if (!IsOn()) return real(thread, result);
  return Join(thread, [&] { return real(thread, result); });
}
CSINK_EXPORT int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* until) {
  const auto real = g_timedjoin.get();
  if (!IsOn()) return real(thread, result, until);
  return Join(thread, [&] { return real(thread, result, until); });
}
CSINK_EXPORT int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                      const timespec* until) {
  const auto real = g_clockjoin.get();
  if (!IsOn()) return real(thread, result, clock, until);
  return Join(thread, [&] { return real(thread, result, clock, until); });
}
CSINK_EXPORT int thrd_join(thrd_t thread, int* result) {
  const auto real = g_thrd_join.get();
  if (!IsOn()) return real(thread, result);
  return Join(thread, [&] { return real(thread, result); });
}

CSINK_EXPORT int nanosleep(const timespec* time, timespec* left) {
  const auto real = g_nanosleep.get();
  if (!IsOn()) return real(time, left);
  return Sleep([&] { return real(time, left); });
}
CSINK_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  const auto real = g_clock_nanosleep.get();
  if (!IsOn()) return real(clock, flags, time, left);
  return Sleep([&] { return real(clock, flags, time, left); });
}
CSINK_EXPORT int usleep(useconds_t time) {
  const auto real = g_usleep.get();
  if (!IsOn()) return real(time);
  return Sleep([&] { return real(time); });
}
CSINK_EXPORT unsigned sleep(unsigned time) {
  const auto real = g_sleep.get();
  if (!IsOn()) return real(time);
  return Sleep([&] { return real(time); });
}

CSINK_EXPORT pid_t wait(int* status) {
  const auto real = g_wait.get();
  if (!IsOn()) return real(status);
  return WaitForChild(0, [&] { return real(status); });
}
CSINK_EXPORT pid_t waitpid(pid_t pid, int* status, int options) {
  const auto real = g_waitpid.get();
  if (!IsOn() || (options & WNOHANG)) return real(pid, status, options);
  return WaitForChild(pid, [&] { return real(pid, status, options); });
}
CSINK_EXPORT pid_t wait3(int* status, int options, rusage* usage) noexcept {
  const auto real = g_wait3.get();
  if (!IsOn() || (options & WNOHANG)) return real(status, options, usage);
  return WaitForChild(0, [&] { return real(status, options, usage); });
}
CSINK_EXPORT pid_t wait4(pid_t pid, int* status, int options, rusage* usage) noexcept {
  const auto real = g_wait4.get();
  if (!IsOn() || (options & WNOHANG)) return real(pid, status, options, usage);
  return WaitForChild(pid, [&] { return real(pid, status, options, usage); });
}
CSINK_EXPORT int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  const auto real = g_waitid.get();
  if (!IsOn() || (options & WNOHANG)) return real(type, id, info, options);
  return WaitForChild(
      type == P_PID ? static_cast<pid_t>(id) : 0, [&] { return real(type, id, info, options); },
      [&](int r) { return r == 0 && info ? info->si_pid : 0; });
}

}  // extern "C"
