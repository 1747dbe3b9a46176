#include <type_traits>

#include "agent/settings/config_lines.h"
#include "agent/settings/config_members.h"

/// File: the configuration as it is stored in the spool, so that a run can be repeated.

namespace csink::agent {
namespace {

// Inside single quotes a POSIX shell takes every byte literally; a single quote itself is written
// '\''.
void AddLine(ConfigLines& lines, Setting setting, std::string_view value) noexcept {
  lines.Add(kSettingPrefix).Add(NameOf(setting)).Add("='");
  for (const char c : value) {
    lines.Add(c == '\'' ? std::string_view("'\\''") : std::string_view(&c, 1));
  }
  lines.Add("'\n");
}

// Writes a member of any type, if its value differs from the default.
struct Adding {
  ConfigLines& lines;
  Setting setting;

  void operator()(bool member) noexcept { Add(WriteValue(member)); }
  void operator()(std::uint64_t member) noexcept { Add(WriteValue(setting, member).view()); }
  template <std::size_t N>
  void operator()(const Text<N>& member) noexcept {
    Add(member.view());
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(Enum member) noexcept {
    Add(WriteChoice(setting, static_cast<unsigned char>(member)));
  }

  void Add(std::string_view value) noexcept {
    if (value != DefaultOf(setting)) AddLine(lines, setting, value);
  }
};

// The events in the syntax of CSINK_EVENTS: "task-clock:uk@1000003,cycles:u@4000Hz".
Text<1024> EventsText(const EventList& events, bool with_levels) noexcept {
  Text<1024> text;
  for (std::size_t i = 0; i < events.count; ++i) {
    const EventSpec& spec = events.events[i];
    text.Add(i == 0 ? "" : ",");
    // CPU timers sample user mode alone, so their events have no level.
    text.Add(with_levels ? EventDisplayName(spec).view() : std::string_view(spec.name)).Add('@');
    if (spec.period != 0) {
      text.Number(spec.period);
    } else {
      text.Number(spec.frequency_hz).Add("Hz");
    }
  }
  return text;
}

}  // namespace

void WriteConfig(const Config& config, const EventList& events, std::string_view source,
                 bool with_levels, ConfigLines& lines) noexcept {
  for (std::size_t i = 0; i < kSettingCount; ++i) {
    const auto setting = static_cast<Setting>(i);
    Adding adding{lines, setting};
    // Events and source are written as they were chosen, even if they were not set: a later run
    // with these lines makes the same choice.
    if (setting == Setting::kEvents) {
      AddLine(lines, setting, EventsText(events, with_levels).view());
    } else if (setting == Setting::kSource) {
      AddLine(lines, setting, source);
    } else if (setting == Setting::kLog) {
      adding(GetLogLevel());  // by CSINK_VERBOSE, too
    } else if (setting == Setting::kSpoolDir && config.tree != 0) {
      continue;  // the tree's folder, which csink run removes
    } else if (IsInSpool(setting) != InSpool::kNo) {
      VisitMember(config, setting, adding);
    }
  }
}

}  // namespace csink::agent
