#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "profil/reading/model/profile.h"
#include "symbolizer/commands/load/view.h"
#include "symbolizer/commands/push/part_source.h"
#include "symbolizer/commands/push/push_profile.h"
#include "symbolizer/report/tables/report.h"

/// File: sends a growing profile in parts.

namespace csink::tool {

/// Sends what a profile has grown since the last part that was taken. A part that was perhaps taken
/// (no answer in time), and one that may be taken later, is sent again as the same bytes before
/// anything else, so that a receiver can drop the second one by its id. A part that was refused is
/// contained in the next one, so that nothing is lost to a receiver that is mended, until the part
/// is too large for one that refuses for good: then it is dropped and counted.
/// Threads: one at a time.
class IntervalPush {
 public:
  /// A refused part with a larger request is dropped. About 200,000 places in the code; the limit
  /// of many receivers.
  static constexpr std::size_t kMostRefusedBytes = std::size_t{4} << 20;

  /// `source` and `resolve` must outlive the object. `view` is that of the pusher.
  IntervalPush(Pusher pusher, View view, const report::Resolver& resolve, PartSource& source,
               std::size_t most_refused_bytes = kMostRefusedBytes)
      : pusher_(std::move(pusher)),
        view_(std::move(view)),
        resolve_(resolve),
        source_(source),
        most_refused_bytes_(most_refused_bytes) {
    view_.quiet = true;
  }

  /// Sends the growth until now. Does nothing while the receiver has asked to wait. Failures are
  /// printed, but of many the 1st, 2nd, 4th, 8th and so on alone.
  void Send();
  /// Sends the last part. If it is not taken and `path` is not empty, it is written to that file as
  /// a merged file, and one line says so; another one says what was dropped. Returns whether
  /// everything of all parts was taken, or is in that file.
  bool Finish(const std::string& path);

 private:
  /// A part on its way.
  struct Part {
    push::Request request;
    Profile open;               ///< The state until which it goes (Growth)
    std::uint64_t samples = 0;  ///< Of its event with the most
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
  void Drop();
  bool SayDropped() const;

  Pusher pusher_;
  View view_;
  const report::Resolver& resolve_;
  PartSource& source_;
  Profile open_;              ///< The state until which everything was sent
  std::optional<Part> part_;  ///< Was sent, and not taken as far as is known
  bool is_complete_ = true;   ///< No part was rejected or dropped
  const std::size_t most_refused_bytes_;
  std::uint64_t dropped_parts_ = 0, dropped_samples_ = 0;
  Repeated failures_, rejections_, remarks_;
};

}  // namespace csink::tool
