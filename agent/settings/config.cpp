#include "agent/settings/config.h"

#include <string_view>
#include <type_traits>

#include "agent/settings/config_members.h"

/// File: stores one setting by its number. One visitor serves all types of members, so that a new
/// setting needs no code here.

namespace csink::agent {
namespace {

static_assert(kSettingCount <= 64, "Config::given has a bit for each");

// Reads a value into a member of any type; `taken` is false if the value does not fit.
struct Taking {
  Setting setting;
  std::string_view value;
  bool taken = false;

  void operator()(bool& member) noexcept { taken = ReadValue(setting, value, member); }
  void operator()(std::uint64_t& member) noexcept { taken = ReadValue(setting, value, member); }
  template <std::size_t N>
  void operator()(Text<N>& member) noexcept {
    // A text is never cut: a cut path would be another file.
    taken = value.size() < N;
    if (!taken) return;
    member.Clear();
    member.Add(value);
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(Enum& member) noexcept {
    unsigned char index = 0;
    taken = ReadChoice(setting, value, index);
    if (taken) member = static_cast<Enum>(index);
  }
};

// The level that CSINK_VERBOSE stands for.
constexpr LogLevel LevelOf(Verbosity verbosity) noexcept {
  switch (verbosity) {
    case Verbosity::kUsual:
      break;
    case Verbosity::kInfo:
      return LogLevel::kInfo;
    case Verbosity::kDebug:
      return LogLevel::kDebug;
  }
  return LogLevel::kWarn;
}

}  // namespace

bool SetSetting(Config& config, Setting setting, std::string_view value) noexcept {
  Taking taking{setting, value};
  const bool ours = VisitMember(config, setting, taking);
  // A setting that the agent does not keep is noted as given, too: other programs read it.
  if (ours && !taking.taken) return false;
  config.given |= std::uint64_t{1} << static_cast<unsigned>(setting);
  // At once, because the complaints about the other settings depend on the level.
  if (setting == Setting::kLog) SetLogLevel(config.log);
  if (setting == Setting::kVerbose && !WasGiven(config, Setting::kLog)) {
    SetLogLevel(LevelOf(config.verbose));
  }
  return true;
}

bool WasGiven(const Config& config, Setting setting) noexcept {
  return (config.given >> static_cast<unsigned>(setting) & 1) != 0;
}

}  // namespace csink::agent
