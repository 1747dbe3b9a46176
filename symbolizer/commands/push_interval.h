#pragma once

#include <string>
#include <utility>

#include "profil/model/profile.h"
#include "symbolizer/commands/push_profile.h"
#include "symbolizer/commands/view.h"
#include "symbolizer/report/tables/report.h"

/// File: sends a growing profile in parts.

namespace csink::tool {

/// Sends what a profile has grown since the last part that was taken. What was not taken is part of
/// the next one, so that nothing is sent twice and nothing is lost.
/// Threads: one at a time.
class IntervalPush {
 public:
  /// `resolve` must outlive the object. `view` is that of the pusher.
  IntervalPush(Pusher pusher, View view, const report::Resolver& resolve)
      : pusher_(std::move(pusher)), view_(std::move(view)), resolve_(resolve) {
    view_.quiet = true;
  }

  /// Sends the growth until `now`, a later state of the same processes. Returns true if there was
  /// nothing to send, or everything was taken. Failures are printed.
  bool Send(Profile now);
  /// Sends the last part. If it is not taken and `path` is not empty, it is written to that file as
  /// a merged file, and one line says so. Returns whether everything of all parts was taken.
  bool Finish(Profile last, const std::string& path);

 private:
  bool Send(Profile now, const std::string& hint);

  Pusher pusher_;
  View view_;
  const report::Resolver& resolve_;
  Profile sent_;             ///< The state until which everything was sent
  bool is_complete_ = true;  ///< No part was rejected
};

}  // namespace csink::tool
