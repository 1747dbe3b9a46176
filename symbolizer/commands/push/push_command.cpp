#include "symbolizer/commands/push/push_command.h"

#include <poll.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "core/util/parse.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/number_checks.h"
#include "symbolizer/commands/console/usage.h"
#include "symbolizer/commands/load/live_spools.h"
#include "symbolizer/commands/load/load_profile.h"
#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/commands/load/targets.h"
#include "symbolizer/commands/push/push_interval.h"

/// File: `csink push`. RunPush sends once; Watch sends a running process's growth.

namespace csink::tool {
namespace {

/// Text behind the options in --help.
constexpr char kNotes[] =
    "A collector of OpenTelemetry gets them at URL/v1development/profiles. Without a URL,\n"
    "OTEL_EXPORTER_OTLP_ENDPOINT and the other variables of OTLP decide. The files are kept,\n"
    "whatever the receiver answers.\n"
    "Exit status: 0; 1 nothing to send or not readable (the rest was sent); 2 wrong use, or no "
    "libcurl;\n"
    "4 not everything was taken, or no answer.\n"
    "Example: csink push http://collector:4318 $(pidof app)";

/// Moves the URL out of the targets. Returns false, with an error, if there is no profile.
bool TakeUrl(PushOptions& options) {
  std::vector<std::string>& targets = options.targets;
  // The name of a file may contain "://" only by "./".
  if (!targets.empty() && targets[0].find("://") != std::string::npos && targets[0][0] != '.') {
    options.target.url = targets[0];
    targets.erase(targets.begin());
  }
  if (!targets.empty()) return true;
  Complain(
      "no profile was given; usage: csink push [URL] FILE|FOLDER|PID... (csink report lists "
      "spools)");
  return false;
}

/// The spools of running processes as a source of parts.
class LiveParts : public PartSource {
 public:
  explicit LiveParts(LiveSpools& spools) : spools_(spools) {}
  Growth Read(const MergeOptions& options) override {
    Growth growth;
    growth.now = spools_.Read(options, &growth.open);
    return growth;
  }
  void Taken() override { spools_.ForgetEnded(); }

 private:
  LiveSpools& spools_;
};

/// Sends the growth of a running process every interval, and the rest at its end.
/// `meanwhile` is set to what the pusher calls while it waits for the receiver.
int Watch(const PushOptions& options, Pusher pusher, const View& view,
          const report::Resolver& resolve, push::Meanwhile& meanwhile) {
  const auto pid = options.targets.size() == 1
                       ? ParseUnsigned(options.targets[0])
                       : Result<std::uint64_t>(Error{Errc::kInvalid, 0, ""});
  if (!pid || *pid == 0 || *pid > 0x7fffffff) {
    Complain("--interval needs one process number: csink push --interval 60 URL PID");
    return kExitUsage;
  }
  const auto number = static_cast<std::uint32_t>(*pid);
  const auto ticks = StartOfProfiled(number, options.tree);
  if (!ticks) return kExitNothing;
  // Looked at from outside: the program does nothing for it (docs/push.md).
  LiveSpools spools(number, *ticks, options.tree);
  LiveParts source(spools);
  IntervalPush parts(std::move(pusher), view, resolve, source);
  // Between two sends, so that short-lived descendants and the last state are not missed.
  constexpr double kLookSeconds = 0.2;
  bool runs = spools.Look();
  // Processes come and go also while the receiver does not answer.
  meanwhile = [&spools] { (void)spools.Look(); };
  while (runs) {
    for (double waited = 0; runs && waited < options.interval_seconds; waited += kLookSeconds) {
      poll(nullptr, 0, static_cast<int>(kLookSeconds * 1000));
      runs = spools.Look();
    }
    if (runs) parts.Send();
  }
  const bool is_sent = parts.Finish("");
  meanwhile = {};
  return is_sent ? 0 : kExitNotPushed;
}

}  // namespace

void AddPush(CLI::App& app, PushOptions& options) {
  CLI::App& command = *app.add_subcommand("push", "Send profiles to a collector or to Pyroscope");
  command.add_option("--to", options.to, "otlp or pyroscope (otlp, or pyroscope for .../ingest)")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(push::kReceiverNames),
                                                     std::end(push::kReceiverNames))))
      ->type_name("RECEIVER");
  command
      .add_option("--name", options.target.name,
                  "pyroscope: the application's name, perhaps with labels: solver{host=node7}\n"
                  "(OTEL_SERVICE_NAME, else the program)")
      ->type_name("NAME");
  command
      .add_option("--header", options.target.headers,
                  "A header of the request, percent-encoded; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  command
      .add_option("--timeout", options.timeout_seconds,
                  "Seconds for one push with its retries (OTEL_EXPORTER_OTLP_TIMEOUT, else 10)")
      ->check(NumberIn(0.001, 3600))
      ->type_name("SECONDS");
  command
      .add_option("--interval", options.interval_seconds,
                  "Send what a running process adds every so many seconds, until it ends")
      ->check(NumberIn(0.2, 1e6))
      ->type_name("SECONDS");
  command.add_flag("--tree", options.tree, "With --interval: also all descendants");
  command.add_flag("--inlines", options.inlines, "Show inlined functions as separate frames");
  command.add_flag("--flat", options.flat, "Omit callers");
  command.add_option("--phase", options.phase, "Only samples after the mark of this name")
      ->type_name("NAME");
  command.add_option("targets", options.targets, "The URL, then spools, folders, process numbers")
      ->type_name("URL|FILE|FOLDER|PID");
  command.formatter(std::make_shared<Usage>(" [URL] FILE|FOLDER|PID..."));
  command.footer(kNotes);
}

int RunPush(PushOptions options, const report::Resolver& resolve) {
  if (!TakeUrl(options)) return kExitUsage;
  PushTarget& target = options.target;
  if (!options.to.empty()) {
    // The parser has checked the name.
    const auto name = std::find(std::begin(push::kReceiverNames), std::end(push::kReceiverNames),
                                std::string_view(options.to));
    target.receiver = static_cast<push::Receiver>(name - std::begin(push::kReceiverNames));
  }
  target.timeout_ms = static_cast<std::uint64_t>(options.timeout_seconds * 1000);
  push::Meanwhile meanwhile;
  auto pusher = Pusher::Make(target, options.interval_seconds > 0 ? push::Meanwhile([&meanwhile] {
                               if (meanwhile) meanwhile();
                             })
                                                                  : push::Meanwhile());
  if (!pusher) return kExitUsage;
  // The receiver's format decides what the report must contain.
  View view = pusher->ViewOfPush(options.inlines);
  view.flat = options.flat;
  view.phase = options.phase;
  if (options.interval_seconds > 0) {
    return Watch(options, std::move(*pusher), view, resolve, meanwhile);
  }
  std::size_t failed = 0;
  const std::vector<std::string> paths = SpoolsOfAll(options.targets, failed);
  // SpoolsOfAll has printed why.
  if (paths.empty()) return kExitNothing;
  Profile profile = LoadProfile(paths, failed, MergeOptionsOf(view));
  if (profile.processes.empty() || !HasSamples(profile, view, paths[0])) return kExitNothing;
  // The files stay, whatever the receiver answers.
  if (pusher->Push(std::move(profile), view, resolve, "") != Pushed::kAll) return kExitNotPushed;
  return failed == 0 ? 0 : kExitNothing;
}

}  // namespace csink::tool
