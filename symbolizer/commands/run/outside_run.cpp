#include "symbolizer/commands/run/outside_run.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/util/unique_fd.h"
#include "symbolizer/commands/console/messages.h"

/// File: two pipes. The gate: the child, which is csink-attach itself at first, waits for a byte.
/// Ready: csink-attach, a second process of it, writes a byte when the events are open, and its end
/// of the pipe is closed in any case.

namespace csink::tool {
namespace {

// csink-attach ends with it if the program had no sample (attach_main.cpp).
constexpr int kNothing = 4;

/// Both ends of a pipe.
struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

/// Both ends are closed on exec. Invalid: no descriptors are left.
Pipe MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// Lets the next program that is executed inherit the descriptor.
void PassOn(const UniqueFd& fd) { fcntl(fd.get(), F_SETFD, 0); }

/// Starts csink-attach for process `pid`. Returns its number, or 0.
pid_t StartAttacher(const OutsideRun& run, pid_t pid, const UniqueFd& ready) {
  Changes changes = run.changes;
  // For an agent that /etc/ld.so.preload names.
  changes.emplace_back("CSINK_ENABLE", "0");
  Environment environment("", changes);
  std::string words[] = {run.attacher, "follow", std::to_string(pid), std::to_string(ready.get())};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t attacher = 0;
  const int error =
      posix_spawn(&attacher, run.attacher.c_str(), nullptr, nullptr, arguments, environment.data());
  return error == 0 ? attacher : 0;
}

/// Waits for one byte. False: the other end was closed.
bool AwaitByte(const UniqueFd& fd) {
  char byte = 0;
  ssize_t n = 0;
  do {
    n = read(fd.get(), &byte, 1);
  } while (n < 0 && errno == EINTR);
  return n == 1;
}

}  // namespace

Ended RunFromOutside(const std::vector<std::string>& command, const OutsideRun& run, bool& failed) {
  Pipe gate = MakePipe();
  Pipe ready = MakePipe();
  if (!gate.read || !ready.read) {
    Ended ended;
    // MakePipe does not return its error; no other one is likely.
    ended.spawn_errno = EMFILE;
    return ended;
  }
  PassOn(gate.read);
  std::vector<std::string> held = {run.attacher, "hold", std::to_string(gate.read.get()),
                                   run.agent};
  held.insert(held.end(), command.begin(), command.end());
  Environment environment("", run.changes);
  pid_t attacher = 0;
  const auto attach = [&](pid_t pid) {
    // The child has its own copy. With this one closed, the pipe ends with the child.
    gate.read = UniqueFd();
    PassOn(ready.write);
    attacher = StartAttacher(run, pid, ready.write);
    // Otherwise AwaitByte would not see the end of the pipe when csink-attach dies.
    ready.write = UniqueFd();
    if (attacher == 0) Complain(run.attacher + " cannot be started");
    failed = attacher == 0;
    const char open = attacher != 0 && AwaitByte(ready.read) ? 's' : 'u';
    // The child may have ended already (kill -9); then the pipe has no reader, which WriteAll
    // returns as an error. Both children are started, so neither inherits the ignored SIGPIPE.
    (void)WriteAll(gate.write.get(), {&open, 1});
    gate.write = UniqueFd();
  };
  // csink-attach reads the program's status and last times while it is a zombie.
  const auto await_attacher = [&] {
    int status = 0;
    if (attacher == 0) return;
    while (waitpid(attacher, &status, 0) < 0 && errno == EINTR) {
    }
    failed = !WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != kNothing);
  };
  return RunChild(held, environment.data(), {}, attach, await_attacher);
}

}  // namespace csink::tool
