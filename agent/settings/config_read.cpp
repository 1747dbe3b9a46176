#include <optional>
#include <string_view>

#include "agent/settings/complain.h"
#include "agent/settings/config.h"
#include "core/util/option_tokens.h"
#include "core/util/parse.h"

/// File: from the environment to Config, and the complaints about it. The environment is read
/// twice: first CSINK_LOG and CSINK_VERBOSE, because they decide which complaints are printed, then
/// everything else. In each round CSINK_OPTIONS comes before the variables, so that a variable has
/// precedence.

namespace csink::agent {
namespace {

// Lines about single mistakes; one further line counts the rest.
constexpr unsigned kMostComplaints = 8;

// Adds what a user typed in quotes, at most 80 bytes, with everything but printable ASCII replaced.
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

// Tells OptionTokens which commas separate options: those in front of a known key.
bool IsKey(std::string_view name) noexcept { return FindSettingByKey(name).has_value(); }

// The name of a setting as it is written where it was found.
void AddName(Text<512>& line, Setting setting, bool in_options) {
  if (!in_options) line.Add(kSettingPrefix);
  for (const char c : NameOf(setting)) {
    // Keys of CSINK_OPTIONS are the names in lower case.
    line.Add(in_options && c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
  }
}

// True for settings that other programs read by getenv: those do not look into CSINK_OPTIONS.
bool MustBeVariable(Setting setting) noexcept {
  return ReadByWhom(setting) != ReadBy::kAgent || setting == Setting::kOptions;
}

// The two rounds of reading.
enum class Wanted { kLevel, kOthers };

// One round over all settings.
class Reader {
 public:
  Reader(Config& config, Wanted wanted) noexcept : config_(config), wanted_(wanted) {}

  void ReadOptions(std::string_view text) {
    OptionTokens tokens(text, IsKey);
    for (Option option; tokens.Next(option);) {
      // Keys may be unknown here: a mistake is reported in the round that is not about levels.
      const auto setting = FindSettingByKey(option.key);
      if (!IsTurnOf(setting)) continue;
      if (option.mistake) {
        Text<512> line;
        line.Add("CSINK_OPTIONS: ").Add(option.mistake).Add(" in the value of ");
        AddQuoted(line, option.key);
        Complain(line.Add("; it is ignored"));
      } else if (setting && MustBeVariable(*setting)) {
        Text<512> line;
        line.Add("CSINK_OPTIONS: ").Add(option.key).Add(" is ignored: set the variable ");
        Complain(line.Add(kSettingPrefix).Add(NameOf(*setting)));
      } else {
        Take(setting, option.key, option.value, true);
      }
    }
  }

  // NAME=value, without the prefix.
  void ReadVariable(std::string_view variable) {
    std::string_view value = variable;
    const std::string_view name = NextToken(value, '=');
    const auto setting = FindSetting(name);
    if (IsTurnOf(setting)) Take(setting, name, value, false);
  }

  void SayHowManyMore() const {
    if (complaints_ <= kMostComplaints) return;
    Text<512> line;
    line.Number(complaints_ - kMostComplaints)
        .Add(" more errors in CSINK_ variables are not shown");
    csink::agent::Complain(line.view());
  }

 private:
  // Unknown names belong to the second round, when the level of messages is known.
  bool IsTurnOf(std::optional<Setting> setting) const noexcept {
    const bool level = setting == Setting::kLog || setting == Setting::kVerbose;
    return level == (wanted_ == Wanted::kLevel);
  }

  // Stores a value, or complains about its name or the value.
  void Take(std::optional<Setting> setting, std::string_view name, std::string_view value,
            bool in_options) {
    if (!setting) {
      ComplainOfName(name, in_options);
    } else if (value.empty()) {
      return;  // the way of scripts to say "not set"
    } else if (!SetSetting(config_, *setting, value)) {
      Text<512> line;
      if (in_options) line.Add("CSINK_OPTIONS: ");
      AddName(line, *setting, in_options);
      line.Add('=');
      AddQuoted(line, value);
      Complain(line.Add(" is ignored: expected ").Add(ExpectationOf(*setting).view()));
    }
  }

  void ComplainOfName(std::string_view name, bool in_options) {
    // A misspelt name is the most likely mistake, so the nearest name is shown.
    const auto nearest = NearestSetting(name);
    Text<512> line;
    if (in_options) {
      line.Add("CSINK_OPTIONS: unknown option ");
      AddQuoted(line, name);
    } else {
      line.Add("unknown variable ");
      Text<128> full;
      AddQuoted(line, full.Add(kSettingPrefix).Add(name).view());
    }
    line.Add(" is ignored");
    if (nearest) {
      line.Add(": did you mean ");
      AddName(line, *nearest, in_options);
      line.Add('?');
    } else {
      line.Add("; csink doctor lists all variables");
    }
    Complain(line);
  }

  void Complain(const Text<512>& line) {
    if (++complaints_ <= kMostComplaints) csink::agent::Complain(line.view());
  }

  Config& config_;
  Wanted wanted_;
  unsigned complaints_ = 0;
};

// A loop and not memcmp: most variables differ in the first character.
bool BeginsWith(const char* text, std::string_view beginning) noexcept {
  for (const char c : beginning) {
    if (*text++ != c) return false;
  }
  return true;
}

// One round: CSINK_OPTIONS, then the variables.
void ReadAll(char* const* environment, Config& config, Wanted wanted) {
  Reader reader(config, wanted);
  if (const char* options = FindVariable(environment, "CSINK_OPTIONS")) {
    reader.ReadOptions(options);
  }
  for (; environment && *environment; ++environment) {
    if (BeginsWith(*environment, kSettingPrefix)) {
      reader.ReadVariable(*environment + kSettingPrefix.size());
    }
  }
  // Once a round: the first one has complaints about levels only.
  reader.SayHowManyMore();
}

}  // namespace

Text<768> ListVariables() noexcept {
  Text<768> list;
  for (std::size_t i = 0; i < kSettingCount; ++i) {
    if (i != 0) list.Add(' ');
    list.Add(kSettingPrefix).Add(NameOf(SettingByName(i)));
  }
  return list;
}

const char* FindVariable(char* const* environment, const char* name) noexcept {
  const std::string_view wanted = name;
  for (; environment && *environment; ++environment) {
    const char* variable = *environment;
    if (BeginsWith(variable, wanted) && variable[wanted.size()] == '=') {
      return variable + wanted.size() + 1;
    }
  }
  return nullptr;
}

bool IsEnabled(char* const* environment) noexcept {
  bool enabled = true;
  // An invalid value changes nothing here; ReadConfig complains about it if the agent starts.
  const auto take = [&enabled](std::string_view value) {
    const Result<bool> parsed = ParseBool(value);
    if (parsed) enabled = *parsed;
    return parsed.has_value();
  };
  if (const char* options = FindVariable(environment, "CSINK_OPTIONS")) {
    OptionTokens tokens(options, IsKey);
    for (Option option; tokens.Next(option);) {
      // The last one counts, as for every other key.
      if (option.key == "enable" && !option.mistake) take(option.value);
    }
  }
  if (const char* value = FindVariable(environment, "CSINK_ENABLE")) take(value);
  return enabled;
}

void ReadConfig(char* const* environment, Config& config) noexcept {
  ReadAll(environment, config, Wanted::kLevel);
  ReadAll(environment, config, Wanted::kOthers);
  SettleConflicts(config);
}

}  // namespace csink::agent
