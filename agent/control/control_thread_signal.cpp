#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "agent/control/control_command.h"
#include "agent/control/control_fifo.h"
#include "agent/control/controller.h"
#include "agent/control/snapshot_request.h"
#include "agent/process/task_list.h"
#include "core/machine/clocks.h"
#include "core/machine/raw_thread.h"
#include "core/util/futex.h"
#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"
#include "core/util/small_file.h"
#include "core/util/thread_id.h"

/// File: the control thread: it waits for commands, times and the snapshot signal.
///
/// The thread exists only where CSINK_CONTROL, CSINK_DELAY, CSINK_DURATION or CSINK_SIGNAL asks for
/// it. It is a thread that only the kernel knows (core/machine/raw_thread.h), with descriptors of
/// its own: for its C library the program stays single-threaded, and it finds no descriptor of the
/// agent. A wall-time timer with a signal was considered; it makes nanosleep and poll of the
/// program return EINTR. The thread has no thread-local storage, so everything here makes raw
/// system calls only.
///
/// One loop: deadlines, then a snapshot if the signal's counter has changed, then every 250 ms a
/// look at the fifo's name and at the other tasks, then a wait in ppoll or on the counter's futex
/// until the next of these is due.

/// Notes a mark of `bytes` bytes for `atime --phases`. libcsink-marks.so, which atime preloads,
/// defines it; nullptr where that library is not loaded. Makes raw system calls only.
extern "C" __attribute__((weak)) int csink_marks_note(const char* name, std::size_t bytes) noexcept;

namespace csink::agent {
namespace {

// Time between two looks at the name of the fifo and at the end of the program.
constexpr std::uint64_t kVisitNs = 250'000'000;
// When a deadline is tried again whose request found the collector's lock held.
constexpr std::uint64_t kRetryNs = 10'000'000;
// The longest wait in ppoll where CSINK_SIGNAL is set: the handler wakes the futex, not ppoll, so
// the counter is polled.
constexpr std::uint64_t kSignalVisitNs = 50'000'000;
constexpr std::size_t kReadBytes = 4096;

// Stack and thread area of the control thread. Static, because nothing could free them at its end.
RawThreadMemory g_memory;

// The answer's words for an errno of Controller's requests.
const char* ErrorText(int error) noexcept {
  switch (error) {
    case EPERM:
      return "not possible: the program is in a seccomp sandbox, or sampling was stopped";
    case ESHUTDOWN:
      return "the program is ending";
    case EBUSY:
      return "busy";
    case EINVAL:
      return "the argument is not valid";
    case E2BIG:
      return "the argument is too long, or there are too many marks";
    case ENOSPC:
      return "no space for the spool file";
    case ENODATA:
      return "nothing was sampled yet";
    case ENOENT:
      return "the csink program was not found (CSINK_REPORTER)";
    case EACCES:
      return "the program can no longer read its profile: it changed its user or its root "
             "directory, "
             "or gave up a capability";
    default:
      return "the report could not be written";
  }
}

void AnswerStatus(Controller& control, Text<900>& answer) noexcept {
  const ControlStatus status = control.Status();
  answer.Add("ok ").Add(SamplingName(status.sampling));
  if (status.error != 0) return;
  answer.Add(" samples ").Number(status.samples);
  answer.Add(" paused_ms ").Number(status.paused_ns / 1'000'000);
  if (status.spool.size() != 0) answer.Add(" spool ").Add(status.spool.view());
  if (status.mark.size() != 0) answer.Add(" mark ").Add(status.mark.view());
}

// Carries out one command and composes its answer: "ok ..." or "error ...".
void Execute(Controller& control, const ControlCommand& command, Text<900>& answer) noexcept {
  using Kind = ControlCommand::Kind;
  int error = 0;
  const char* word = "";
  switch (command.kind) {
    case Kind::kPause:
      error = control.Pause();
      word = control.sampling() == Sampling::kStopped ? "stopped" : "paused";
      break;
    case Kind::kResume:
      error = control.Resume();
      word = "running";
      break;
    case Kind::kStop:
      error = control.Stop();
      word = "stopped";
      break;
    case Kind::kReset:
      error = control.StartAnew();
      word = "reset";
      break;
    case Kind::kMark:
      error = control.Mark(command.argument);
      // What it answers does not matter: the mark is in the profile.
      if (error == 0 && csink_marks_note) {
        csink_marks_note(command.argument.data(), command.argument.size());
      }
      word = "mark ";
      break;
    case Kind::kSnapshot:
      error = control.Snapshot(command.argument);
      word = "snapshot ";
      break;
    case Kind::kStatus:
      AnswerStatus(control, answer);
      return;
    case Kind::kBad:
      answer.Add("error ").Add(command.complaint.view());
      return;
    case Kind::kNone:
      return;
  }
  if (error != 0) {
    answer.Add("error ").Add(ErrorText(error));
    return;
  }
  answer.Add("ok ").Add(word).Add(command.argument);
  if (command.kind == Kind::kSnapshot && command.argument.empty()) {
    answer.Number(control.state().snapshots);
  }
}

void ServeLine(Controller& control, ControlFifos& fifos, std::string_view line,
               bool too_long) noexcept {
  Text<900> answer;
  if (too_long) {
    answer.Add("error the line is too long");
  } else {
    const ControlCommand command = ParseControlCommand(line);
    if (command.kind == ControlCommand::Kind::kNone) return;
    // Report and messages of a command need the program's stderr; it is borrowed for the command
    // only.
    const BorrowedStderr lent;
    Execute(control, command, answer);
  }
  fifos.Answer(answer.view());
}

void ServeFifo(Controller& control, ControlFifos& fifos, ControlLines& lines) noexcept {
  char bytes[kReadBytes];
  const std::size_t n = fifos.Read(bytes, sizeof bytes);
  if (n == 0) return;
  // Only now that a new command has come: until then a slow script may still read its answer.
  fifos.DropOldAnswers();
  lines.Feed({bytes, n}, [&](std::string_view line, bool too_long) {
    ServeLine(control, fifos, line, too_long);
  });
}

}  // namespace

bool Controller::LockFifos() noexcept {
  constexpr std::uint64_t kSliceNs = 10'000'000;
  while (!state_.fifo_lock.Lock(threads_.control_thread(), kSliceNs)) {
    // The thread that ends the process keeps the lock.
    if (process_.finished()) return false;
  }
  return true;
}

bool Controller::OpenFifos(ControlFifos& fifos) noexcept {
  if (config_.control.size() == 0) return false;
  Text<640> path;
  ExpandControlPath(config_.control.view(), start_state_.directory,
                    static_cast<std::uint64_t>(OwnPid()), path);
  const char* why = "";
  if (!LockFifos()) return false;
  const ControlFifos::Outcome outcome =
      fifos.Open(path.view(), state_.commands, state_.answers, &why);
  if (outcome == ControlFifos::Outcome::kOpen) {
    fifos.Inherit(state_.inherits_commands ? &state_.commands : nullptr,
                  state_.inherits_answers ? &state_.answers : nullptr);
    state_.serves.store(true, std::memory_order_release);
  }
  state_.fifo_lock.Unlock();
  switch (outcome) {
    case ControlFifos::Outcome::kOpen:
      return true;
    // Usual in a tree of processes that share CSINK_CONTROL.
    case ControlFifos::Outcome::kTaken:  // the rule in a tree of processes: %p gives each its own
      RawLog(LogLevel::kInfo,
             "another process serves the fifo of CSINK_CONTROL; with %p in its name each process "
             "has its own");
      return false;
    case ControlFifos::Outcome::kRefused:
      break;
  }
  const BorrowedStderr lent;
  Text<800> line;
  line.Add("commands cannot be received through CSINK_CONTROL=")
      .Add(path.view())
      .Add(": ")
      .Add(why);
  RawLog(LogLevel::kWarn, line.view());
  return false;
}

bool Controller::NeedsThread() const noexcept {
  const bool timed = state_.resume_at_ns.load() != 0 || state_.stop_at_ns.load() != 0 ||
                     (config_.duration_ns != 0 && !state_.duration_runs);
  // A forked child has the fifo only if %p gives it one of its own; the parent serves the other.
  const bool fifo =
      config_.control.size() != 0 && (!state_.forked || HasPid(config_.control.view()));
  const bool waits = config_.wait && waits_ != nullptr;
  return timed || fifo || waits || (config_.signal != 0 && SnapshotSignalIsOurs());
}

void Controller::StartThread() noexcept {
  // A forked child has the deadlines and the handler of its parent.
  if (!state_.forked) {
    if (state_.start_paused) {
      // The first resume starts the duration's clock.
    } else if (state_.delay_ns != 0) {
      state_.resume_at_ns.store(start_state_.monotonic_ns + state_.delay_ns);
    } else if (config_.duration_ns != 0) {
      state_.duration_runs = true;
      state_.stop_at_ns.store(start_state_.monotonic_ns + config_.duration_ns);
    }
    if (config_.signal != 0) InstallSnapshotSignal(static_cast<int>(config_.signal));
  }
  if (process_.sandboxed() || !NeedsThread()) return;
  const long tid = StartRawThread(
      [](void* control) { static_cast<Controller*>(control)->RunThread(); }, this, g_memory);
  if (tid < 0) {
    RawLog(LogLevel::kWarn,
           "the control thread could not be created: CSINK_CONTROL, CSINK_DELAY, CSINK_DURATION, "
           "CSINK_SIGNAL and CSINK_WAIT have no effect");
    return;
  }
  threads_.set_control_thread(static_cast<pid_t>(tid));
}

void Controller::KeepDeadlines() noexcept {
  const std::uint64_t now = MonotonicNs();
  const std::uint64_t resume_at = state_.resume_at_ns.load(std::memory_order_acquire);
  if (resume_at != 0 && now >= resume_at) {
    const bool busy = Resume(Origin::kSetting) == EBUSY;
    state_.resume_at_ns.store(busy ? now + kRetryNs : 0, std::memory_order_release);
  }
  const std::uint64_t stop_at = state_.stop_at_ns.load(std::memory_order_acquire);
  if (stop_at != 0 && now >= stop_at) {
    const bool busy = Stop(Origin::kSetting) == EBUSY;
    state_.stop_at_ns.store(busy ? now + kRetryNs : 0, std::memory_order_release);
  }
}

// True if main has left by a bare exit of its thread (pthread_exit) and only the agent's threads
// are left: the control thread must then end, because it would keep the process alive. A main
// thread that has ended while others live is a zombie, state 'Z' in /proc/self/stat. At most three
// tasks: the zombie, the control thread and the agent thread.
bool Controller::IsLastTask() const noexcept {
  const std::size_t tasks = CountTasks();
  if (tasks == 0 || tasks > 3) return false;
  // The state follows the name, which may contain parentheses and blanks; so the search starts at
  // the end.
  const SmallFile<512> stat("/proc/self/stat");
  std::string_view text = stat.view();
  std::size_t behind_name = text.size();
  while (behind_name > 0 && text[behind_name - 1] != ')') --behind_name;
  const bool main_gone = behind_name + 1 < text.size() && text[behind_name + 1] == 'Z';
  return main_gone && (tasks == 2 || threads_.agent_thread() != 0);
}

std::uint64_t Controller::Observe() noexcept {
  if (!config_.wait || waits_ == nullptr) return WaitObserver::kNever;
  if (waits_->NextNs(MonotonicNs()) == 0) waits_->Moment();
  if (const char* line = waits_->TakeComplaint()) {
    const BorrowedStderr lent;
    RawLog(LogLevel::kWarn, line);
  }
  return waits_->NextNs(MonotonicNs());
}

void Controller::RunThread() noexcept {
  threads_.set_control_thread(AskTid());
  // The thread's CPU time is the agent's, so it is subtracted from the process clock.
  collector_.accounts().process_clock().set_own_thread(threads_.control_thread());
  RawSyscall(SYS_prctl, PR_SET_NAME, SyscallArg("csink-control"));
  TakeOwnDescriptors();
  // The working directory is the thread's own, and this thread must not keep a file system busy.
  RawSyscall(SYS_chdir, SyscallArg("/"));
  ControlFifos fifos;
  ControlLines lines;
  const bool served = OpenFifos(fifos);
  const std::uint64_t visit_ns = served && config_.signal != 0 ? kSignalVisitNs : kVisitNs;
  std::uint64_t next_visit = MonotonicNs() + kVisitNs;
  std::uint32_t signals_seen = 0;
  if (config_.wait && waits_ != nullptr) waits_->Begin(threads_.control_thread());
  for (;;) {
    if (process_.finished()) return;
    // The thread waits in the one system call that it makes anyway and makes no other.
    if (process_.sandboxed()) {
      if (config_.wait && waits_ != nullptr) waits_->NoteSandbox();
      FutexWait(&state_.signals, state_.signals.load(), kVisitNs);
      // In strict mode a thread can leave only by a bare exit.
      if (process_.one_thread_sandboxed() && IsLastTask()) return;
      continue;
    }
    KeepDeadlines();
    const std::uint32_t signals = state_.signals.load(std::memory_order_acquire);
    if (signals != signals_seen) {
      signals_seen = signals;
      const BorrowedStderr lent;
      const int error = Snapshot({});
      if (error != 0 && error != ESHUTDOWN) {
        Text<256> line;
        line.Add("the snapshot was not written: ").Add(ErrorText(error));
        RawLog(LogLevel::kWarn, line.view());
      }
    }
    const std::uint64_t now = MonotonicNs();
    if (now >= next_visit) {
      if (served && state_.fifo_lock.TryLock(threads_.control_thread())) {
        fifos.Revisit(state_.commands, state_.answers);
        state_.fifo_lock.Unlock();
      }
      if (IsLastTask()) return;
      next_visit = now + kVisitNs;
    }
    std::uint64_t wait_ns = visit_ns;
    if (const std::uint64_t look_ns = Observe(); look_ns < wait_ns) wait_ns = look_ns;
    for (const std::uint64_t at : {state_.resume_at_ns.load(), state_.stop_at_ns.load()}) {
      const std::uint64_t left_ns = at > now ? at - now : 0;
      if (at != 0 && left_ns < wait_ns) wait_ns = left_ns;
    }
    if (!served) {
      FutexWait(&state_.signals, signals_seen, wait_ns);
      continue;
    }
    struct pollfd ready = {fifos.fd(), POLLIN, 0};
    // wait_ns is at most kVisitNs, so it fits into tv_nsec.
    const timespec limit = {0, static_cast<long>(wait_ns)};
    if (RawSyscall(SYS_ppoll, SyscallArg(&ready), 1, SyscallArg(&limit), 0, 8) > 0) {
      if (!process_.sandboxed()) ServeFifo(*this, fifos, lines);
    }
  }
}

}  // namespace csink::agent
