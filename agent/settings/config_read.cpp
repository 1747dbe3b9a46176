#include <string_view>

#include "agent/settings/complain.h"
#include "agent/settings/config_keys.h"
#include "core/util/nearest.h"
#include "core/util/option_tokens.h"
#include "core/util/parse.h"

/// File: from the environment to the keys, and the complaints about it.

namespace csink::agent {
namespace {

// Read by others, by getenv: an entry in CSINK_OPTIONS would not be seen there.
constexpr std::string_view kOfOthers[] = {"AGENT",        "CACHE",   "CACHE_SIZE",
                                          "EVENT_MACROS", "OPTIONS", "SOURCE_PREFIX"};
constexpr unsigned kMostComplaints = 8;

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

bool IsSmallKey(std::string_view name) noexcept { return FindSmallKey(name) != nullptr; }

// "TOP" as it is written where it was found.
void AddKeyName(Text<512>& line, std::string_view key, bool small) {
  if (!small) line.Add(kPrefix);
  for (const char c : key) line.Add(small && c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
}

enum class Wanted { kLevel, kOthers };

// One way through everything that is set. Twice: how much is said is settled first.
class Reader {
 public:
  Reader(Config& config, Wanted wanted) noexcept : config_(config), wanted_(wanted) {}

  void ReadOptions(std::string_view text) {
    OptionTokens tokens(text, IsSmallKey);
    for (Option option; tokens.Next(option);) {
      const Key* key = FindSmallKey(option.key);
      if (!IsTurnOf(key)) continue;
      if (option.mistake) {
        Text<512> line;
        line.Add("CSINK_OPTIONS: ").Add(option.mistake).Add(" in the value of ");
        AddQuoted(line, option.key);
        Complain(line.Add("; it is ignored"));
      } else if (key && IsOfOthers(key->name)) {
        Text<512> line;
        line.Add("CSINK_OPTIONS: ").Add(option.key).Add(" is ignored there: set ");
        Complain(line.Add(kPrefix).Add(key->name));
      } else {
        Take(key, option.key, option.value, true);
      }
    }
  }

  // NAME=value, without the prefix.
  void ReadVariable(std::string_view variable) {
    std::string_view value = variable;
    const std::string_view name = NextToken(value, '=');
    const Key* key = FindKey(name);
    if (IsTurnOf(key)) Take(key, name, value, false);
  }

  void SayHowManyMore() const {
    if (complaints_ <= kMostComplaints) return;
    Text<512> line;
    line.Number(complaints_ - kMostComplaints).Add(" more mistakes in CSINK_ variables");
    csink::agent::Complain(line.view());
  }

 private:
  bool IsTurnOf(const Key* key) const noexcept {
    const bool level = key && (key->name == "LOG" || key->name == "VERBOSE");
    return level == (wanted_ == Wanted::kLevel);
  }

  static bool IsOfOthers(std::string_view name) noexcept {
    for (const std::string_view other : kOfOthers) {
      if (name == other) return true;
    }
    return false;
  }

  void Take(const Key* key, std::string_view name, std::string_view value, bool small) {
    if (!key) {
      ComplainOfName(name, small);
    } else if (value.empty()) {
      return;  // the way of scripts to say "not set"
    } else if (const char* expected = SetKey(config_, *key, value)) {
      Text<512> line;
      if (small) line.Add("CSINK_OPTIONS: ");
      AddKeyName(line, key->name, small);
      line.Add('=');
      AddQuoted(line, value);
      Complain(line.Add(" is ignored: expected ").Add(expected));
    }
  }

  void ComplainOfName(std::string_view name, bool small) {
    std::size_t count = 0;
    const Key* keys = AllKeys(count);
    std::string_view names[64];
    for (std::size_t i = 0; i < count; ++i) names[i] = keys[i].name;
    const std::string_view best = NearestName(name, names, count);
    Text<512> line;
    if (small) {
      line.Add("CSINK_OPTIONS: unknown option ");
      AddQuoted(line, name);
    } else {
      line.Add("unknown variable ");
      Text<128> full;
      AddQuoted(line, full.Add(kPrefix).Add(name).view());
    }
    line.Add(" is ignored");
    if (best.empty()) {
      line.Add("; csink doctor lists those there are");
    } else {
      line.Add(": did you mean ");
      AddKeyName(line, best, small);
      line.Add('?');
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

// Most texts differ in the first character.
bool BeginsWith(const char* text, std::string_view beginning) noexcept {
  for (const char c : beginning) {
    if (*text++ != c) return false;
  }
  return true;
}

void ReadAll(char* const* environment, Config& config, Wanted wanted) {
  Reader reader(config, wanted);
  if (const char* options = FindVariable(environment, "CSINK_OPTIONS")) {
    reader.ReadOptions(options);
  }
  for (; environment && *environment; ++environment) {
    if (BeginsWith(*environment, kPrefix)) {
      reader.ReadVariable(*environment + kPrefix.size());
    }
  }
  reader.SayHowManyMore();
}

}  // namespace

Text<768> ListVariables() noexcept {
  Text<768> list;
  std::size_t count = 0;
  const Key* keys = AllKeys(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) list.Add(' ');
    list.Add(kPrefix).Add(keys[i].name);
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
  const auto take = [&enabled](std::string_view value) {
    const Result<bool> parsed = ParseBool(value);
    if (parsed) enabled = *parsed;
    return parsed.has_value();
  };
  if (const char* options = FindVariable(environment, "CSINK_OPTIONS")) {
    OptionTokens tokens(options, IsSmallKey);
    for (Option option; tokens.Next(option);) {
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
