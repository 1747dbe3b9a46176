#include "symbolizer/commands/push/tree_push.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/settings/settings.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/push/push_interval.h"
#include "symbolizer/commands/push/tree_parts.h"
#include "symbolizer/report/wording/shorten.h"

/// File: the process that sends parts. A process and not a thread: RunChild (child.h) needs a
/// process with one thread.

namespace csink::tool {
namespace {

/// Exit statuses of the sending process.
constexpr int kSpoolsDone = 0;
constexpr int kSpoolsNeeded = 1;

/// Waits for the interval. Returns false at the end of the pipe.
bool WaitForInterval(int pipe, std::uint64_t interval_ns) {
  pollfd end = {pipe, POLLIN, 0};
  constexpr std::uint64_t kMostMs = 2'000'000'000;
  const std::uint64_t ms = std::clamp<std::uint64_t>(interval_ns / 1'000'000, 1, kMostMs);
  return poll(&end, 1, static_cast<int>(ms)) == 0;
}

/// The file for a part that no receiver took: beside the tree's folder, because a report of that
/// folder would count it a second time.
std::string UnsentFile(const std::string& folder) {
  return folder.substr(0, folder.rfind('/') + 1) + "unsent." + report::BaseName(folder) + ".csink";
}

/// The sending process.
int SendParts(const std::string& folder, std::uint64_t interval_ns, Pusher pusher,
              const report::Resolver& resolve, int pipe) {
  const View view = pusher.ViewOfPush(false);
  TreeParts source(folder);
  IntervalPush parts(std::move(pusher), view, resolve, source);
  while (WaitForInterval(pipe, interval_ns)) parts.Send();
  return parts.Finish(UnsentFile(folder)) ? kSpoolsDone : kSpoolsNeeded;
}

}  // namespace

TreePush::~TreePush() { (void)WaitForSender(); }

bool TreePush::Prepare(const std::string& push, const std::string& interval) {
  const auto target = TargetOfSetting(push);
  if (!target) {
    if (!interval.empty()) Complain("--push-interval needs --push URL");
    return interval.empty();
  }
  pusher_ = Pusher::Make(*target);
  if (!pusher_) return false;
  const char* variable = std::getenv("CSINK_PUSH_INTERVAL");
  const std::string text = interval.empty() && variable != nullptr ? variable : interval;
  // Only the variable can be wrong here: the parser has checked the option.
  if (!text.empty() && !ReadValue(Setting::kPushInterval, text, interval_ns_)) {
    Warn("CSINK_PUSH_INTERVAL=" + text + " is ignored: expected " +
         ExpectationOf(Setting::kPushInterval).c_str());
  }
  return true;
}

void TreePush::Start(const std::string& folder, const report::Resolver& resolve) {
  if (!pusher_ || interval_ns_ == 0) return;
  int ends[2] = {-1, -1};
  // The pipe carries no data: its end says that the tree has ended, or that csink run has died.
  const bool has_pipe = pipe2(ends, O_CLOEXEC) == 0;
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const pid_t pid = has_pipe ? fork() : -1;
  if (pid < 0) {
    Warn(std::string("the profile is sent at the end only: no process can be started (") +
         std::strerror(errno) + ")");
    return;
  }
  if (pid == 0) {
    // Otherwise the sender would hold the pipe open itself and never see its end.
    write_end = UniqueFd();
    // `csink run` survives these signals, too, and asks for the last part by closing the pipe.
    for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);
    // _exit: buffers and handlers at exit are the parent's.
    _exit(SendParts(folder, interval_ns_, std::move(*pusher_), resolve, read_end.get()));
  }
  pipe_ = std::move(write_end);
  sender_ = pid;
}

bool TreePush::WaitForSender() {
  if (sender_ == 0) return true;
  pipe_ = UniqueFd();
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(sender_, &status, 0);
  } while (ended < 0 && errno == EINTR);
  const bool is_done = ended == sender_ && WIFEXITED(status) && WEXITSTATUS(status) == kSpoolsDone;
  sender_ = 0;
  return is_done;
}

bool TreePush::Finish(const std::vector<std::string>& spools, const std::string& folder,
                      const report::Resolver& resolve) {
  if (!pusher_) return true;
  // The sender has what was sent so far, so that it sends the rest, too.
  if (sender_ != 0) return WaitForSender();
  return PushSpools(*pusher_, spools, " " + folder, resolve);
}

}  // namespace csink::tool
