#include "symbolizer/commands/mcp/own_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include "core/util/unique_fd.h"
#include "symbolizer/commands/launch/child_timeout.h"

namespace csink::tool::mcp {
namespace {

using Clock = std::chrono::steady_clock;

/// In the child: does not return.
[[noreturn]] void Exec(const OwnCommand& command, int out, int err) {
  // The program that it runs must not outlive the server: csink run passes the signal on.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  signal(SIGPIPE, SIG_DFL);  // The server ignores it, and a program would go on doing so
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  dup2(out, 1);
  dup2(err, 2);
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  std::string name = "csink";
  words.push_back(name.data());
  for (const std::string& word : command.arguments)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv("/proc/self/exe", words.data());
  _exit(127);
}

/// Reads what is there. Closes the descriptor at its end.
void Read(UniqueFd& fd, std::string& to, bool keep_first) {
  char buffer[4096];
  const ssize_t got = read(fd.get(), buffer, sizeof buffer);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    fd.reset();
    return;
  }
  to.append(buffer, static_cast<std::size_t>(got));
  if (to.size() <= kMostOutput) return;
  if (keep_first) {
    to.resize(kMostOutput);
  } else {
    to.erase(0, to.size() - kMostOutput);
  }
}

/// Both pipes until their ends, or until `end`. A process that outlives the child may hold them.
void ReadUntil(Clock::time_point end, UniqueFd& out, UniqueFd& err, OwnOutput& output) {
  while (out || err) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return;
    pollfd fds[] = {{out ? out.get() : -1, POLLIN, 0}, {err ? err.get() : -1, POLLIN, 0}};
    const int ready = poll(fds, 2, static_cast<int>(left < 1000 ? left : 1000));
    if (ready <= 0) continue;
    if (fds[0].revents != 0) Read(out, output.out, true);
    if (fds[1].revents != 0) Read(err, output.err, false);
  }
}

constexpr std::chrono::milliseconds kStep{100};

/// Reads until the child has ended or `end` has come. Returns whether it has ended. The pipes may
/// be open longer than it lives, and it may live longer than they are open.
bool DrainToTheEnd(pid_t child, Clock::time_point end, UniqueFd& out, UniqueFd& err,
                   OwnOutput& output) {
  while (!HasEnded(child) && Clock::now() < end) {
    if (out || err) {
      ReadUntil(std::min(end, Clock::now() + kStep), out, err, output);
    } else {
      poll(nullptr, 0, 10);
    }
  }
  return HasEnded(child);
}

}  // namespace

OwnOutput RunOwn(const OwnCommand& command) {
  OwnOutput output;
  int out[2];
  int err[2];
  if (pipe2(out, O_CLOEXEC) != 0) return output;
  UniqueFd out_read(out[0]);
  UniqueFd out_write(out[1]);
  if (pipe2(err, O_CLOEXEC) != 0) return output;
  UniqueFd err_read(err[0]);
  UniqueFd err_write(err[1]);
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(command.seconds));
  const pid_t child = fork();
  if (child < 0) return output;
  if (child == 0) Exec(command, out[1], err[1]);
  out_write.reset();
  err_write.reset();
  if (!DrainToTheEnd(child, end, out_read, err_read, output)) {
    output.is_late = true;
    EndDescendants(child);
    kill(child, SIGTERM);
    const auto last = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(kGraceSeconds));
    if (!DrainToTheEnd(child, last, out_read, err_read, output)) KillAfter(child, 0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ReadUntil(Clock::now() + kStep, out_read, err_read, output);  // What is still in the pipes
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace csink::tool::mcp
