#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <ctime>
#include <functional>
#include <optional>

#include "core/util/unique_fd.h"

namespace csink::atime {

/// How the program ended, and the times that it used. User and system time contain those of its
/// children that it has waited for (wait4(2)).
struct Ending {
  int status = 0;  ///< Wait status, as wait4 returns it
  double wall_seconds = 0, user_seconds = 0, system_seconds = 0;
  /// False: no program was started; the measurement ended with a job. Status and times are 0 then.
  bool has_program = true;
  /// SIGHUP, SIGINT, SIGQUIT or SIGTERM if atime got it meanwhile: no further run is wanted.
  int asked_to_end = 0;

  /// The exit status that a shell reports: the program's status, or 128 + the signal that killed
  /// the program.
  int ExitStatus() const noexcept;
};

/// Blocks the signals that atime waits for (sigwaitinfo) instead of handling them, so that the end
/// of the program and signals to atime are processed in order. Never unblocks them in atime itself.
/// Threads: construct it before any other thread exists; all threads inherit the mask.
class WaitedSignals {
 public:
  WaitedSignals();
  /// In the child: restores mask and actions that atime was started with.
  void Restore() const noexcept;
  /// SIGCHLD and the signals that are forwarded.
  const sigset_t& set() const noexcept { return waited_; }
  /// Waits for one of these signals for 100 ms at most. Returns it with `info`; 0: none came.
  int Next(siginfo_t& info) const noexcept;
  /// Whether the signal would end atime if it were not blocked: SIGHUP, SIGINT, SIGQUIT or SIGTERM,
  /// and atime was not started with the signal ignored (nohup).
  static bool AsksToEnd(int signal) noexcept;
  /// A pending signal that asks to end; 0: none.
  int AskedToEnd() const noexcept;

 private:
  sigset_t waited_, before_;
  struct sigaction child_before_ = {};
};

/// The measured program: a child process that waits until it is released, then executes the
/// program.
/// Owns:    the child. If it was never released, the destructor ends it and waits for it.
class Program {
 public:
  /// Forks the child; on return it waits at the gate. nullopt: no process or no descriptors
  /// (errno).
  static std::optional<Program> Prepare(char** argv, const WaitedSignals& signals);
  Program(Program&& other) noexcept;
  Program& operator=(Program&&) = delete;
  ~Program();

  pid_t pid() const noexcept { return pid_; }
  /// Lets the child execute the program. 0: the program's image is loaded, or the child was killed
  /// before; otherwise the errno of exec. Call once.
  int Release();
  /// Waits for the end of the program. Signals that a process sends to atime are forwarded to the
  /// program; signals of a terminal reach the program directly.
  /// `tick` is called about every 100 ms while the program runs.
  Ending Wait(const WaitedSignals& signals, const std::function<void()>& tick);

 private:
  Program() = default;
  /// Reads the child's next answer: 0, or the errno of exec.
  int Answer() const;
  pid_t pid_ = 0;  // 0: no child to wait for
  UniqueFd gate_, answers_;
  timespec started_ = {};
};

}  // namespace csink::atime
