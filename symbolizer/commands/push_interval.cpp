#include "symbolizer/commands/push_interval.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/util/unique_fd.h"
#include "profil/model/merged_file.h"
#include "symbolizer/commands/output.h"
#include "symbolizer/commands/report_command.h"

/// File: subtracts what was sent, and moves that state only after the receiver has answered.

namespace csink::tool {
namespace {

/// Writes a part as a merged file. Prints an error and returns false if that fails.
bool Keep(const Profile& part, const std::string& path) {
  const auto bytes = BuildMergedFile(part);
  if (!bytes) {
    Complain(std::string("the part that was not sent cannot be kept: ") + bytes.error().what);
    return false;
  }
  // O_EXCL: an earlier part that was not sent is kept, and nothing is written through a link.
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const auto written =
      fd ? WriteAll(fd.get(), {reinterpret_cast<const char*>(bytes->data()), bytes->size()})
         : Result<void>(Error{ErrcFromErrno(errno), errno, "cannot be opened"});
  if (!written) {
    Complain("cannot write " + path + " (" + std::strerror(written.error().sys_errno) + ")");
  }
  return written.has_value();
}

}  // namespace

bool IntervalPush::Send(Profile now, const std::string& hint) {
  // A part without samples is not sent; the next part has its time, too.
  Profile part = PartSince(now, sent_);
  if (now.processes.empty() || MostSamples(part) == 0) return true;
  const Pushed pushed = pusher_.Push(std::move(part), view_, resolve_, hint);
  if (pushed == Pushed::kNothing) return false;
  // What a receiver has rejected must not be sent again (OTLP), so it counts as sent.
  if (pushed == Pushed::kPartly) is_complete_ = false;
  sent_ = std::move(now);
  return pushed == Pushed::kAll;
}

bool IntervalPush::Send(Profile now) { return Send(std::move(now), "; the next part has it, too"); }

bool IntervalPush::Finish(Profile last, const std::string& path) {
  const std::string hint = path.empty() ? "" : "; kept for csink push in " + path;
  // Without a file the spools are still there: csink push --interval removes none.
  if (path.empty()) return Send(std::move(last), hint) && is_complete_;
  // Before Send, which moves `last`.
  const Profile part = PartSince(last, sent_);
  return Send(std::move(last), hint) ? is_complete_ : Keep(part, path);
}

}  // namespace csink::tool
