#include "compat/atime/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

/// File: the measured program. The child is forked before the counters are attached to it and waits
/// at a gate (a pipe) until they run; then it executes the program. A second pipe, which exec
/// closes, carries the child's answers: 0 when it is ready, the errno of exec if that fails.

namespace csink::atime {
namespace {

/// Signals that are forwarded to the program. Others end atime or the program as usual.
constexpr int kPassedOn[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
/// Those of them that ask atime to end.
constexpr int kEndingSignals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

timespec Now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now;
}

double SecondsSince(const timespec& then) {
  const timespec now = Now();
  return static_cast<double>(now.tv_sec - then.tv_sec) +
         static_cast<double>(now.tv_nsec - then.tv_nsec) / 1e9;
}

/// Close-on-exec: the program inherits neither pipe.
bool MakePipe(UniqueFd& reading, UniqueFd& writing) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  reading = UniqueFd(ends[0]);
  writing = UniqueFd(ends[1]);
  return true;
}

/// Calls everything once that the child calls between the gate and exec, before it is counted.
/// Afterwards the symbols are bound and the pages are copied, so these costs are not counted as the
/// program's.
void Rehearse(char** argv) {
  char stack[4 * 4096];
  // One write a page would be enough; a step of 1,024 needs no knowledge of the size of a page.
  for (std::size_t i = 0; i < sizeof(stack); i += 1024) static_cast<volatile char*>(stack)[i] = 0;
  execvp("\x7f", argv);  // a name that exists in no folder of PATH
}

/// Runs in the child: waits at the gate, then executes the program. All calls are safe after fork
/// in a process that has threads.
[[noreturn]] void RunChild(char** argv, const WaitedSignals& signals, int gate, int answers) {
  // The program gets the mask and the actions that atime was started with.
  signals.Restore();
  Rehearse(argv);
  char released = 0;
  // After Rehearse: atime attaches the counters only then, so the rehearsal is not counted.
  const int ready = 0;
  // atime is gone, so nothing reads this status.
  if (write(answers, &ready, sizeof(ready)) < 0) _exit(125);
  ssize_t got = 0;
  do {
    got = read(gate, &released, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) _exit(125);  // atime closed the gate or died: the program is not started
  // Searches PATH as a shell does.
  execvp(argv[0], argv);
  // Before the write, which may change errno.
  const int why = errno;
  if (write(answers, &why, sizeof(why)) < 0) _exit(126);
  _exit(127);
}

}  // namespace

/// 128 + signal, as a shell reports it.
int Ending::ExitStatus() const noexcept {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

WaitedSignals::WaitedSignals() {
  sigemptyset(&waited_);
  sigaddset(&waited_, SIGCHLD);
  for (const int signal : kPassedOn) sigaddset(&waited_, signal);
  sigset_t blocked = waited_;
  sigaddset(&blocked, SIGPIPE);  // a write to a child that died fails with an errno instead
  pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  struct sigaction by_default = {};
  by_default.sa_handler = SIG_DFL;  // with SIG_IGN the kernel would discard the program's status
  sigaction(SIGCHLD, &by_default, &child_before_);
}

void WaitedSignals::Restore() const noexcept {
  sigaction(SIGCHLD, &child_before_, nullptr);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool WaitedSignals::AsksToEnd(int signal) noexcept {
  if (std::ranges::find(kEndingSignals, signal) == std::end(kEndingSignals)) return false;
  // A blocked signal stays pending, and is delivered to sigtimedwait, even if its action is
  // SIG_IGN.
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN;
}

int WaitedSignals::AskedToEnd() const noexcept {
  sigset_t pending;
  sigpending(&pending);
  for (const int signal : kEndingSignals) {
    if (sigismember(&pending, signal) == 1 && sigismember(&before_, signal) == 0 &&
        AsksToEnd(signal)) {
      return signal;
    }
  }
  return 0;
}

std::optional<Program> Program::Prepare(char** argv, const WaitedSignals& signals) {
  Program program;
  UniqueFd gate, answers;
  if (!MakePipe(gate, program.gate_) || !MakePipe(program.answers_, answers)) return std::nullopt;
  const pid_t pid = fork();
  if (pid < 0) return std::nullopt;
  if (pid == 0) {
    program.gate_ = {};  // else the child would never see the end of its own gate
    RunChild(argv, signals, gate.get(), answers.get());
  }
  // Our copies of the child's ends are closed, or reading the answers would never end.
  program.pid_ = pid;
  answers.reset();
  program.Answer();  // returns when the child is about to wait at the gate
  return program;
}

Program::Program(Program&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      gate_(std::move(other.gate_)),
      answers_(std::move(other.answers_)),
      started_(other.started_) {}

Program::~Program() {
  if (pid_ == 0) return;
  // Closing the gate without a byte makes the child exit.
  gate_ = {};
  waitpid(pid_, nullptr, 0);
}

int Program::Release() {
  // Before the byte is written, so that the wall time contains exec.
  started_ = Now();
  const char go = 1;
  // A failure: the child was killed already, and Wait gets its status.
  if (write(gate_.get(), &go, 1) != 1) return 0;
  return Answer();
}

int Program::Answer() const {
  int answer = 0;
  ssize_t got = 0;
  do {
    got = read(answers_.get(), &answer, sizeof(answer));  // 0 bytes: exec closed the pipe
  } while (got < 0 && errno == EINTR);
  // An answer of 4 bytes arrives in one piece (PIPE_BUF).
  return got == sizeof(answer) ? answer : 0;
}

int WaitedSignals::Next(siginfo_t& info) const noexcept {
  // 100 ms: the tick of the watch, and the time after which the end of the program is seen at the
  // latest.
  constexpr timespec kTick = {0, 100'000'000};
  info = {};
  const int signal = sigtimedwait(&waited_, &info, &kTick);
  return signal > 0 ? signal : 0;
}

Ending Program::Wait(const WaitedSignals& signals, const std::function<void()>& tick) {
  Ending ending;
  for (;;) {
    struct rusage used = {};
    // In each round, because one pending SIGCHLD may stand for the ends of several children.
    const pid_t ended = wait4(pid_, &ending.status, WNOHANG, &used);
    if (ended == pid_) {
      ending.wall_seconds = SecondsSince(started_);
      ending.user_seconds = Seconds(used.ru_utime);
      ending.system_seconds = Seconds(used.ru_stime);
      pid_ = 0;
      return ending;
    }
    siginfo_t info = {};
    const int signal = signals.Next(info);
    if (signal == 0) tick();
    if (WaitedSignals::AsksToEnd(signal)) ending.asked_to_end = signal;
    // si_code <= 0: sent by a process. Signals of the terminal (SI_KERNEL) reach the program
    // itself, because it is in the same process group.
    const bool sent_to_us = signal > 0 && signal != SIGCHLD && info.si_code <= 0;
    // A signal that the program itself sends to atime is not sent back to it.
    if (sent_to_us && info.si_pid != pid_) kill(pid_, signal);
  }
}

}  // namespace csink::atime
