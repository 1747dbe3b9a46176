#include "agent/config.h"

#include <cstring>
#include <string_view>

#include "core/util/nearest.h"
#include "core/util/parse.h"
#include "core/util/signal_name.h"

namespace csink::agent {
namespace {

constexpr std::string_view kPrefix = "CSINK_";

// Takes the value, or says in one word what was expected.
using Setter = const char* (*)(Config&, std::string_view);

template <bool Config::*kMember>
const char* SetBool(Config& config, std::string_view value) {
  const Result<bool> parsed = ParseBool(value);
  if (!parsed) return "1 or 0, yes or no, on or off";
  config.*kMember = *parsed;
  return nullptr;
}

template <std::uint64_t Config::*kMember>
const char* SetCount(Config& config, std::string_view value) {
  const Result<std::uint64_t> parsed = ParseCount(value);
  if (!parsed) return "a whole number";
  config.*kMember = *parsed;
  return nullptr;
}

template <auto kMember>
const char* SetText(Config& config, std::string_view value) {
  auto& text = config.*kMember;
  text.Clear();
  text.Add(value);
  if (text.size() == value.size()) return nullptr;
  text.Clear();
  return "a shorter text";
}

const char* SetSource(Config& config, std::string_view value) {
  if (value == "auto") {
    config.source = SourceChoice::kAuto;
  } else if (value == "ring") {
    config.source = SourceChoice::kRing;
  } else if (value == "timer") {
    config.source = SourceChoice::kTimer;
  } else {
    return "auto, ring or timer";
  }
  return nullptr;
}

const char* SetFormat(Config& config, std::string_view value) {
  if (value == "text") {
    config.format = ReportFormat::kText;
  } else if (value == "json") {
    config.format = ReportFormat::kJson;
  } else {
    return "text or json";
  }
  return nullptr;
}

const char* SetStacks(Config& config, std::string_view value) {
  if (value == "off") {
    config.stacks = Stacks::kOff;
  } else if (value == "fp") {
    config.stacks = Stacks::kFp;
  } else if (value == "unwind") {
    config.stacks = Stacks::kUnwind;
  } else {
    return "off, fp or unwind";
  }
  return nullptr;
}

const char* SetFollow(Config& config, std::string_view value) {
  if (value == "none") {
    config.follow = Follow::kNone;
  } else if (value == "fork") {
    config.follow = Follow::kFork;
  } else if (value == "exec") {
    config.follow = Follow::kExec;
  } else if (value == "all") {
    config.follow = Follow::kAll;
  } else {
    return "none, fork, exec or all";
  }
  return nullptr;
}

template <std::uint64_t Config::*kMember>
const char* SetDuration(Config& config, std::string_view value) {
  const Result<std::uint64_t> parsed = ParseDuration(value);
  if (!parsed) return "a time: 5, 1.5s, 200ms";
  config.*kMember = *parsed;
  return nullptr;
}

const char* SetSignal(Config& config, std::string_view value) {
  const int signal = SignalNumber(value);
  if (signal <= 0) return "a signal that may be handled: USR1, SIGUSR2, RTMIN+3, 12";
  config.signal = static_cast<std::uint64_t>(signal);
  return nullptr;
}

const char* SetDoctor(Config& config, std::string_view value) {
  config.doctor_events = value == "events";
  return config.doctor_events ? (config.doctor = true, nullptr)
                              : SetBool<&Config::doctor>(config, value);
}

const char* SetLog(Config&, std::string_view value) {
  constexpr std::string_view kLevels[] = {"error", "warn", "info", "debug"};
  for (unsigned i = 0; i < 4; ++i) {
    if (value == kLevels[i]) {
      SetLogLevel(static_cast<LogLevel>(i));
      return nullptr;
    }
  }
  return "error, warn, info or debug";
}

const char* Ignore(Config&, std::string_view) { return nullptr; }

struct Key {
  std::string_view name;
  Setter set;
};

// The one list of keys; ARCHITECTURE.md and docs/environment.md describe them.
constexpr Key kKeys[] = {
    {"AGENT", Ignore},  // read by the csink tool
    {"BASELINE", SetText<&Config::baseline>},
    {"CONTROL", SetText<&Config::control>},
    {"DELAY", SetDuration<&Config::delay_ns>},
    {"DOCTOR", SetDoctor},
    {"DURATION", SetDuration<&Config::duration_ns>},
    {"ENABLE", SetBool<&Config::enable>},
    {"EVENTS", SetText<&Config::events>},
    {"EVENT_MACROS", Ignore},  // read by libpapi and libcsink_events
    {"EXCLUDE", SetText<&Config::exclude>},
    {"FOLLOW", SetFollow},
    {"FORMAT", SetFormat},
    {"INCLUDE", SetText<&Config::include>},
    {"KEEP", SetBool<&Config::keep>},
    {"KERNEL", SetBool<&Config::kernel>},
    {"LOG", SetLog},
    {"MIN_SAMPLES", SetCount<&Config::min_samples>},
    {"OUTPUT", SetText<&Config::output>},
    {"PER_THREAD", SetBool<&Config::per_thread>},
    {"REPORT", SetBool<&Config::report>},
    {"REPORTER", SetText<&Config::reporter>},
    {"SIGNAL", SetSignal},
    {"SOURCE", SetSource},
    {"SPOOL_DIR", SetText<&Config::spool_dir>},
    {"STACKS", SetStacks},
    {"START_PAUSED", SetBool<&Config::start_paused>},
    {"TOP", SetCount<&Config::top>},
    {"TREE", SetCount<&Config::tree>},
};

// What a user typed, safe to print.
void AddQuoted(Text<512>& line, std::string_view text) {
  line.Add('\'');
  std::size_t shown = 0;
  for (const char c : text) {
    if (++shown > 80) {
      line.Add("...");
      break;
    }
    line.Add(c >= ' ' && c < 127 ? c : '?');
  }
  line.Add('\'');
}

void WarnUnknown(std::string_view name) {
  std::string_view names[sizeof kKeys / sizeof kKeys[0]];
  std::size_t count = 0;
  for (const Key& key : kKeys) names[count++] = key.name;
  const std::string_view best = NearestName(name, names, count);
  Text<512> line;
  line.Add("unknown variable ");
  Text<128> full;
  full.Add(kPrefix).Add(name);
  AddQuoted(line, full.view());
  if (!best.empty()) {
    line.Add(" is ignored: did you mean ").Add(kPrefix).Add(best).Add('?');
  } else {
    line.Add(" is ignored; csink doctor lists those there are");
  }
  RawLog(LogLevel::kWarn, line.view());
}

void WarnValue(std::string_view name, std::string_view value, const char* expected) {
  Text<512> line;
  line.Add(kPrefix).Add(name).Add('=');
  AddQuoted(line, value);
  line.Add(" is ignored: expected ").Add(expected);
  RawLog(LogLevel::kWarn, line.view());
}

}  // namespace

Text<512> ListVariables() noexcept {
  Text<512> list;
  for (const Key& key : kKeys) {
    if (list.size() != 0) list.Add(' ');
    list.Add(kPrefix).Add(key.name);
  }
  return list;
}

const char* FindVariable(char* const* environment, const char* name) noexcept {
  const std::size_t length = std::strlen(name);
  for (; environment && *environment; ++environment) {
    if (std::strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') {
      return *environment + length + 1;
    }
  }
  return nullptr;
}

bool IsEnabled(char* const* environment) noexcept {
  const char* value = FindVariable(environment, "CSINK_ENABLE");
  if (!value) return true;
  const Result<bool> parsed = ParseBool(value);
  return !parsed || *parsed;
}

void ReadConfig(char* const* environment, Config& config) noexcept {
  for (; environment && *environment; ++environment) {
    if (std::strncmp(*environment, kPrefix.data(), kPrefix.size()) != 0) continue;
    std::string_view value(*environment + kPrefix.size());
    const std::string_view name = NextToken(value, '=');
    const Key* found = nullptr;
    for (const Key& key : kKeys) {
      if (key.name == name) found = &key;
    }
    if (!found) {
      WarnUnknown(name);
    } else if (value.empty()) {
      continue;  // the way of scripts to say "not set"
    } else if (const char* expected = found->set(config, value)) {
      WarnValue(name, value, expected);
    }
  }
}

}  // namespace csink::agent
