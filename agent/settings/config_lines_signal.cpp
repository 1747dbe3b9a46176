#include "agent/settings/config_lines.h"

namespace csink::agent {
namespace {

class Lines {
 public:
  explicit Lines(ConfigLines& text) noexcept : text_(text) {}

  // Inside single quotes a shell takes every byte for itself; a quote is written '\''.
  void Line(std::string_view name, std::string_view value) noexcept {
    text_.Add("CSINK_").Add(name).Add("='");
    for (const char c : value)
      text_.Add(c == '\'' ? std::string_view("'\\''") : std::string_view(&c, 1));
    text_.Add("'\n");
  }
  void Given(std::string_view name, std::string_view value) noexcept {
    if (!value.empty()) Line(name, value);
  }
  void On(std::string_view name, bool value) noexcept {
    if (value) Line(name, "1");
  }
  void Number(std::string_view name, std::uint64_t value, std::uint64_t normal) noexcept {
    if (value != normal) Line(name, Text<24>().Number(value).view());
  }
  void Time(std::string_view name, std::uint64_t ns) noexcept {
    if (ns != 0) Line(name, Text<24>().Number(ns).Add("ns").view());
  }

 private:
  ConfigLines& text_;
};

// As CSINK_EVENTS takes it: "task-clock:uk@1000003,cycles:u@4000Hz". A timer knows no levels.
Text<1024> EventsText(const EventList& events, bool timer_source) noexcept {
  Text<1024> text;
  for (std::size_t i = 0; i < events.count; ++i) {
    const EventSpec& spec = events.events[i];
    text.Add(i == 0 ? "" : ",");
    text.Add(timer_source ? std::string_view(spec.name) : EventDisplayName(spec).view()).Add('@');
    if (spec.period != 0) {
      text.Number(spec.period);
    } else {
      text.Number(spec.frequency_hz).Add("Hz");
    }
  }
  return text;
}

std::string_view FollowWord(Follow follow) noexcept {
  constexpr std::string_view kWords[] = {"none", "fork", "exec", "all"};
  return kWords[static_cast<unsigned>(follow) & 3];
}

std::string_view LogWord() noexcept {
  constexpr std::string_view kWords[] = {"error", "warn", "info", "debug"};
  return kWords[static_cast<unsigned>(GetLogLevel()) & 3];
}

}  // namespace

void WriteConfig(const Config& config, const EventList& events, bool timer_source,
                 ConfigLines& text) noexcept {
  Lines lines(text);
  lines.Line("EVENTS", EventsText(events, timer_source).view());
  lines.Line("SOURCE", timer_source ? "timer" : "ring");
  lines.On("KERNEL", config.kernel);
  if (config.stacks != Stacks::kOff) {
    lines.Line("STACKS", config.stacks == Stacks::kFp ? "fp" : "unwind");
  }
  lines.Given("OUTPUT", config.output.view());
  if (config.format != ReportFormat::kText) lines.Line("FORMAT", NameOf(config.format).name);
  lines.Number("TOP", config.top, 20);
  lines.On("PER_THREAD", config.per_thread);
  lines.Given("BASELINE", config.baseline.view());
  if (!config.report) lines.Line("REPORT", "0");
  if (!config.random_start) lines.Line("RANDOM_START", "0");
  if (config.tree == 0) lines.Given("SPOOL_DIR", config.spool_dir.view());
  lines.On("KEEP", config.keep);
  lines.Number("MIN_SAMPLES", config.min_samples, 20);
  if (config.follow != Follow::kExec) lines.Line("FOLLOW", FollowWord(config.follow));
  lines.Given("INCLUDE", config.include.view());
  lines.Given("EXCLUDE", config.exclude.view());
  lines.Time("DELAY", config.delay_ns);
  lines.Time("DURATION", config.duration_ns);
  lines.On("START_PAUSED", config.start_paused);
  lines.Given("CONTROL", config.control.view());
  lines.Number("SIGNAL", config.signal, 0);
  if (GetLogLevel() != LogLevel::kWarn) lines.Line("LOG", LogWord());
}

}  // namespace csink::agent
