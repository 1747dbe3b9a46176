#include "symbolizer/commands/inspect/ctl_command.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>

#include "core/util/parse.h"
#include "core/util/unique_fd.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"

/// File: speaks the protocol of docs/control.md: one line to the FIFO, one line of answer from
/// PATH.ack. Three rules keep several csink ctl and a dying program apart: the reader of the FIFO
/// holds a lock on it (flock(2)); whoever reads answers holds a lock on PATH.ack; stale answers are
/// read away before the command is sent.

namespace csink::tool {
namespace {

using Clock = std::chrono::steady_clock;

/// The names in a folder; empty if it cannot be read.
std::vector<std::string> NamesIn(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> handle(opendir(folder.c_str()), closedir);
  std::vector<std::string> names;
  while (const dirent* entry = handle ? readdir(handle.get()) : nullptr) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return names;
}

/// The FIFO that a process reads. The agent's control thread has a descriptor table of its own,
/// with the FIFO, PATH.ack and nothing else, so the files of that thread name the FIFO. nullopt if
/// no such thread exists or /proc does not show it.
std::optional<std::string> FifoOfPid(const std::string& pid) {
  const std::string tasks = "/proc/" + pid + "/task";
  for (const std::string& tid : NamesIn(tasks)) {
    std::string name;
    std::ifstream(tasks + "/" + tid + "/comm") >> name;
    if (name != "csink-control") continue;
    for (const std::string& fd : NamesIn(tasks + "/" + tid + "/fd")) {
      char path[4096];
      const std::string link = tasks + "/" + tid + "/fd/" + fd;
      const ssize_t n = readlink(link.c_str(), path, sizeof path);
      if (n <= 4 || path[0] != '/') continue;
      std::string answers(path, static_cast<std::size_t>(n));
      if (answers.compare(answers.size() - 4, 4, ".ack") == 0) {
        answers.resize(answers.size() - 4);
        return answers;
      }
    }
  }
  return std::nullopt;
}

/// Opens a FIFO, never another file or a symbolic link: O_CREAT is not used, and a regular file
/// would take commands silently. Opened for reading and writing, so that neither open(2) nor
/// write(2) waits for another process. Invalid with errno ESPIPE for other files, else with that of
/// lstat(2) or open(2).
UniqueFd OpenFifo(const std::string& path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0) return UniqueFd();
  if (!S_ISFIFO(status.st_mode)) {
    errno = ESPIPE;
    return UniqueFd();
  }
  return UniqueFd(open(path.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
}

/// Waits for one line until `deadline`, without its newline; empty if none came.
std::string ReadLine(int fd, Clock::time_point deadline) {
  std::string line;
  for (;;) {
    char c = 0;
    // One byte at a time: the bytes behind the line are the answer for another csink ctl.
    const ssize_t n = read(fd, &c, 1);
    if (n == 1 && c == '\n') return line;
    if (n == 1) {
      line += c;
      continue;
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return "";
    pollfd ready = {fd, POLLIN, 0};
    poll(&ready, 1, static_cast<int>(std::min<long long>(left, 1000)));
  }
}

/// Waits for the lock of the answers: only one csink ctl at a time may read them. Polls, because
/// flock(2) has no timeout.
bool LockUntil(int fd, Clock::time_point deadline) {
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (Clock::now() >= deadline) return false;
    usleep(10'000);
  }
  return true;
}

/// Whether the agent knows the first word of the command (agent/control/control_command.h). An
/// unknown one is a mistake of the caller, whatever the state of the program is.
bool IsKnown(const std::string& command) {
  static constexpr std::string_view kWords[] = {"pause", "resume", "snapshot", "reset",
                                                "mark",  "status", "stop"};
  std::string_view rest = command;
  rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \t\r")));
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r"));
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

/// Sends the command and prints the answer. Returns the exit status.
int Ask(const std::string& path, const std::string& command, Clock::time_point deadline) {
  const UniqueFd commands = OpenFifo(path);
  const int why = errno;
  if (!commands) {
    Complain(path + ": " + (why == ESPIPE ? "not a fifo" : std::strerror(why)));
    return kExitUsage;
  }
  const UniqueFd answers = OpenFifo(path + ".ack");
  // The process that reads the FIFO holds a lock on it.
  if (!answers || flock(commands.get(), LOCK_SH | LOCK_NB) == 0) {
    Complain(path + ": no running program reads this fifo (CSINK_CONTROL)");
    return kExitNoAnswer;
  }
  if (!LockUntil(answers.get(), deadline)) {
    Complain(path + ": another csink ctl waits for its answer");
    return kExitNoAnswer;
  }
  // Answers for a csink ctl that did not wait long enough.
  char stale[4096];
  while (read(answers.get(), stale, sizeof stale) > 0) {
  }
  const std::string line = command + "\n";
  // At most PIPE_BUF bytes (pipe(7)), so the line is written as a whole or not at all.
  if (write(commands.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    Complain(path + ": the fifo is full, because the program does not read commands");
    return kExitNoAnswer;
  }
  const std::string answer = ReadLine(answers.get(), deadline);
  if (answer.empty()) {
    Complain(path + ": no answer in time");
    return kExitNoAnswer;
  }
  (void)WriteAll(1, answer + "\n");
  return answer.compare(0, 2, "ok") == 0 ? 0 : kExitRefused;
}

}  // namespace

int RunCtl(const CtlOptions& options) {
  std::string command;
  for (const std::string& word : options.command) command += (command.empty() ? "" : " ") + word;
  // Below PIPE_BUF with room for the newline.
  if (command.find('\n') != std::string::npos || command.size() > 1000) {
    Complain("a command must be one line of at most 1,000 bytes");
    return kExitUsage;
  }
  // Commands that have no answer: waiting would look as if the program hung.
  const std::size_t begin = command.find_first_not_of(" \t\r");
  if (begin == std::string::npos || command[begin] == '#') {
    Complain(
        "an empty command or a comment is not possible, because the program does not answer it "
        "(csink ctl --help)");
    return kExitUsage;
  }
  if (!IsKnown(command)) {
    Complain("unknown command " + options.command[0] +
             "; the commands are: pause, resume, snapshot [FILE], reset, mark TEXT, status, stop");
    return kExitUsage;
  }
  const std::chrono::duration<double> wait(options.timeout_seconds);
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(wait);
  std::string path = options.target;
  const auto pid = ParseUnsigned(path);
  // A file with the name of a number is meant as a file.
  if (pid && access(path.c_str(), F_OK) != 0) {
    const auto fifo = FifoOfPid(path);
    if (!fifo) {
      Complain("process " + path +
               " has no control fifo (CSINK_CONTROL), or belongs to another user");
      return kExitNoAnswer;
    }
    path = *fifo;
  }
  return Ask(path, command, deadline);
}

}  // namespace csink::tool
