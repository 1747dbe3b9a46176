#include "symbolizer/commands/launch/child.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "core/machine/clocks.h"

/// File: runs a child as a shell runs a command in the foreground. Handlers for the forwarded
/// signals are installed before the child is started, and the signals are blocked until its pid is
/// known, so that none is lost or answered by this process's end.

namespace csink::tool {
namespace {

/// Signals that users send to end or control a program.
constexpr int kForwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
constexpr std::size_t kForwardedCount = sizeof kForwarded / sizeof kForwarded[0];

/// The pid to which signals are forwarded, or 0. Read in a signal handler.
std::atomic<pid_t> child_pid{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);

/// The handler. Keeps errno, because it may interrupt any function.
void Forward(int signal, siginfo_t* info, void*) {
  // SI_KERNEL: the terminal sent the signal to the whole foreground process group, so the child
  // already has it.
  const pid_t pid = child_pid.load(std::memory_order_relaxed);
  if (info->si_code != SI_KERNEL && pid > 0) {
    const int saved = errno;
    kill(pid, signal);
    errno = saved;
  }
}

/// Installs our signal handlers while the child lives. The child itself starts with the
/// dispositions and the signal mask that this process started with.
class Forwarding {
 public:
  /// The signals stay blocked until Unblock: the handler could not forward a signal before the
  /// child's pid is known.
  Forwarding() {
    sigset_t block;
    sigemptyset(&block);
    for (const int signal : kForwarded) sigaddset(&block, signal);
    sigprocmask(SIG_BLOCK, &block, &mask_);
    sigemptyset(&defaults_);
    for (std::size_t i = 0; i < kForwardedCount; ++i) {
      sigaction(kForwarded[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) continue;  // nohup: stays ignored
      sigaddset(&defaults_, kForwarded[i]);
      struct sigaction action {};
      action.sa_sigaction = Forward;
      // siginfo_t says where the signal came from.
      action.sa_flags = SA_SIGINFO | SA_RESTART;
      sigaction(kForwarded[i], &action, nullptr);
    }
  }
  ~Forwarding() {
    for (std::size_t i = 0; i < kForwardedCount; ++i) {
      sigaction(kForwarded[i], &before_[i], nullptr);
    }
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }
  /// Restores the mask. Signals that arrived meanwhile are forwarded now.
  void Unblock() const { sigprocmask(SIG_SETMASK, &mask_, nullptr); }
  /// Mask and dispositions for the child, as this process got them from its own parent.
  const sigset_t* mask() const { return &mask_; }
  const sigset_t* defaults() const { return &defaults_; }

 private:
  sigset_t mask_;
  sigset_t defaults_;
  struct sigaction before_[kForwardedCount];
};

/// Starts the command. Returns 0 and sets `pid`, or returns an errno.
int Spawn(const std::vector<std::string>& command, char* const* environment,
          const Forwarding& forwarding, const Streams& streams, pid_t& pid) {
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, forwarding.defaults());
  posix_spawnattr_setsigmask(&attributes, forwarding.mask());
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const int chosen[] = {streams.in, streams.out, streams.err};
  // The descriptors themselves are closed on exec; dup2(2) makes copies that are not.
  for (int fd = 0; fd <= 2; ++fd) {
    if (chosen[fd] >= 0) posix_spawn_file_actions_adddup2(&actions, chosen[fd], fd);
  }
  int error =
      posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environment);
  if (error == ENOEXEC) {
    // A script without "#!" is run by /bin/sh, as a shell does.
    static char shell[] = "/bin/sh";
    arguments.insert(arguments.begin(), shell);
    error = posix_spawn(&pid, shell, &actions, &attributes, arguments.data(), environment);
  }
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

int Ended::ExitCode() const {
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  // As shells do (POSIX, Shell Command Language, 2.8.2: a value above 128).
  return 128 + WTERMSIG(status);
}

Ended RunChild(const std::vector<std::string>& command, char* const* environment,
               const Streams& streams, const std::function<void(pid_t)>& started,
               const std::function<void()>& on_end) {
  Ended ended;
  // The kernel counts for the whole cgroup, so only the difference says something about the child.
  const OomKills kills_before = ReadOomKills();
  const Forwarding forwarding;
  const std::uint64_t start = MonotonicNs();
  pid_t pid = 0;
  ended.spawn_errno = Spawn(command, environment, forwarding, streams, pid);
  if (ended.spawn_errno != 0) return ended;
  child_pid.store(pid, std::memory_order_relaxed);
  forwarding.Unblock();
  if (started) started(pid);
  // WNOWAIT leaves the child as a zombie until forwarding has stopped. So its pid cannot belong to
  // another process while signals are forwarded to it.
  siginfo_t info;
  while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  child_pid.store(0, std::memory_order_relaxed);
  ended.pid = pid;
  ended.wall_ns = MonotonicNs() - start;
  if (on_end) on_end();
  // The usage includes descendants only if their parents waited for them (getrusage(2),
  // RUSAGE_CHILDREN).
  while (wait4(pid, &ended.status, 0, &ended.usage) < 0 && errno == EINTR) {
  }
  ended.end_monotonic_ns = MonotonicNs();
  ended.oom_kills = ReadOomKills().Since(kills_before);
  return ended;
}

}  // namespace csink::tool
