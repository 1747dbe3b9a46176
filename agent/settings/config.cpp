#include "agent/settings/config.h"

#include <signal.h>

#include <string_view>

#include "agent/settings/config_keys.h"
#include "core/util/parse.h"
#include "core/util/signal_name.h"

namespace csink::agent {
namespace {

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
  const auto format = FormatNamed(value);
  if (!format) return kReportFormatWords;
  config.format = *format;
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

// Not those that the kernel raises for what the program does, nor the one that drains.
bool MayBeRequest(int signal) {
  for (const int other : {SIGURG, SIGCHLD, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS}) {
    if (signal == other) return false;
  }
  return signal > 0;
}

const char* SetSignal(Config& config, std::string_view value) {
  const int signal = SignalNumber(value);
  if (!MayBeRequest(signal)) return "a signal for requests: USR1, SIGUSR2, RTMIN+3, 12";
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

// 0 (no): as without it; 1 (yes): info; 2: debug. CSINK_LOG wins.
const char* SetVerbose(Config& config, std::string_view value) {
  constexpr LogLevel kLevels[] = {LogLevel::kWarn, LogLevel::kInfo, LogLevel::kDebug};
  std::uint64_t level = 2;
  if (value != "2") {
    const Result<bool> parsed = ParseBool(value);
    if (!parsed) return "0, 1 or 2";
    level = *parsed;
  }
  if (!WasGiven(config, "LOG")) SetLogLevel(kLevels[level]);
  return nullptr;
}

const char* Ignore(Config&, std::string_view) { return nullptr; }

// The one list of keys; ARCHITECTURE.md and docs/environment.md describe them.
constexpr Key kKeys[] = {
    {"AGENT", Ignore},  // read by the csink tool
    {"BASELINE", SetText<&Config::baseline>},
    {"CACHE", Ignore},       // read by the csink tool
    {"CACHE_SIZE", Ignore},  // likewise
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
    {"OPTIONS", Ignore},  // read before all others
    {"OUTPUT", SetText<&Config::output>},
    {"PER_THREAD", SetBool<&Config::per_thread>},
    {"RANDOM_START", SetBool<&Config::random_start>},
    {"REPORT", SetBool<&Config::report>},
    {"REPORTER", SetText<&Config::reporter>},
    {"SIGNAL", SetSignal},
    {"SOURCE", SetSource},
    {"SOURCE_PREFIX", Ignore},  // read by the csink tool
    {"SPOOL_DIR", SetText<&Config::spool_dir>},
    {"STACKS", SetStacks},
    {"START_PAUSED", SetBool<&Config::start_paused>},
    {"TOP", SetCount<&Config::top>},
    {"TREE", SetCount<&Config::tree>},
    {"VERBOSE", SetVerbose},
};
constexpr std::size_t kKeyCount = sizeof kKeys / sizeof kKeys[0];
static_assert(kKeyCount <= 64, "Config::given has a bit for each");

}  // namespace

const Key* AllKeys(std::size_t& count) noexcept {
  count = kKeyCount;
  return kKeys;
}

const Key* FindKey(std::string_view name) noexcept {
  for (const Key& key : kKeys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

const Key* FindSmallKey(std::string_view name) noexcept {
  Text<32> capitals;
  if (name.size() >= 31) return nullptr;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') return nullptr;
    capitals.Add(c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
  }
  return FindKey(capitals.view());
}

const char* SetKey(Config& config, const Key& key, std::string_view value) noexcept {
  const char* expected = key.set(config, value);
  if (!expected) config.given |= std::uint64_t{1} << (&key - kKeys);
  return expected;
}

bool WasGiven(const Config& config, std::string_view name) noexcept {
  const Key* key = FindKey(name);
  return key && (config.given >> (key - kKeys) & 1) != 0;
}

}  // namespace csink::agent
