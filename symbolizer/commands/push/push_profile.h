#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profil/reading/model/profile.h"
#include "symbolizer/commands/load/view.h"
#include "symbolizer/commands/push/sender.h"
#include "symbolizer/commands/push/settings.h"
#include "symbolizer/report/tables/report.h"

/// File: sends profiles to a receiver: for `csink push`, the report at a program's end, and `csink
/// run` (docs/push.md).

namespace csink::tool {

/// Where a profile is sent, as the user says it.
struct PushTarget {
  std::string url;                         ///< "": the variables OTEL_EXPORTER_OTLP_* decide
  std::optional<push::Receiver> receiver;  ///< nullopt: by the URL (push::ReadSettings)
  /// Headers besides those of the variables, in the form of push::DecodeHeaders.
  std::vector<std::string> headers;
  /// Name of the application, Pyroscope only. "": $OTEL_SERVICE_NAME, else the program's name.
  std::string name;
  std::uint64_t timeout_ms = 0;  ///< Of one push with its retries; 0: the variables decide
};

/// How a push ended.
enum class Pushed {
  kAll,      ///< Everything was taken
  kPartly,   ///< Some of it was rejected; the same must not be sent again
  kNothing,  ///< Nothing was taken, as far as is known
};

/// Sends profiles to one receiver.
/// Threads: one at a time.
class Pusher {
 public:
  /// Reads the variables. Prints warnings about them. Returns nullopt, after an error was printed,
  /// if the target cannot be used or libcurl is missing.
  /// `meanwhile` is called while the receiver is waited for.
  static std::optional<Pusher> Make(const PushTarget& target, push::Meanwhile meanwhile = {});
  /// A pusher over another transport, for tests.
  static Pusher Over(push::Settings settings, std::unique_ptr<push::Transport> transport);

  /// What the report of a push must contain. `inlines`: inlined functions as frames of their own.
  View ViewOfPush(bool inlines) const;
  /// Makes a report of the profile, writes it in the receiver's format and sends it. Prints one
  /// line if not everything was taken, or if the receiver has a remark; `hint` ends the line after
  /// a failure. `view` is that of ViewOfPush, perhaps with other choices of the user.
  Pushed Push(Profile profile, const View& view, const report::Resolver& resolve,
              const std::string& hint);

  /// The request that Push would send. nullopt: `why` has the reason.
  std::optional<push::Request> RequestOf(Profile profile, const View& view,
                                         const report::Resolver& resolve, std::string& why) const;
  /// Sends such a request. Prints nothing.
  push::Outcome Send(const push::Request& request) {
    return sender_.Send(request, settings_.receiver);
  }
  /// How long the receiver has asked to wait (push::Sender).
  std::uint64_t HeldMs() const { return sender_.HeldMs(); }

  /// The receiver's URL without user and password, for messages.
  std::string Shown() const { return push::WithoutSecrets(settings_.url); }

 private:
  Pusher(push::Settings settings, std::string name, std::unique_ptr<push::Transport> transport,
         push::Meanwhile meanwhile);
  push::Settings settings_;
  std::string name_;
  std::unique_ptr<push::Transport> transport_;
  push::Sender sender_;
};

/// The target that the setting PUSH names: a value of `csink run --push`, else of the variable
/// CSINK_PUSH. nullopt: neither is set.
std::optional<PushTarget> TargetOfSetting(const std::string& option);

/// Sends the profile of these spools, which has ended. `spools`: the arguments, each behind a
/// blank, with which `csink push` finds them again, for the line after a failure. Returns whether
/// everything was taken; if not, a line was printed, and the spools must be kept.
bool PushSpools(Pusher& pusher, const std::vector<std::string>& paths, const std::string& spools,
                const report::Resolver& resolve);

/// The part of a profile since an earlier state of the same processes, as a profile of its own: its
/// processes begin where the earlier state ends, so that receivers add both without overlap.
Profile PartSince(Profile now, const Profile& before);

}  // namespace csink::tool
