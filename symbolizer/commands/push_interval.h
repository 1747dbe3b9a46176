#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "profil/model/profile.h"
#include "symbolizer/commands/part_source.h"
#include "symbolizer/commands/push_profile.h"
#include "symbolizer/commands/view.h"
#include "symbolizer/report/tables/report.h"

/// File: sends a growing profile in parts.

namespace csink::tool {

/// Sends what a profile has grown since the last part that was taken. A part that was perhaps taken
/// (no answer in time), and one that may be taken later, is sent again as the same bytes before
/// anything else, so that a receiver can drop the second one by its id. A part that was refused is
/// contained in the next one. Nothing is lost.
/// Threads: one at a time.
class IntervalPush {
 public:
  /// `source` and `resolve` must outlive the object. `view` is that of the pusher.
  IntervalPush(Pusher pusher, View view, const report::Resolver& resolve, PartSource& source)
      : pusher_(std::move(pusher)), view_(std::move(view)), resolve_(resolve), source_(source) {
    view_.quiet = true;
  }

  /// Sends the growth until now. Does nothing while the receiver has asked to wait. Failures are
  /// printed, but of many the 1st, 2nd, 4th, 8th and so on alone.
  void Send();
  /// Sends the last part. If it is not taken and `path` is not empty, it is written to that file as
  /// a merged file, and one line says so. Returns whether everything of all parts was taken.
  bool Finish(const std::string& path);

 private:
  /// A part on its way.
  struct Part {
    push::Request request;
    Profile open;               ///< The state until which it goes (Growth)
    bool may_be_taken = false;  ///< It was sent before, and that did not end with a refusal
  };
  /// What is printed of repeated events: few of many.
  struct Repeated {
    std::uint64_t times = 0;
    /// Whether it is to be printed. `text`: gets their number at its end.
    bool Say(std::string& text, bool always);
  };

  Profile PartOf(Profile now) const;
  bool SendAll(const std::string& hint, bool is_last);
  bool Deliver(const std::string& hint, bool is_last);

  Pusher pusher_;
  View view_;
  const report::Resolver& resolve_;
  PartSource& source_;
  Profile open_;              ///< The state until which everything was sent
  std::optional<Part> part_;  ///< Was sent, and not taken as far as is known
  bool is_complete_ = true;   ///< No part was rejected
  Repeated failures_, rejections_, remarks_;
};

}  // namespace csink::tool
