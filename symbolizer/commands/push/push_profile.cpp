#include "symbolizer/commands/push/push_profile.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/util/report_format.h"
#include "profil/reading/model/difference.h"
#include "profil/reading/model/saturating.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/load/load_profile.h"
#include "symbolizer/commands/push/request.h"
#include "symbolizer/report/formats/formats.h"

/// File: settings and transport once, then for each push a report, its bytes and the answer.

namespace csink::tool {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

/// The format in which a receiver takes profiles.
ReportFormat FormatOf(push::Receiver receiver) {
  constexpr ReportFormat kFormats[] = {
#define CSINK_RECEIVER(receiver, name, format, ...) ReportFormat::format,
#include "symbolizer/commands/push/receivers.inc"
#undef CSINK_RECEIVER
  };
  return kFormats[static_cast<std::size_t>(receiver)];
}

/// Begin and end of the profile, and the name under which it is shown.
push::ProfileFacts FactsOf(const Profile& profile, const std::string& name) {
  push::ProfileFacts facts;
  facts.name = name;
  // In CLOCK_REALTIME, because processes may be of different machines.
  std::uint64_t begin = ~std::uint64_t{0};
  std::uint64_t end = 0;
  for (const ProcessRow& process : profile.processes) {
    const std::uint64_t lasted =
        SaturatingSubtract(process.update_monotonic_ns, process.start_monotonic_ns);
    if (process.start_realtime_ns < begin) {
      begin = process.start_realtime_ns;
      if (name.empty()) facts.name = process.program;
    }
    end = std::max(end, process.start_realtime_ns + lasted);
  }
  if (facts.name.empty()) facts.name = "unknown";
  facts.from_s = begin / kNsPerSecond;
  // Pyroscope refuses a profile that ends when it begins.
  facts.until_s = std::max(end / kNsPerSecond, facts.from_s + 1);
  return facts;
}

/// The policy for a timeout. A short one has room for several attempts.
push::RetryPolicy PolicyOf(const push::Settings& settings) {
  push::RetryPolicy policy;
  policy.total_ms = settings.timeout_ms;
  return policy;
}

/// Adds the headers of the command line. Prints an error and returns false if one is malformed.
bool AddHeaders(const std::vector<std::string>& texts, push::Settings& settings) {
  for (const std::string& text : texts) {
    std::string wrong;
    auto headers = push::DecodeHeaders(text, wrong);
    if (!headers) {
      Complain("--header: " + wrong);
      return false;
    }
    std::move(headers->begin(), headers->end(), std::back_inserter(settings.headers));
  }
  return true;
}

}  // namespace

Pusher::Pusher(push::Settings settings, std::string name,
               std::unique_ptr<push::Transport> transport, push::Meanwhile meanwhile)
    : settings_(std::move(settings)),
      name_(std::move(name)),
      transport_(std::move(transport)),
      sender_(*transport_, PolicyOf(settings_), push::RealTiming(std::move(meanwhile))) {}

Pusher Pusher::Over(push::Settings settings, std::unique_ptr<push::Transport> transport) {
  return {std::move(settings), "", std::move(transport), {}};
}

std::optional<Pusher> Pusher::Make(const PushTarget& target, push::Meanwhile meanwhile) {
  std::string wrong;
  auto settings = push::ReadSettings(
      target.url, target.receiver, [](const char* name) { return std::getenv(name); }, wrong);
  if (!settings) {
    Complain(wrong);
    return std::nullopt;
  }
  for (const std::string& warning : settings->warnings) Warn(warning);
  if (!AddHeaders(target.headers, *settings)) return std::nullopt;
  if (target.timeout_ms != 0) settings->timeout_ms = target.timeout_ms;
  std::unique_ptr<push::Transport> transport = push::OpenTransport(wrong, meanwhile);
  if (!transport) {
    Complain(wrong);
    return std::nullopt;
  }
  const char* service = std::getenv("OTEL_SERVICE_NAME");
  // --name wins over OTEL_SERVICE_NAME; without both it is the program's name (FactsOf).
  std::string name = target.name.empty() && service != nullptr ? service : target.name;
  return Pusher(std::move(*settings), std::move(name), std::move(transport), std::move(meanwhile));
}

View Pusher::ViewOfPush(bool inlines) const {
  View view;
  view.needs = report::NeedsOf(FormatOf(settings_.receiver));
  view.inlines = inlines;
  view.sort_all = true;
  return view;
}

std::optional<push::Request> Pusher::RequestOf(Profile profile, const View& view,
                                               const report::Resolver& resolve,
                                               std::string& why) const {
  const report::Report report = MakeReport(std::move(profile), view, std::nullopt, resolve);
  report::FormatOptions options;
  options.inlines = view.inlines;
  auto bytes = report::EncodeFormat(report, FormatOf(settings_.receiver), options);
  if (!bytes) {
    why = bytes.error().what;
    return std::nullopt;
  }
  auto request = push::RequestFor(settings_, FactsOf(report.profile, name_), std::move(*bytes));
  if (!request) why = "no memory to compress it";
  return request;
}

Pushed Pusher::Push(Profile profile, const View& view, const report::Resolver& resolve,
                    const std::string& hint) {
  std::string why;
  const auto request = RequestOf(std::move(profile), view, resolve, why);
  // If the request cannot be made, `why` has the reason.
  push::Outcome outcome = {push::Verdict::kRefused, why, 0, false};
  if (request) outcome = Send(*request);
  switch (outcome.verdict) {
    case push::Verdict::kTaken:
      if (!outcome.text.empty()) Warn(Shown() + ": " + outcome.text);
      return Pushed::kAll;
    // What was rejected must not be sent again, so the caller must know.
    case push::Verdict::kPartly:
      Complain(Shown() + ": " + outcome.text + hint);
      return Pushed::kPartly;
    case push::Verdict::kRetry:
    case push::Verdict::kRefused:
      break;
  }
  Complain("the profile was not sent to " + Shown() + ": " + outcome.text + hint);
  return Pushed::kNothing;
}

std::optional<PushTarget> TargetOfSetting(const std::string& option) {
  const char* variable = std::getenv("CSINK_PUSH");
  PushTarget target;
  target.url = !option.empty() || variable == nullptr ? option : variable;
  return target.url.empty() ? std::nullopt : std::optional(std::move(target));
}

bool PushSpools(Pusher& pusher, const std::vector<std::string>& paths, const std::string& spools,
                const report::Resolver& resolve) {
  View view = pusher.ViewOfPush(false);
  // A report at exit or of csink run has shown its progress before.
  view.quiet = true;
  std::size_t failed = 0;
  Profile profile = LoadProfile(paths, failed, MergeOptionsOf(view));
  const std::string hint = "; kept: csink push URL" + spools;
  return pusher.Push(std::move(profile), view, resolve, hint) == Pushed::kAll;
}

Profile PartSince(Profile now, const Profile& before) {
  Profile part = Since(std::move(now), before);
  for (ProcessRow& process : part.processes) {
    // A process that began since then is in the part as a whole.
    if (process.since_monotonic_ns == 0) continue;
    process.start_realtime_ns +=
        SaturatingSubtract(process.since_monotonic_ns, process.start_monotonic_ns);
    process.start_monotonic_ns = std::exchange(process.since_monotonic_ns, 0);
  }
  return part;
}

}  // namespace csink::tool
