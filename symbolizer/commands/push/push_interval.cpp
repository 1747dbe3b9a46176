#include "symbolizer/commands/push/push_interval.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/util/unique_fd.h"
#include "profil/reading/merge/merged_file.h"
#include "profil/reading/model/child_ends.h"
#include "profil/reading/model/difference.h"
#include "profil/reading/model/outer_numbers.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/load/interrupt_cost.h"
#include "symbolizer/commands/load/sample_counts.h"

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

bool IntervalPush::Repeated::Say(std::string& text, bool always) {
  ++times;
  if (times > 1) text += " (" + std::to_string(times) + " times so far)";
  // A receiver that fails for a year at an interval of a second makes 26 lines.
  return always || (times & (times - 1)) == 0;
}

Profile IntervalPush::PartOf(Profile now) const {
  Profile part = PartSince(std::move(now), open_);
  ApplyOuterNumbers(part);
  ApplyChildEnds(part);
  DropUnsampled(part);
  AddInterruptCosts(part);
  return part;
}

bool IntervalPush::Deliver(const std::string& hint, bool is_last) {
  const push::Outcome outcome = pusher_.Send(part_->request);
  if (outcome.verdict == push::Verdict::kRefused) {
    std::string text =
        "a part of the profile was not sent to " + pusher_.Shown() + ": " + outcome.text + hint;
    if (failures_.Say(text, is_last)) Complain(text);
    part_->may_be_taken = part_->may_be_taken || outcome.may_pass || outcome.attempts > 1;
    // The same bytes would be refused again.
    if (part_->may_be_taken) return false;
    if (part_->request.body.size() > most_refused_bytes_ && !is_last) {
      Drop();
    } else {
      part_.reset();
    }
    return false;
  }
  std::string text = pusher_.Shown() + ": " + outcome.text;
  const bool is_whole = outcome.verdict == push::Verdict::kTaken;
  if (!is_whole) {
    // What a receiver has rejected must not be sent again (OTLP), so it counts as sent.
    is_complete_ = false;
    if (rejections_.Say(text, is_last)) Complain(text);
  } else if (!outcome.text.empty() && remarks_.Say(text, false)) {
    Warn(text);
  }
  open_ = std::move(part_->open);
  part_.reset();
  source_.Taken();
  return is_whole;
}

// Counts the part as if it had been taken.
void IntervalPush::Drop() {
  ++dropped_parts_;
  dropped_samples_ += part_->samples;
  is_complete_ = false;
  open_ = std::move(part_->open);
  part_.reset();
  source_.Taken();
}

// Returns whether nothing was dropped.
bool IntervalPush::SayDropped() const {
  if (dropped_parts_ == 0) return true;
  Complain(pusher_.Shown() + " refused " + std::to_string(dropped_parts_) +
           (dropped_parts_ == 1 ? " part with " : " parts with ") +
           std::to_string(dropped_samples_) + " samples, each of more than " +
           std::to_string(most_refused_bytes_ >> 20) + " MiB: they were dropped");
  return false;
}

bool IntervalPush::SendAll(const std::string& hint, bool is_last) {
  if (part_ && !Deliver(hint, is_last)) return false;
  Growth growth = source_.Read(MergeOptionsOf(view_));
  Profile part = PartOf(std::move(growth.now));
  if (MostSamples(part) == 0) {
    open_ = std::move(growth.open);
    source_.Taken();
    return true;
  }
  std::string why;
  const std::uint64_t samples = MostSamples(part);
  auto request = pusher_.RequestOf(std::move(part), view_, resolve_, why);
  if (!request) {
    std::string text = "a part of the profile cannot be sent: " + why + hint;
    if (failures_.Say(text, is_last)) Complain(text);
    return false;
  }
  part_ = Part{std::move(*request), std::move(growth.open), samples};
  return Deliver(hint, is_last);
}

void IntervalPush::Send() {
  if (pusher_.HeldMs() == 0) (void)SendAll("; it is sent again", false);
}

bool IntervalPush::Finish(const std::string& path) {
  // Without a file the spools are still there: csink push --interval removes none.
  const std::string hint = path.empty() ? "" : "; kept for csink push in " + path;
  const bool is_sent = SendAll(hint, true);
  const bool has_all = SayDropped();
  if (is_sent) return is_complete_;
  if (path.empty()) return false;
  // Everything behind the last part that was taken, so also the one whose answer is not known.
  Profile left = PartOf(source_.Read(MergeOptionsOf(view_)).now);
  return MostSamples(left) == 0 ? is_complete_ : Keep(left, path) && has_all;
}

}  // namespace csink::tool
