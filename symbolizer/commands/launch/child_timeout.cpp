#include "symbolizer/commands/launch/child_timeout.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/util/unique_fd.h"

namespace csink::tool {
namespace {

using Clock = std::chrono::steady_clock;

/// Appends the children of all threads of `pid` (/proc/PID/task/TID/children, proc(5)).
void AddChildren(pid_t pid, std::vector<pid_t>& found) {
  std::error_code error;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  for (std::filesystem::directory_iterator it(tasks, error), end; !error && it != end;
       it.increment(error)) {
    std::ifstream children(it->path() / "children");
    for (pid_t child = 0; children >> child;) found.push_back(child);
  }
}

/// Kills a process and its descendants. A process group cannot be used: the children may have made
/// their own.
void KillTree(pid_t root) {
  std::vector<pid_t> tree{root};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    // A stopped process makes no children, so that the list below it is complete.
    kill(tree[i], SIGSTOP);
    AddChildren(tree[i], tree);
  }
  // SIGKILL also ends stopped processes.
  for (const pid_t pid : tree) kill(pid, SIGKILL);
}

/// Waits until the child has ended or `end` has come.
void WaitUntil(pid_t child, Clock::time_point end) {
  // A pidfd becomes readable when the process ends, so that no time passes between end and answer.
  const UniqueFd fd(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  while (!HasEnded(child)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return;
    constexpr long kLongestMs = 3'600'000;  // Fits poll's int
    if (fd) {
      pollfd ended = {fd.get(), POLLIN, 0};
      poll(&ended, 1, static_cast<int>(std::min<long>(left, kLongestMs)));
    } else {
      // Before Linux 5.3, or in a sandbox.
      std::this_thread::sleep_for(std::chrono::milliseconds(std::min<long>(left, 10)));
    }
  }
}

}  // namespace

// WNOWAIT: whoever waits for the child takes its status.
bool HasEnded(pid_t child) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid != 0;
}

void EndDescendants(pid_t child) {
  std::vector<pid_t> tree;
  AddChildren(child, tree);
  for (std::size_t i = 0; i < tree.size(); ++i) AddChildren(tree[i], tree);
  for (const pid_t pid : tree) kill(pid, SIGTERM);
}

bool KillAfter(pid_t child, double seconds) {
  WaitUntil(child, Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds)));
  if (HasEnded(child)) return false;
  KillTree(child);
  return true;
}

}  // namespace csink::tool
