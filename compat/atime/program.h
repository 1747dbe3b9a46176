#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <ctime>
#include <optional>

#include "core/util/unique_fd.h"

namespace csink::atime {

/// How the program ended.
struct Ending {
  int status = 0;  ///< As wait gives it
  double wall_seconds = 0, user_seconds = 0, system_seconds = 0;

  /// What a shell would say: the program's status, or 128 + the signal that killed it.
  int ExitStatus() const noexcept;
};

/// Signals that are waited for instead of handled, so that the program's end and what is sent to
/// atime are seen in order.
/// Threads: made before any other thread, so that all have them blocked.
class WaitedSignals {
 public:
  WaitedSignals();
  /// In the child: signals as they were when atime was started.
  void Restore() const noexcept;
  const sigset_t& set() const noexcept { return waited_; }
  /// One of SIGHUP, SIGINT, SIGQUIT and SIGTERM that was sent and would have ended atime, had it
  /// not been blocked; 0: none.
  int AskedToEnd() const noexcept;

 private:
  sigset_t waited_, before_;
  struct sigaction child_before_ = {};
};

/// The measured program, from a child that waits to be released to its end.
/// Owns:    the child: when it was never released, it ends with this object, and is waited for.
class Program {
 public:
  /// A child that runs nothing yet. nullopt: no process, no descriptors (errno).
  static std::optional<Program> Prepare(char** argv, const WaitedSignals& signals);
  Program(Program&& other) noexcept;
  Program& operator=(Program&&) = delete;
  ~Program();

  pid_t pid() const noexcept { return pid_; }
  /// Lets it run: 0 once the program's image is loaded, else the errno of exec.
  int Release();
  /// Waits for its end. Signals that a process sends to atime are passed on to the program; those
  /// that a terminal sends reach it by themselves.
  Ending Wait(const WaitedSignals& signals);

 private:
  Program() = default;
  /// The child's next answer: 0, or the errno of exec.
  int Answer() const;
  pid_t pid_ = 0;  // 0: nobody to wait for
  UniqueFd gate_, answers_;
  timespec started_ = {};
};

}  // namespace csink::atime
